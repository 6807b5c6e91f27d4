/** The lookups of a domain report: all usual records in one, and the location of the first address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressData } from '../../src/core/platform.ts';
import { DomainRecords } from '../../src/lookups/domain/domain-records.ts';
import { domainAddress, domainRecords } from '../../src/lookups/list.ts';
import { seenAll } from '../observed.ts';
import { resolverOf, type Zones } from './dns/zones.ts';

const addressData: AddressData = {
  locate: () => seenAll.location,
  autonomousSystem: () => seenAll.autonomousSystem,
};
const zones: Zones = {
  'A example.com': ['8.8.8.8', '9.9.9.9'],
  'AAAA example.com': ['2001:4860:4860::8888'],
  'NS example.com': ['ns.example.net'],
  'A private.example': ['10.0.0.1'],
  'AAAA private.example': [],
  'A empty.example': [],
  'AAAA empty.example': [],
  'A broken.example': 'SERVFAIL',
  'AAAA broken.example': [],
  'A half.example': ['9.9.9.9'],
  'AAAA half.example': 'SERVFAIL',
};

test('queries all usual records', async () => {
  const { platform, queried } = resolverOf(zones);
  const found = await domainRecords.lookUp([['name', ' Example.COM ']], { platform, baseUrl: null });
  assert.deepEqual(DomainRecords.parse(found), found);
  assert.deepEqual(
    queried.toSorted(),
    [
      ...['A', 'AAAA', 'CAA', 'DS', 'HTTPS', 'MX', 'NS', 'TXT'].map((type) => `${type} example.com`),
      ...['CAA com', 'TXT _dmarc.com', 'TXT _dmarc.example.com'],
    ].toSorted(),
  );
  const { name, records } = found;
  assert.equal(name, 'example.com');
  assert.deepEqual(
    records.map(({ type, answer }) => [type, answer?.records.length]),
    [
      ['A', 2],
      ['AAAA', 1],
      ['MX', 0],
      ['NS', 1],
      ['TXT', 0],
      ['HTTPS', 0],
      ['DS', 0],
    ],
  );
});

test('locates the first address, and rejects a domain without a public one', async () => {
  const { platform } = resolverOf(zones, { addressData });
  const lookUp = (name: string) => domainAddress.lookUp([['name', name]], { platform, baseUrl: null });
  assert.deepEqual([(await lookUp('example.com')).ip, (await lookUp('example.com')).city], ['8.8.8.8', 'Oslo']);
  await assert.rejects(lookUp('private.example'), { code: 'blocked_address' });
  await assert.rejects(lookUp('missing.example'), {
    code: 'target_unreachable',
    message: /does not exist \(NXDOMAIN\)/,
  });
  await assert.rejects(lookUp('empty.example'), { code: 'target_unreachable', message: /has no IP address/ });
  await assert.rejects(lookUp('broken.example'), { code: 'upstream_error', message: /SERVFAIL/ });
  // The address that is known suffices.
  assert.equal((await lookUp('half.example')).ip, '9.9.9.9');
});
