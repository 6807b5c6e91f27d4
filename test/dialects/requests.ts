/** Requests to dialects: those of the example client, and of one about which nothing is known. */
import assert from 'node:assert/strict';
import type { ObservedRequest } from '../../src/core/observed.ts';
import { unlimited } from '../../src/core/platform.ts';
import { type DialectRequest, subjectOf } from '../../src/dialects/dialect.ts';
import { dialects } from '../../src/dialects/list.ts';
import { helloOf } from '../client/fingerprint/hello-vectors.ts';
import { seenNothing } from '../observed.ts';

/** A client whose address and network are reserved for documentation. */
export const munich: ObservedRequest = {
  ...seenNothing,
  origin: 'https://seenby.example',
  isSecure: true,
  ip: '203.0.113.7',
  port: 38_542,
  location: {
    ...seenNothing.location,
    country: 'DE',
    region: 'Bavaria',
    regionCode: 'BY',
    city: 'Munich',
    postalCode: '80331',
    timezone: 'Europe/Berlin',
    latitude: 48.1374,
    longitude: 11.5755,
  },
  autonomousSystem: { ...seenNothing.autonomousSystem, asn: 64_500, asOrganization: 'Example Net' },
  colo: 'FRA',
  tls: { ...seenNothing.tls, version: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256' },
  protocol: 'HTTP/2',
  acceptEncoding: 'gzip',
  headers: { 'user-agent': 'curl/8.5.0', accept: '*/*', host: 'seenby.example' },
  simulated: false,
};

/** A public client of which the databases know nothing, behind a proxy that reports nothing. */
export const stranger: ObservedRequest = {
  ...seenNothing,
  ip: '2001:4860:4860::8888',
  headers: { host: '192.0.2.1' },
  simulated: false,
};

/** The ClientHello of a Chromium, with a key share of zeros. */
export const chromiumHello = helloOf({
  ciphers: [0xfafa, 0x1301, 0x1302, 0xc02b],
  extensions: [0xfafa, 51, 0, 10, 16, 45, 23, 65281, 27, 13, 11, 43, 0xdada, 21],
  groups: [0xaaaa, 4588, 29, 23, 24],
  pointFormats: [0],
  algorithms: [0x0403, 0x0804],
  versions: [0x2a2a, 0x0304, 0x0303],
  others: {
    0: `0011${'00'}000e${Buffer.from('seenby.example').toString('hex')}`,
    16: '000c02683208687474702f312e31',
    21: '000000',
    27: '020002',
    45: '0101',
    51: `0029${'aaaa000100'}${'001d0020'}${'00'.repeat(32)}`,
    65281: '00',
  },
});

export interface Sent {
  readonly observed?: ObservedRequest;
  readonly query?: string;
  /** The address that the client names. */
  readonly named?: string;
  readonly decision?: DialectRequest['decision'];
}

/** The reply of the row of this path, with its status and media type. */
export function ask(path: string, { observed = munich, query = '', named, decision = unlimited }: Sent = {}) {
  const dialect = dialects.find((each) => each.path === path) ?? assert.fail(`no row for ${path}`);
  const data = { locate: () => munich.location, autonomousSystem: () => munich.autonomousSystem };
  const reply = dialect.shape({
    ...subjectOf(named ?? null, { ...observed, path, query }, data),
    observed: { ...observed, path, query },
    decision,
    isLookup: named !== undefined,
    nowMs: 1_772_941_360_629,
    query: [...new URLSearchParams(query)],
    port: null,
    checkPort: () => assert.fail('a port was checked'),
  });
  assert.ok(!(reply instanceof Promise));
  const answer = typeof reply === 'string' ? { body: reply } : reply;
  return { status: 200, mediaType: dialect.mediaType, ...answer };
}

export const bodyOf = (path: string, sent: Sent = {}): string => ask(path, sent).body;

// biome-ignore lint/suspicious/noExplicitAny: the shape of another service has no type here
export const jsonOf = (path: string, sent: Sent = {}): any => JSON.parse(bodyOf(path, sent));
