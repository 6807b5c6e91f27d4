/** Fingerprints of TLS and HTTP/2 from the bytes of a connection. */
import { akamai } from '../../client/fingerprint/akamai.ts';
import { parseWholeClientHello } from '../../client/fingerprint/client-hello.ts';
import { parseHttp2Preface } from '../../client/fingerprint/http2.ts';
import { ja3 } from '../../client/fingerprint/ja3.ts';
import { ja4 } from '../../client/fingerprint/ja4.ts';
import { bytesArgument, textsArgument } from './arguments.ts';

/** JA3, JA3N and JA4 of a ClientHello body, which is without record and handshake headers; null if it is malformed. */
export function tlsFingerprints(clientHello: Uint8Array) {
  const hello = parseWholeClientHello(bytesArgument(clientHello, 'tlsFingerprints: the ClientHello'));
  return hello && { ...ja3(hello), ...ja4(hello) };
}

/**
 * The Akamai fingerprint of an HTTP/2 connection, from its first bytes (preface and frames up to the first HEADERS) and the names of the
 * first request's pseudo-headers in order; null if the bytes are not HTTP/2.
 */
export function http2Fingerprint(bytes: Uint8Array, pseudoHeaders: readonly string[]) {
  const preface = parseHttp2Preface(bytesArgument(bytes, 'http2Fingerprint: the bytes'));
  const names = textsArgument(pseudoHeaders, 'http2Fingerprint: the pseudo-headers');
  return preface && akamai(preface, names);
}
