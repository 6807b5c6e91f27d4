/** The exports of the light library: who is calling, what stands out in headers, and how they are graded. No server, no databases. */

import { akamai } from '../client/fingerprint/akamai.ts';
import { parseWholeClientHello } from '../client/fingerprint/client-hello.ts';
import { parseHttp2Preface } from '../client/fingerprint/http2.ts';
import { ja3 } from '../client/fingerprint/ja3.ts';
import { ja4 } from '../client/fingerprint/ja4.ts';

export { kinds } from '../client/kinds.ts';
export { parseUserAgent, userAgent } from '../client/user-agent.ts';
export { headerTraits } from '../traits/header-traits.ts';
export { grade } from './headers-check/grade.ts';
export { summarize } from './rdap/summary.ts';

/** JA3, JA3N and JA4 of a ClientHello body, which is without record and handshake headers; null if it is malformed. */
export function tlsFingerprints(clientHello: Uint8Array) {
  const hello = parseWholeClientHello(clientHello);
  return hello && { ...ja3(hello), ...ja4(hello) };
}

/**
 * The Akamai fingerprint of an HTTP/2 connection, from its first bytes (preface and frames up to the first HEADERS) and the names of the
 * first request's pseudo-headers in order; null if the bytes are no HTTP/2.
 */
export function http2Fingerprint(bytes: Uint8Array, pseudoHeaders: readonly string[]) {
  const preface = parseHttp2Preface(bytes);
  return preface && akamai(preface, pseudoHeaders);
}
