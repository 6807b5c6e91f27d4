/** Layout of the tests of `me`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortenTests, testRows } from '../../../src/cli/layouts/client-tests.ts';
import { type ClientTests, notOffered } from '../../../src/cli/me/client-tests.ts';

const telenor = { ip: '192.0.2.9', asn: 2119, asOrganization: 'Telenor Norge AS' };
const resolverAt = (address: string) => ({
  address,
  ipVersion: 4 as const,
  asn: 13335,
  asOrganization: 'Cloudflare, Inc.',
  country: 'NO',
  city: 'Oslo',
  transports: ['udp' as const],
  ednsBufferBytes: 1232,
  dnssecOk: true,
  cookie: false,
  clientSubnets: [],
  mixedCase: false,
  minimizesNames: true,
  queryTypes: ['A'],
});
const addresses = ['172.70.0.1', '172.70.0.2', '172.70.0.3', '172.70.0.4', '172.70.0.5'];
const tested: ClientTests = {
  resolver: {
    reason: null,
    zone: 'dns.seenby.example',
    resolvers: addresses.map(resolverAt),
    truncated: false,
    limited: false,
  },
  udp: {
    reason: null,
    addresses: [
      { ip: '192.0.2.1', port: 50_000 },
      { ip: '2001:db8::1', port: 50_001 },
    ],
    isMappedByDestination: false,
    mappingReason: null,
  },
  roundTrips: { reason: null, tcpMs: 0.352, tlsMs: 14.2, tlsResumed: false, http2Ms: null, pingMs: null, quicMs: null },
};

test('shows the round trips, who answers, the first addresses, and the addresses of UDP', () => {
  assert.deepEqual(testRows(tested, telenor), [
    ['Round trips', 'TCP 0.35 ms, TLS handshake 14 ms'],
    [
      'Resolver',
      ['Another provider: Cloudflare, Inc. (AS13335)', '172.70.0.1, 172.70.0.2, 172.70.0.3, 172.70.0.4, and 1 more'],
    ],
    ['Your network', ['Not disclosed to this site', '']],
    ['DNSSEC', ['The resolver requests signatures', '']],
    ['UDP', ['192.0.2.1 port 50000', '2001:db8::1 port 50001']],
    ['UDP ports', 'The same port for both destinations'],
  ]);
});

test('states the mapping only if it is known, or why it is not', () => {
  const mappingOf = (isMappedByDestination: boolean | null, mappingReason: string | null = null) => {
    const udp = { reason: null, addresses: [{ ip: '192.0.2.1', port: 1 }], isMappedByDestination, mappingReason };
    return new Map(testRows({ ...tested, udp }, telenor)).get('UDP ports');
  };
  assert.deepEqual(mappingOf(true), 'A different port for each destination');
  assert.deepEqual(mappingOf(null), undefined);
  assert.deepEqual(mappingOf(null, 'no response'), 'Not compared: no response');
});

test('gives the reason where there is no result', () => {
  const resolver = { reason: 'no DNS query reached this service' };
  const unmeasured = { tcpMs: null, tlsMs: null, tlsResumed: null, http2Ms: null, pingMs: null, quicMs: null };
  const without = { resolver, udp: notOffered, roundTrips: { reason: null, ...unmeasured } };
  assert.deepEqual(testRows(without, telenor), [
    ['Round trips', '- (not measured: a proxy is in front, or the service was busy)'],
    ['Resolver', '- (no DNS query reached this service)'],
    ['UDP', '- (not offered by this service)'],
  ]);
  assert.deepEqual(testRows({ ...without, roundTrips: notOffered }, telenor)[0], [
    'Round trips',
    '- (not offered by this service)',
  ]);
  assert.equal(shortenTests(without), 'resolver - · UDP -');
});

test('has a part for each test, and none if the service offers none', () => {
  assert.equal(shortenTests(tested), `resolver ${addresses.join(', ')} · UDP 192.0.2.1:50000, [2001:db8::1]:50001`);
  assert.equal(shortenTests({ resolver: notOffered, udp: notOffered }), '');
});
