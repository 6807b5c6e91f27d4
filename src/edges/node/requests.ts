/** Passes the requests that ingress hands out to the application. */

import { errors } from '../../core/errors.ts';
import type { Metrics } from '../../core/metrics.ts';
import type { ObservedRequest } from '../../core/observed.ts';
import type { Platform } from '../../core/platform.ts';
import type { HttpResponse } from '../../core/request-context.ts';
import type { Settings } from '../../core/settings.ts';
import { type App, unknownEndpoint } from '../../http/app.ts';
import { httpsRedirect } from '../../http/https-redirect.ts';
import { errorResponse } from '../../http/response.ts';
import type { Exchange } from '../../ingress/exchange.ts';
import type { Identity } from '../../ingress/limits/identity.ts';
import type { Handler } from '../../ingress/requests.ts';
import type { ResolveClientRequest } from '../proxy/client-request.ts';
import type { createDocumentLimit } from './limits/limits.ts';
import { NodeRequest, type ServingSite } from './observe.ts';
import type { createResponses } from './responses.ts';
import type { createProxyDetector } from './unknown-proxy.ts';

/** Values that the requests of all servers of a thread share. */
interface RequestServices extends ServingSite {
  readonly app: App;
  readonly platform: Platform;
  readonly metrics: Metrics;
  readonly responses: ReturnType<typeof createResponses>;
  /** For requests of trusted proxies. */
  readonly resolveClient: ResolveClientRequest;
  readonly intercept: ReturnType<typeof createIntercept>;
  /** Whether a client may get this many bytes of documents, which it counts. */
  readonly mayGetDocument: ReturnType<typeof createDocumentLimit>;
  /** Null to use the origin of each request. */
  readonly publicUrl: string | null;
  /** For requests of peers that are not trusted. */
  readonly detectProxy: ReturnType<typeof createProxyDetector>;
}

/** `baseUrl` returns the server's own URL, for requests that name no host and for links to the documentation. */
export function createHandler(services: RequestServices, baseUrl: () => string): Handler {
  const { app, platform, metrics, responses, resolveClient, intercept, mayGetDocument, publicUrl, detectProxy } =
    services;
  const reject: Handler['reject'] = (problem, { message = errors[problem].message, authority = null } = {}) => {
    const response = errorResponse({ code: problem, message }, publicUrl ?? nameServer(baseUrl(), authority));
    platform.count(unknownEndpoint, response.status);
    return response;
  };
  /** Documents count against no rate: their bytes do, as sent. */
  const sendDocument = async (exchange: Exchange, document: HttpResponse, observed: ObservedRequest): Promise<void> => {
    const response = await responses.prepare(exchange, document);
    const isAllowed = mayGetDocument(observed.rateKey as Identity, Buffer.byteLength(response.body));
    if (!isAllowed) metrics.countRejection('document_bytes');
    exchange.endAfterUnreadBody();
    const { message } = errors.document_limit;
    const error = { code: 'document_limit', message } as const;
    responses.sendNow(exchange, isAllowed ? response : errorResponse(error, publicUrl ?? observed.origin));
  };
  const handle: Handler['handle'] = (exchange) => {
    const startedMs = metrics.now();
    const { target } = exchange;
    const { trusted } = exchange.connection.client;
    if (!trusted) detectProxy(exchange);
    const request = new NodeRequest(exchange, services);
    const resolved = trusted ? resolveClient(request) : null;
    if (resolved !== null && 'problem' in resolved)
      return responses.sendNow(exchange, reject('malformed_request', resolved));
    const observed = resolved ?? request;
    const response = intercept?.(observed, trusted) ?? app(observed, platform, request);
    if (!(response instanceof Promise) && response.isDocument && exchange.method !== 'HEAD')
      return sendDocument(exchange, response, observed).then(() => metrics.observeDuration(target.path, startedMs));
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

/** The server's URL for a client: with the host that its request names, else as localhost, because its own may be an internal address. */
function nameServer(baseUrl: string, authority: string | null): string {
  const { protocol, port } = new URL(baseUrl);
  return `${protocol}//${authority ?? `localhost${port === '' ? '' : `:${port}`}`}`;
}

/**
 * Returns what responds to some requests in place of the application, and null for the others; `isForwarded`: a trusted proxy sent the
 * request. Null if no setting needs it. `challengeResponse` responds to a CA that validates one of our domains; null without ACME.
 */
export function createIntercept(
  settings: Pick<Settings, 'redirectHttps' | 'publicUrl' | 'publicUrlV4' | 'publicUrlV6'>,
  { count }: Pick<Platform, 'count'>,
  challengeResponse: ((observed: ObservedRequest) => HttpResponse | null) | null,
) {
  const { redirectHttps, publicUrl, publicUrlV4, publicUrlV6 } = settings;
  const publicUrls = redirectHttps && publicUrl !== null ? ([publicUrl, publicUrlV4, publicUrlV6] as const) : null;
  if (publicUrls === null && challengeResponse === null) return null;
  return (observed: ObservedRequest, isForwarded: boolean): HttpResponse | null => {
    const challenge = challengeResponse?.(observed) ?? null;
    const response = challenge ?? (publicUrls === null ? null : httpsRedirect(observed, publicUrls, isForwarded));
    if (response !== null) count(unknownEndpoint, response.status);
    return response;
  };
}
