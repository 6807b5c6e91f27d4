/** The queries of a domain report: the climbs for DMARC and CAA, and what is not known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDnsClient } from '../../../src/lookups/dns/dns-lookup.ts';
import { caaNames, caaOf, domainRecordsOf } from '../../../src/lookups/domain/domain-records.ts';
import { resolverOf, type Zones } from '../dns/zones.ts';

const lookUp = async (name: string, zones: Zones) => {
  const { platform, queried } = resolverOf(zones);
  return { queried, found: await domainRecordsOf(name, createDnsClient(platform, 'Seenby/0 (test)')) };
};
const caa = [{ flags: 0, tag: 'issue', value: 'ca.example' }] as unknown as readonly string[];

test('climbs from the name only if it has no record itself', async () => {
  const own = await lookUp('www.example.com', {
    'CAA www.example.com': caa,
    'TXT _dmarc.www.example.com': ['v=DMARC1; p=reject'],
  });
  assert.deepEqual(
    own.queried.filter((query) => /CAA|_dmarc/.test(query)),
    ['CAA www.example.com', 'TXT _dmarc.www.example.com'],
  );
  const parents = await lookUp('www.example.com', { 'CAA example.com': caa });
  assert.deepEqual(parents.queried.filter((query) => /CAA|_dmarc/.test(query)).toSorted(), [
    'CAA com',
    'CAA example.com',
    'CAA www.example.com',
    'TXT _dmarc.com',
    'TXT _dmarc.example.com',
    'TXT _dmarc.www.example.com',
  ]);
  const result = caaOf(parents.found);
  assert.deepEqual([result.kind, result.kind === 'found' && result.finding.name], ['found', 'example.com']);
});

test('CAA is not known after a failed answer on the way, and found below it', async () => {
  const failed = await lookUp('www.example.com', { 'CAA example.com': 'SERVFAIL', 'CAA com': caa });
  assert.equal(caaOf(failed.found).kind, 'unknown');
  const below = await lookUp('www.example.com', { 'CAA example.com': caa, 'CAA com': 'timeout' });
  assert.equal(caaOf(below.found).kind, 'found');
  assert.equal(caaOf((await lookUp('www.example.com', {})).found).kind, 'none');
});

test('climbs at most ten names for CAA, and then does not know', async () => {
  const name = 'a.b.c.d.e.f.g.h.i.j.k';
  assert.equal(caaNames(name).length, 10);
  const { found, queried } = await lookUp(name, {});
  assert.equal(queried.filter((query) => query.startsWith('CAA ')).length, 10);
  assert.equal(queried.filter((query) => query.includes('_dmarc')).length, 8);
  assert.equal(caaOf(found).kind, 'unknown');
});

test('keeps what is known if some queries fail, and rejects if none has an answer', async () => {
  const { found } = await lookUp('example.com', {
    'A example.com': ['8.8.8.8'],
    'MX example.com': 'SERVFAIL',
    'NS example.com': 'timeout',
  });
  assert.deepEqual(
    found.records.map(({ type, failure }) => [type, failure === null]),
    [
      ['A', true],
      ['AAAA', true],
      ['MX', false],
      ['NS', false],
      ['TXT', true],
      ['HTTPS', true],
      ['DS', true],
    ],
  );
  const down = new Proxy({}, { get: () => 'unreachable' }) as Zones;
  await assert.rejects(lookUp('example.com', down), { code: 'upstream_error' });
  await assert.rejects(lookUp('8.8.8.8', {}), { code: 'invalid_query' });
});
