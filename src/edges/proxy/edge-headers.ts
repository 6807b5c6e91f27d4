/** What proxies say in headers of their own about a caller's connection: each name, and how its value is read. */
import type { ObservedRequest, ObservedTls, Transport } from '../../core/observed.ts';
import type { EdgeHeaderSet } from '../../core/settings.ts';

interface EdgeHeader<Value> {
  /** The field that it fills. */
  readonly fills: string;
  readonly sentence: string;
  /** Null for a value that is empty or none: nothing is made of it. */
  readonly parse: (value: string) => Value | null;
}

const edgeHeader = <Value>(row: EdgeHeader<Value>): EdgeHeader<Value> => row;

/** The vocabulary of `x-edge-*`. */
export const edgeHeaders = {
  'x-edge-http-version': edgeHeader({
    fills: 'http.protocol',
    sentence: '`1.0`, `1.1`, `2` or `3`; also `2.0`, `3.0`, and with `HTTP/` before it',
    parse: httpVersion,
  }),
  'x-edge-tls-version': edgeHeader({
    fills: 'tls.version',
    sentence: '`TLSv1.3` or `tls1.3`, and the older ones in the same way',
    parse: tlsVersion,
  }),
  'x-edge-tls-cipher': edgeHeader({
    fills: 'tls.cipher',
    sentence: 'the cipher suite as the proxy names it',
    parse: cipher,
  }),
  'x-edge-hello-length': edgeHeader({
    fills: 'tls.clientHelloLength',
    sentence: 'bytes of the ClientHello body, without record and handshake headers',
    parse: positive,
  }),
  'x-edge-ciphers-sha1': edgeHeader({
    fills: 'tls.clientCiphersSha1',
    sentence: 'Base64 of the SHA-1 of the cipher suites as sent, 16-bit big-endian, GREASE included',
    parse: sha1,
  }),
  'x-edge-extensions-sha1': edgeHeader({
    fills: 'tls.clientExtensionsSha1',
    sentence: 'the same of the extension ids',
    parse: sha1,
  }),
  'x-edge-rtt-us': edgeHeader({
    fills: 'network.clientTcpRttMs',
    sentence: 'smoothed round trip of TCP, in microseconds',
    parse: positive,
  }),
  'x-edge-quic-rtt-us': edgeHeader({
    fills: 'network.clientQuicRttMs',
    sentence: 'smoothed round trip of QUIC, in microseconds',
    parse: positive,
  }),
  'x-edge-delivery-rate': edgeHeader({
    fills: 'network.deliveryRateBps',
    sentence: 'delivery rate, in bytes per second',
    parse: positive,
  }),
} as const;

type EdgeHeaderName = keyof typeof edgeHeaders;

const cloudflareRay = 'cf-ray';
const acceptEncoding = 'accept-encoding';

/** The headers of each set that are the proxy's and not the client's. */
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

/** What the proxies saw of the caller's connection; null what they do not say. */
export type EdgeFacts = Pick<ObservedRequest, 'acceptEncoding' | 'colo' | 'protocol' | 'tls' | 'transport'>;

export function edgeFacts(headers: ObservedRequest['headers'], sets: readonly EdgeHeaderSet[]): EdgeFacts {
  const [xEdge, cf] = [sets.includes('x-edge'), sets.includes('cf')];
  const read = <Name extends EdgeHeaderName>(name: Name) => {
    const { parse } = edgeHeaders[name] as EdgeHeader<NonNullable<ReturnType<(typeof edgeHeaders)[Name]['parse']>>>;
    const value = xEdge ? headers[name] : undefined;
    return value === undefined ? null : parse(value);
  };
  const protocol = read('x-edge-http-version');
  const isQuic = protocol === 'HTTP/3';
  const tls: ObservedTls = {
    // QUIC has no other (RFC 9001 §4.2), and Caddy 2.6 cannot name it.
    version: read('x-edge-tls-version') ?? (isQuic ? 'TLSv1.3' : null),
    cipher: read('x-edge-tls-cipher'),
    clientHelloLength: read('x-edge-hello-length'),
    clientCiphersSha1: read('x-edge-ciphers-sha1'),
    clientExtensionsSha1: read('x-edge-extensions-sha1'),
  };
  const transport: Transport = {
    clientTcpRttMs: isQuic ? null : milliseconds(read('x-edge-rtt-us')),
    clientQuicRttMs: isQuic ? milliseconds(read('x-edge-quic-rtt-us')) : null,
    deliveryRateBps: read('x-edge-delivery-rate'),
  };
  return {
    protocol,
    tls,
    transport,
    colo: cf ? (/-([A-Z]{3})$/.exec(headers[cloudflareRay] ?? '')?.[1] ?? null) : null,
    // Cloudflare writes its own over the client's.
    acceptEncoding: cf ? null : (headers[acceptEncoding] ?? null),
  };
}

const protocols: ReadonlyMap<string, ObservedRequest['protocol']> = new Map([
  ['1.0', 'HTTP/1.0'],
  ['1.1', 'HTTP/1.1'],
  ['2', 'HTTP/2'],
  ['2.0', 'HTTP/2'],
  ['3', 'HTTP/3'],
  ['3.0', 'HTTP/3'],
]);

function httpVersion(value: string): ObservedRequest['protocol'] {
  return protocols.get(value.replace(/^HTTP\//, '')) ?? null;
}

function tlsVersion(value: string): string | null {
  const [, version] = /^TLSv?(1(?:\.[0-3])?)$/i.exec(value) ?? [];
  return version === undefined ? null : `TLSv${version === '1.0' ? '1' : version}`;
}

function cipher(value: string): string | null {
  // A number stands where the proxy knows no name.
  return /^(?!0x)[\w-]{1,64}$/i.test(value) ? value : null;
}

function sha1(value: string): string | null {
  return /^[A-Za-z\d+/]{27}=$/.test(value) ? value : null;
}

/** An unmeasured value is 0 in many places. */
function positive(value: string): number | null {
  return /^[1-9]\d{0,14}$/.test(value) ? Number(value) : null;
}

function milliseconds(microseconds: number | null): number | null {
  return microseconds === null ? null : microseconds / 1000;
}
