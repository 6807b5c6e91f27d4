/** Serves what the ingress hands out: admits connections, passes their requests to the application, and sends its responses. */
import { errors } from '../../core/errors.ts';
import type { Metrics, RejectionReason } from '../../core/metrics.ts';
import type { ObservedRequest } from '../../core/observed.ts';
import type { Platform } from '../../core/platform.ts';
import type { HttpResponse } from '../../core/request-context.ts';
import type { Settings } from '../../core/settings.ts';
import { type App, unknownEndpoint } from '../../http/app.ts';
import { httpsRedirect } from '../../http/https-redirect.ts';
import { mediaTypes } from '../../http/negotiate.ts';
import { errorResponse } from '../../http/response.ts';
import type { Connection } from '../../ingress/connection.ts';
import type { Exchange } from '../../ingress/exchange.ts';
import type { Response } from '../../ingress/message/response.ts';
import type { Handler } from '../../ingress/requests.ts';
import type { ResolveClientRequest } from '../proxy/client-request.ts';
import type { Compress } from './compression.ts';
import type { Bounds } from './limits/bounds.ts';
import type { createAddressLimits, RateKeyOf } from './limits/limits.ts';
import { ClientFacts, NodeRequest, type ServingSite } from './observe.ts';

export interface AdmissionParts {
  readonly countAddress: ReturnType<typeof createAddressLimits>;
  readonly rateKeyOf: RateKeyOf;
  readonly metrics: Metrics;
  /** Whether the process uses more memory than it may. */
  isMemoryFull(): boolean;
}

/**
 * Returns the decision, which counts an accepted connection until it closes. Trusted proxies have no limits by address, because their
 * connections carry the requests of all clients.
 */
export function createAdmission({ countAddress, rateKeyOf, metrics, isMemoryFull }: AdmissionParts) {
  /** Counts the connection if it returns null. */
  const reasonFor = ({ client: { trusted }, socket }: Connection, rateKey: string): RejectionReason | null => {
    if (isMemoryFull()) return 'memory';
    if (trusted) return null;
    const counted = countAddress(rateKey);
    if (typeof counted === 'string') return counted;
    socket.once('close', counted);
    return null;
  };

  return (connection: Connection): boolean => {
    const facts = new ClientFacts(rateKeyOf(connection.client.ip));
    connection.facts = facts;
    const reason = reasonFor(connection, facts.rateKey);
    if (reason !== null) metrics.countRejection(reason);
    return reason === null;
  };
}

/** What the requests of all servers of a thread share. */
export interface RequestServices extends ServingSite {
  readonly app: App;
  readonly platform: Platform;
  readonly metrics: Metrics;
  readonly responses: ReturnType<typeof createResponses>;
  /** For requests of trusted proxies. */
  readonly resolveClient: ResolveClientRequest;
  readonly intercept: ReturnType<typeof createIntercept>;
}

/** `baseUrl` returns the server's own URL, for requests that name no host and for links to the documentation. */
export function createHandler(services: RequestServices, baseUrl: () => string): Handler {
  const { app, platform, metrics, responses, resolveClient, intercept } = services;
  const reject: Handler['reject'] = (problem, message) => {
    const response = errorResponse({ code: problem, message: message ?? errors[problem].message }, baseUrl());
    platform.count(unknownEndpoint, response.status);
    return response;
  };
  const handle: Handler['handle'] = (exchange) => {
    const startedMs = metrics.now();
    const { target } = exchange;
    const { trusted } = exchange.connection.client;
    const request = new NodeRequest(exchange, services);
    const observed = trusted ? resolveClient(request) : request;
    if (observed === null) return responses.sendNow(exchange, reject('malformed_request'));
    const response = intercept?.(observed, trusted) ?? app(observed, platform, request);
    if (response instanceof Promise || responses.isCompressible(response))
      return responses.sendLater(exchange, response).then(() => metrics.observeDuration(target.path, startedMs));
    responses.sendNow(exchange, response);
    metrics.observeDuration(target.path, startedMs);
  };
  return {
    reject,
    defaultAuthority: () => /^(?:https?:\/\/)?([^/]*)/i.exec(baseUrl())?.[1] ?? '',
    handle,
    onError: platform.report,
  };
}

/**
 * Returns what responds to some requests in place of the application, and null for the others; `isForwarded`: a trusted proxy sent the
 * request. Null if no setting needs it. `challengeResponse` responds to a CA that validates one of our domains; null without ACME.
 */
