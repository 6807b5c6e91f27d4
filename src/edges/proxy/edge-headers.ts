/** Headers in which a trusted proxy reports the client's connection: the name and the parser of each. */
import { parseJa3 } from '../../client/fingerprint/ja3.ts';
import { parseJa4 } from '../../client/fingerprint/ja4.ts';
import { type ObservedRequest, type Protocol, parseSha1, protocols, unobserved } from '../../core/observed.ts';
import type { EdgeHeaderSet } from '../../core/setting-values.ts';

/** Proxies report 0 for an unmeasured value. */
const parsePositive = (value: string): number | null => (/^[1-9]\d{0,14}$/.test(value) ? Number(value) : null);

/** The `x-edge-*` headers with their parsers, which return null for an empty or invalid value; docs/deploy/proxies.md has their fields. */
const parsers = {
  'x-edge-http-version': parseHttpVersion,
  'x-edge-tls-version': parseTlsVersion,
  'x-edge-tls-cipher': parseCipher,
  'x-edge-hello-length': parsePositive,
  'x-edge-ciphers-sha1': parseSha1,
  'x-edge-extensions-sha1': parseSha1,
  'x-edge-ja3': parseJa3,
  'x-edge-ja4': parseJa4,
  'x-edge-rtt-us': parsePositive,
  'x-edge-quic-rtt-us': parsePositive,
  'x-edge-delivery-rate': parsePositive,
};

/** The headers of each set, which the proxy sends and not the client. */
export const edgeHeaderNames: Readonly<Record<EdgeHeaderSet, readonly string[]>> = {
  'x-edge': Object.keys(parsers),
  // https://developers.cloudflare.com/fundamentals/reference/http-headers/ Last updated: 2026-11-21. Only CF-Ray, which is on
  // every request, is read. Not true-client-ip, which most plans leave to the client.
  cf: (
    'accept-encoding cdn-loop cf-connecting-ip cf-connecting-ipv6 cf-ew-via cf-ipcountry cf-pseudo-ipv4 cf-ray cf-visitor ' +
    'cf-worker'
  ).split(' '),
};

/** Values that the proxies report about the client's connection; null if they report none. */
export function readEdgeFacts(headers: ObservedRequest['headers'], sets: readonly EdgeHeaderSet[]) {
  const xEdge = sets.includes('x-edge');
  const cf = sets.includes('cf');
  const read = <Name extends keyof typeof parsers>(name: Name) => {
    const value = xEdge ? headers[name] : undefined;
    return value === undefined ? null : (parsers[name](value) as ReturnType<(typeof parsers)[Name]>);
  };
  const protocol = read('x-edge-http-version');
  const isQuic = protocol === 'HTTP/3';
  return {
    protocol,
    tls: {
      // QUIC has no other version (RFC 9001 §4.2), and Caddy 2.6 does not report it.
      version: read('x-edge-tls-version') ?? (isQuic ? 'TLSv1.3' : null),
      cipher: read('x-edge-tls-cipher'),
      clientHelloLength: read('x-edge-hello-length'),
      clientCiphersSha1: read('x-edge-ciphers-sha1'),
      clientExtensionsSha1: read('x-edge-extensions-sha1'),
    },
    handshake: {
      ...unobserved.handshake,
      ja3: read('x-edge-ja3'),
      ja4: read('x-edge-ja4'),
    },
    // A proxy reports nothing of this, and the connection from it is not the client's.
    layers: unobserved.layers,
    ping: null,
    requestNumber: null,
    transport: {
      clientTcpRttMs: isQuic ? null : toMilliseconds(read('x-edge-rtt-us')),
      clientQuicRttMs: isQuic ? toMilliseconds(read('x-edge-quic-rtt-us')) : null,
      deliveryRateBps: read('x-edge-delivery-rate'),
    },
    colo: cf ? (/-([A-Z]{3})$/.exec(headers['cf-ray'] ?? '')?.[1] ?? null) : null,
    // Cloudflare overwrites the client's value.
    acceptEncoding: cf ? null : (headers['accept-encoding'] ?? null),
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

const toMilliseconds = (microseconds: number | null): number | null => microseconds && microseconds / 1000;
