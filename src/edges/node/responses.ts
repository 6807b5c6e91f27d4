/** Sends responses: compresses what is worth it, and announces HTTP/3. */
import type { HttpResponse } from '../../core/request-context.ts';
import type { Settings } from '../../core/settings.ts';
import { mediaTypes } from '../../http/negotiate.ts';
import type { Exchange, OutgoingResponse } from '../../ingress/exchange.ts';
import type { Compress } from './compression.ts';
import type { Bounds } from './limits/bounds.ts';

/** Returns the functions that send responses; `sendLater` compresses a response if that is worth it. */
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

  const encodeFor = async (exchange: Exchange, response: HttpResponse): Promise<OutgoingResponse> => {
    const compressed = await compress(response, exchange.headers['accept-encoding'] ?? '');
    const vary = [response.headers.Vary, 'Accept-Encoding'].filter((name) => name !== undefined).join(', ');
    const coding = compressed === null ? null : { 'Content-Encoding': compressed.coding };
    const headers = { ...response.headers, Vary: vary, ...coding };
    return { ...response, headers, body: compressed?.body ?? encode(response) };
  };

  const prepare = (exchange: Exchange, response: HttpResponse): OutgoingResponse | Promise<OutgoingResponse> =>
    isCompressible(response) ? encodeFor(exchange, response) : response;

  const sendNow = (exchange: Exchange, response: OutgoingResponse): void =>
    exchange.respond(altSvc.addTo(response, exchange));

  return {
    isCompressible,
    /** The response with the bytes that are to be sent. */
    prepare,
    sendNow,
    async sendLater(exchange: Exchange, pending: HttpResponse | Promise<HttpResponse>): Promise<void> {
      const sent = await prepare(exchange, await pending);
      exchange.endAfterUnreadBody();
      sendNow(exchange, sent);
    },
  };
}

/** A day: a client that finds nothing there uses HTTP/2 again. */
const maxAgeSeconds = 86_400;

type AltSvc = ReturnType<typeof createAltSvc>;

/** Returns what tells clients over HTTPS that HTTP/3 is served, and where (RFC 7838). */
export function createAltSvc({ publicUrl, http3Port, tlsPort }: Pick<Settings, 'publicUrl' | 'http3Port' | 'tlsPort'>) {
  const [, publicHost] = /^https:\/\/([^/]+)/i.exec(publicUrl ?? '') ?? [];
  const hasPortOfItsOwn = http3Port !== tlsPort || http3Port === 0;
  return {
    /** The UDP port of HTTP/3; null while it is not served, undefined if it is off. */
    port: undefined as number | null | undefined,
    /** Adds the header, only if the client has opened this very connection: a proxy has ports of its own. */
    addTo(response: OutgoingResponse, { connection, target }: Exchange): OutgoingResponse {
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