export function createIntercept(
  { redirectHttps, publicUrl }: Pick<Settings, 'redirectHttps' | 'publicUrl'>,
  { count }: Pick<Platform, 'count'>,
  challengeResponse: ((observed: ObservedRequest) => HttpResponse | null) | null,
) {
  const redirectUrl = redirectHttps ? publicUrl : null;
  if (redirectUrl === null && challengeResponse === null) return null;
  return (observed: ObservedRequest, isForwarded: boolean): HttpResponse | null => {
    const challenge = challengeResponse?.(observed) ?? null;
    const response = challenge ?? (redirectUrl === null ? null : httpsRedirect(observed, redirectUrl, isForwarded));
    if (response !== null) count(unknownEndpoint, response.status);
    return response;
  };
}

/** Returns what sends responses, and compresses those that are worth it. */
export function createResponses({ minCompressedLength }: Bounds, compress: Compress, altSvc: AltSvc) {
  /** Pages, and texts that are compressed once for all clients, such as /openapi.json; other responses are small, or images. */
  const isCompressible = ({ headers, body, isConstant }: HttpResponse): boolean =>
    headers['Content-Type']?.startsWith(mediaTypes.html) === true ||
    (isConstant === true && typeof body === 'string' && body.length >= minCompressedLength);

  /** The bytes of responses that every client gets, once for all: readers that stall would each hold a copy. */
  const encoded = new WeakMap<HttpResponse, Uint8Array>();
  const encode = (response: HttpResponse): string | Uint8Array => {
    const { body, isConstant } = response;
    if (typeof body !== 'string' || !isConstant) return body;
    const bytes = encoded.get(response) ?? Buffer.from(body);
    encoded.set(response, bytes);
    return bytes;
  };

  const encodeFor = async (exchange: Exchange, response: HttpResponse): Promise<Response> => {
    const compressed = await compress(response, exchange.headers['accept-encoding'] ?? '');
    const vary = [response.headers.Vary, 'Accept-Encoding'].filter((name) => name !== undefined).join(', ');
    const coding = compressed === null ? null : { 'Content-Encoding': compressed.coding };
    const headers = { ...response.headers, Vary: vary, ...coding };
    return { ...response, headers, body: compressed?.body ?? encode(response) };
  };

  const sendNow = (exchange: Exchange, response: Response): void => exchange.respond(altSvc.addTo(response, exchange));

  return {
    isCompressible,
    sendNow,
    async sendLater(exchange: Exchange, pending: HttpResponse | Promise<HttpResponse>): Promise<void> {
      const response = await pending;
      const sent = isCompressible(response) ? await encodeFor(exchange, response) : response;
      exchange.endAfterUnreadBody();
      sendNow(exchange, sent);
    },
  };
}

/** A day: a client that finds nothing there uses HTTP/2 again. */
const maxAgeSeconds = 86_400;

export type AltSvc = ReturnType<typeof createAltSvc>;

/** Returns what tells clients over HTTPS that HTTP/3 is served, and where (RFC 7838). */
export function createAltSvc({ publicUrl, http3Port, tlsPort }: Pick<Settings, 'publicUrl' | 'http3Port' | 'tlsPort'>) {
  const [, publicHost] = /^https:\/\/([^/]+)/i.exec(publicUrl ?? '') ?? [];
  const hasPortOfItsOwn = publicHost === undefined && (http3Port !== tlsPort || http3Port === 0);
  return {
    /** The UDP port of HTTP/3; null while it is not served, undefined if it is off. */
    port: undefined as number | null | undefined,
    /** Adds the header, only if the client has opened this very connection: a proxy has ports of its own. */
    addTo(response: Response, { connection, target }: Exchange): Response {
      const { client, isSecure } = connection;
      if (this.port === undefined || !isSecure || client.relayed || client.trusted) return response;
      // A container may map the ports, but the same way for TCP and UDP if they have the same number.
      const shownPort = hasPortOfItsOwn
        ? this.port
        : Number(/:(\d+)$/.exec(publicHost ?? target.authority)?.[1] ?? 443);
      const value = this.port === null ? 'clear' : `h3=":${shownPort}"; ma=${maxAgeSeconds}`;
      return { ...response, ownHeaders: { ...response.ownHeaders, 'Alt-Svc': value } };
    },
  };
}
