/** Sends responses: pages and constant texts compressed if the client accepts it, large bodies in pieces. */
import type { ServerResponse } from 'node:http';
import { mediaTypes } from '../../http/negotiate.ts';
import type { HttpResponse } from '../../http/response.ts';
import type { Connection } from '../../ingress/connection.ts';
import type { Outgoing, UnsentBodies } from '../../ingress/send-buffer.ts';
import type { Incoming } from '../../ingress/target.ts';
import type { Compress } from './compression.ts';
import { headersOfRequest } from './headers.ts';
import type { Bounds } from './limits/bounds.ts';

type Sent = Omit<HttpResponse, 'body'> & { readonly body: string | Uint8Array };

export interface Responses {
  /** Pages, and texts that are compressed once for all clients, such as /openapi.json; other responses are small, or images. */
  isCompressible(response: HttpResponse): boolean;
  send(connection: Connection, outgoing: Outgoing, method: string | undefined, response: Sent): void;
  /** Waits for the response, and compresses it if that is worth it. */
  sendLater(
    connection: Connection,
    incoming: Incoming,
    outgoing: Outgoing,
    pending: HttpResponse | Promise<HttpResponse>,
  ): Promise<void>;
}

/** Alternating names and values by headers, most of which belong to a route: a copy costs less than a spread object. */
const rawHeaders = new WeakMap<HttpResponse['headers'], readonly string[]>();

function rawHeadersOf(headers: HttpResponse['headers']): readonly string[] {
  let raw = rawHeaders.get(headers);
  if (raw === undefined) {
    raw = Object.entries(headers).flat();
    rawHeaders.set(headers, raw);
  }
  return raw;
}

export function createResponses({ minCompressedLength }: Bounds, unsent: UnsentBodies, compress: Compress): Responses {
  const isCompressible: Responses['isCompressible'] = ({ headers, body, isConstant }) =>
    headers['Content-Type']?.startsWith(mediaTypes.html) === true ||
    (isConstant === true && typeof body === 'string' && body.length >= minCompressedLength);

  const send: Responses['send'] = (connection, outgoing, method, { status, headers, body }) => {
    const allHeaders = rawHeadersOf(headers).slice();
    // No length with 204 (RFC 9110 §8.6).
    if (status !== 204) allHeaders.push('Content-Length', `${Buffer.byteLength(body)}`);
    // Both kinds take the same arguments, which the union of their overloads does not show.
    (outgoing as ServerResponse).writeHead(status, allHeaders);
    if (method === 'HEAD') outgoing.end();
    else unsent.send(connection, outgoing, body);
  };

  /** The bytes of responses that every client gets, once for all: readers that stall would each hold a copy. */
  const encoded = new WeakMap<HttpResponse, Uint8Array>();
  const encode = (response: HttpResponse): string | Uint8Array => {
    const { body, isConstant } = response;
    if (typeof body !== 'string' || !isConstant) return body;
    const bytes = encoded.get(response) ?? Buffer.from(body);
    encoded.set(response, bytes);
    return bytes;
  };

  const compressBody = async (response: HttpResponse, acceptEncoding: string): Promise<Sent> => {
    const { status, headers } = response;
    const compressed = await compress(response, acceptEncoding);
    const vary = [headers.Vary, 'Accept-Encoding'].filter((name) => name !== undefined).join(', ');
    const coding = compressed === null ? null : { 'Content-Encoding': compressed.coding };
    return { status, headers: { ...headers, Vary: vary, ...coding }, body: compressed?.body ?? encode(response) };
  };

  const sendLater: Responses['sendLater'] = async (connection, incoming, outgoing, pending) => {
    const response = await pending;
    const sent = isCompressible(response)
      ? await compressBody(response, headersOfRequest(incoming)['accept-encoding'] ?? '')
      : response;
    // After a request body that was not read to its end, an HTTP/1 connection cannot carry another request.
    if (!incoming.complete && 'shouldKeepAlive' in outgoing) outgoing.shouldKeepAlive = false;
    // The request was rejected meanwhile, for its body.
    if (!outgoing.headersSent) send(connection, outgoing, incoming.method, sent);
  };
  return { isCompressible, send, sendLater };
}
