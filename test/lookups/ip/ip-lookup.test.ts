/** IP address lookups, with databases and a resolver of the test. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressData } from '../../../src/core/platform.ts';
import { IpLookup, ipLookup } from '../../../src/lookups/ip/ip-lookup.ts';
import { seenAll } from '../../observed.ts';
import { resolverOf, type Zones } from '../dns/zones.ts';

const addressData: AddressData = {
  locate: (ip) => ({ ...seenAll.location, city: `City of ${ip}` }),
  autonomousSystem: () => seenAll.autonomousSystem,
};
const ptr = 'PTR 8.8.8.8.in-addr.arpa';
const zones: Zones = { [ptr]: ['dns.example'], 'A dns.example': ['8.8.8.8'] };
const lookUp = (q: string, known: Zones = zones, data: AddressData | null = addressData) =>
  ipLookup(q, resolverOf(known, { addressData: data }).platform, 'Seenby/1.0');

test('returns location, network and host name in one object', async () => {
  const found = await lookUp('8.8.8.8');
  const { asn, asOrganization } = seenAll.autonomousSystem;
  assert.deepEqual(IpLookup.strict().parse(found), found);
  assert.deepEqual(found, {
    ...seenAll.location,
    city: 'City of 8.8.8.8',
    ip: '8.8.8.8',
    asn,
    asOrganization,
    colo: null,
    ipVersion: 4,
    hostname: 'dns.example',
  });
});

test('accepts every notation of a public address', async () => {
  for (const [q, ip, version] of [
    [' 8.8.8.8 ', '8.8.8.8', 4],
    ['::ffff:8.8.8.8', '8.8.8.8', 4],
    ['2001:4860:4860:0:0:0:0:8888', '2001:4860:4860::8888', 6],
    ['[2001:4860:4860::8888]', '2001:4860:4860::8888', 6],
  ] as const) {
    const found = await lookUp(q);
    assert.deepEqual([found.ip, found.ipVersion], [ip, version]);
  }
});

test('has no host name if DNS fails or confirms none', async () => {
  for (const known of [{}, { [ptr]: 'timeout' }, { [ptr]: 'unreachable' }, { [ptr]: 'SERVFAIL' }] as const)
    assert.equal((await lookUp('8.8.8.8', known)).hostname, null);
});

test('rejects what is not one public address, and platforms without databases', async () => {
  for (const q of ['', 'example.com', '8.8.8.0/24', '8.8.8', '[8.8.8.8]', '[::1', 'AS15169', '8.8.8.8 9.9.9.9'])
    await assert.rejects(lookUp(q), { code: 'invalid_query' });
  for (const q of [
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '::1',
    '[2001:db8::1]',
    'fe80::1',
    '::ffff:10.0.0.1',
    '203.0.113.7',
  ])
    await assert.rejects(lookUp(q), { code: 'blocked_address' });
  await assert.rejects(lookUp('8.8.8.8', zones, null), { code: 'no_database' });
  await assert.rejects(lookUp('10.0.0.1', zones, null), { code: 'blocked_address' });
});
