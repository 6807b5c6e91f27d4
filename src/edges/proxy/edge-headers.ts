/** Headers in which a trusted proxy reports the client's connection: the name and the parser of each. */
import { checkJa3, checkJa4 } from '../../client/fingerprint/ja3-ja4.ts';
import {
  checkSha1,
  type ObservedRequest,
  type ObservedTls,
  type Protocol,
  protocols,
  type Transport,
} from '../../core/observed.ts';
import type { EdgeHeaderSet } from '../../core/setting-values.ts';

/** A header that sets a field. `parse` returns null for an empty or invalid value. */
const define = <Value>(field: string, parse: (value: string) => Value | null, description: string) => ({
  field,
  parse,
  description,
});

/** The `x-edge-*` headers. */
export const edgeHeaders = {
  'x-edge-http-version': define(
    'http.protocol',
    parseHttpVersion,
    '`1.0`, `1.1`, `2` or `3`; also `2.0`, `3.0`, and with `HTTP/` before it',
  ),
  'x-edge-tls-version': define(
    'tls.version',
    parseTlsVersion,
    '`TLSv1.3` or `tls1.3`; older versions in the same forms',
  ),
  'x-edge-tls-cipher': define('tls.cipher', parseCipher, 'the cipher suite as the proxy names it'),
  'x-edge-hello-length': define(
    'tls.clientHelloLength',
    parsePositive,
    'bytes of the ClientHello body, without record and handshake headers',
  ),
  'x-edge-ciphers-sha1': define(
    'tls.clientCiphersSha1',
    checkSha1,
    'Base64 of the SHA-1 of the cipher suites as sent, 16-bit big-endian, GREASE included',
  ),
  'x-edge-extensions-sha1': define(
    'tls.clientExtensionsSha1',
    checkSha1,
    'Base64 of the SHA-1 of the extension ids as sent, 16-bit big-endian, GREASE included',
  ),
  'x-edge-ja3': define('ja3', checkJa3, 'the JA3 text, or its MD5 in hex; JA3N is computed from the text'),
  'x-edge-ja4': define('ja4', checkJa4, 'the JA4, not its raw forms'),
  'x-edge-rtt-us': define('network.clientTcpRttMs', parsePositive, 'smoothed TCP RTT, in microseconds'),
  'x-edge-quic-rtt-us': define('network.clientQuicRttMs', parsePositive, 'smoothed QUIC RTT, in microseconds'),
  'x-edge-delivery-rate': define('network.deliveryRateBps', parsePositive, 'delivery rate, in bytes per second'),
};

type EdgeHeaderName = keyof typeof edgeHeaders;

const cloudflareRay = 'cf-ray';
const acceptEncoding = 'accept-encoding';

/** The headers of each set, which the proxy sends and not the client. */
export const edgeHeaderNames: Readonly<Record<EdgeHeaderSet, readonly string[]>> = {
  'x-edge': Object.keys(edgeHeaders),
  // https://developers.cloudflare.com/fundamentals/reference/http-headers/ Last updated: 2026-11-21. Only CF-Ray, which is on
  // every request, is read. Not true-client-ip, which most plans leave to the client.
  cf: [
    acceptEncoding,
    'cdn-loop',
    'cf-connecting-ip',
    'cf-connecting-ipv6',
    'cf-ew-via',
    'cf-ipcountry',
    'cf-pseudo-ipv4',
    cloudflareRay,
    'cf-visitor',
    'cf-worker',
  ],
};

/** Values that the proxies report about the client's connection; null if they report none. */
export function readEdgeFacts(headers: ObservedRequest['headers'], sets: readonly EdgeHeaderSet[]) {
  const [xEdge, cf] = [sets.includes('x-edge'), sets.includes('cf')];
  const read = <Name extends EdgeHeaderName>(name: Name) => {
    const value = xEdge ? headers[name] : undefined;
    return value === undefined
      ? null
      : (edgeHeaders[name].parse(value) as ReturnType<(typeof edgeHeaders)[Name]['parse']>);
  };
  const protocol = read('x-edge-http-version');
  const isQuic = protocol === 'HTTP/3';
  const tls: ObservedTls = {
    // QUIC has no other version (RFC 9001 §4.2), and Caddy 2.6 does not report it.
    version: read('x-edge-tls-version') ?? (isQuic ? 'TLSv1.3' : null),
    cipher: read('x-edge-tls-cipher'),
    clientHelloLength: read('x-edge-hello-length'),
    clientCiphersSha1: read('x-edge-ciphers-sha1'),
    clientExtensionsSha1: read('x-edge-extensions-sha1'),
  };
  const transport: Transport = {
    clientTcpRttMs: isQuic ? null : toMilliseconds(read('x-edge-rtt-us')),
    clientQuicRttMs: isQuic ? toMilliseconds(read('x-edge-quic-rtt-us')) : null,
    deliveryRateBps: read('x-edge-delivery-rate'),
  };
  return {
    protocol,
    tls,
    handshake: {
      clientHello: null,
      http2Frames: null,
      http3Frames: null,
      quic: null,
      headerFields: null,
      tcpSyn: null,
      ja3: read('x-edge-ja3'),
      ja4: read('x-edge-ja4'),
    },
    transport,
    colo: cf ? (/-([A-Z]{3})$/.exec(headers[cloudflareRay] ?? '')?.[1] ?? null) : null,
    // Cloudflare overwrites the client's value.
    acceptEncoding: cf ? null : (headers[acceptEncoding] ?? null),
  };
}

function parseHttpVersion(value: string): Protocol | null {
  const name = `HTTP/${value.replace(/^HTTP\//, '').replace(/^([23])\.0$/, '$1')}`;
  return protocols.find((each) => each === name) ?? null;
}

function parseTlsVersion(value: string): string | null {
  const [, version] = /^TLSv?(1(?:\.[0-3])?)$/i.exec(value) ?? [];
  return version === undefined ? null : `TLSv${version === '1.0' ? '1' : version}`;
}

function parseCipher(value: string): string | null {
  // A proxy that does not know the name sends a number.
  return /^(?!0x)[\w-]{1,64}$/i.test(value) ? value : null;
}

/** Proxies report 0 for an unmeasured value. */
function parsePositive(value: string): number | null {
  return /^[1-9]\d{0,14}$/.test(value) ? Number(value) : null;
}

function toMilliseconds(microseconds: number | null): number | null {
  return microseconds === null ? null : microseconds / 1000;
}
