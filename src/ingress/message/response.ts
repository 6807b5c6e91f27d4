/** A response, and its headers in the form that Node's servers send. */

export type ResponseHeaders = Readonly<Record<string, string>>;

/** A complete response, without the length of its body. */
export interface OutgoingResponse {
  readonly status: number;
  /** Pass the same object for all responses that have these headers: each object is prepared only once. */
  readonly headers: ResponseHeaders;
  /** Headers that only this response has; none of them is in `headers`. */
  readonly ownHeaders?: ResponseHeaders;
  readonly body: string | Uint8Array;
}

/** Copying the pairs of an object that is sent again costs less than making them. */
const prepared = new WeakMap<ResponseHeaders, Readonly<Record<'http1' | 'http2', readonly string[]>>>();

/**
 * Returns alternating names and values of the shared headers, which the caller copies; for HTTP/2 in lower case (RFC 9113 §8.2), after a
 * place for the status.
 */
export function rawHeadersOf({ headers }: OutgoingResponse) {
  let raw = prepared.get(headers);
  if (raw === undefined) {
    const pairs = Object.entries(headers);
    raw = {
      http1: pairs.flat(),
      http2: [':status', '', ...pairs.flatMap(([name, value]) => [name.toLowerCase(), value])],
    };
    prepared.set(headers, raw);
  }
  return raw;
}
