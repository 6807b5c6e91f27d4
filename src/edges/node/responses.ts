/** Sends responses: pages and constant texts are compressed if the client accepts it. */
import type { HttpResponse } from '../../core/request-context.ts';
import { mediaTypes } from '../../http/negotiate.ts';
import type { Exchange, Response } from '../../ingress/exchange.ts';
import type { AltSvc } from './alt-svc.ts';
import type { Compress } from './compression.ts';
import type { Bounds } from './limits/bounds.ts';

export interface Responses {
  /** Pages, and texts that are compressed once for all clients, such as /openapi.json; other responses are small, or images. */
  isCompressible(response: HttpResponse): boolean;
  sendNow(exchange: Exchange, response: Response): void;
  /** Waits for the response, and compresses it if that is worth it. */
  sendLater(exchange: Exchange, pending: HttpResponse | Promise<HttpResponse>): Promise<void>;
}

export function createResponses({ minCompressedLength }: Bounds, compress: Compress, altSvc: AltSvc): Responses {
  const isCompressible: Responses['isCompressible'] = ({ headers, body, isConstant }) =>
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

  const sendNow: Responses['sendNow'] = (exchange, response) => exchange.respond(altSvc.addTo(response, exchange));

  return {
    isCompressible,
    sendNow,
    async sendLater(exchange, pending) {
      const response = await pending;
      const { headers } = response;
      if (!isCompressible(response)) {
        exchange.endAfterUnreadBody();
        sendNow(exchange, response);
        return;
      }
      const compressed = await compress(response, exchange.headers['accept-encoding'] ?? '');
      const vary = [headers.Vary, 'Accept-Encoding'].filter((name) => name !== undefined).join(', ');
      const coding = compressed === null ? null : { 'Content-Encoding': compressed.coding };
      exchange.endAfterUnreadBody();
      const sent = { ...headers, Vary: vary, ...coding };
      sendNow(exchange, { ...response, headers: sent, body: compressed?.body ?? encode(response) });
    },
  };
}
