/** The queries of a domain report: the climbs for DMARC and CAA, and what is not known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from 'dns-packet';
import { renderDomainRecords } from '../../../src/http/page/lookup/domain.ts';
import { createDnsClient } from '../../../src/lookups/dns/dns-lookup.ts';
import { caaNames, caaOf, domainRecordsOf, firstAddressOf } from '../../../src/lookups/domain/domain-records.ts';
import { encodeResponse } from '../dns/messages.ts';
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

test('follows the names of an SPF record, each once, level by level', async () => {
  const { queried, found } = await lookUp('example.com', {
    'TXT example.com': ['v=spf1 a mx include:one.example include:one.example redirect=two.example'],
    'A example.com': ['192.0.2.1'],
    'TXT one.example': ['v=spf1 exists:three.example include:four.example -all'],
    'A three.example': ['192.0.2.3'],
    'TXT two.example': 'SERVFAIL',
  });
  const own = queried.filter((query) => /one|two|three|four/.test(query));
  // A failure without a reason is repeated without validation.
  assert.deepEqual(own, [
    'TXT one.example',
    'TXT two.example',
    'TXT two.example',
    'A three.example',
    'TXT four.example',
  ]);
  assert.deepEqual(
    found.spf.map(({ type, name }) => `${type} ${name}`),
    ['TXT one.example', 'TXT two.example', 'A three.example', 'TXT four.example'],
  );
  assert.equal(queried.filter((query) => /^(?:A|MX) example\.com$/.test(query)).length, 2);
  const limited = Array.from({ length: 12 }, (_, at) => `include:n${at}.example`).join(' ');
  const many = await lookUp('example.com', { 'TXT example.com': [`v=spf1 ${limited} -all`] });
  assert.equal(many.queried.filter((query) => /TXT n\d/.test(query)).length, 10);
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

test('concludes no absence from an answer that omits records', async () => {
  const many = Array.from({ length: 100 }, (_, at) => `text ${at}`);
  const long = 'x'.repeat(33_000);
  const zones = {
    'A www.example.com': ['192.0.2.1'],
    ...Object.fromEntries(['AAAA', 'MX', 'NS', 'DS'].map((type) => [`${type} www.example.com`, []])),
    'TXT www.example.com': [...many, 'v=spf1 -all'],
    'CAA www.example.com': [{ flags: 0, tag: 'issue', value: long }] as unknown as readonly string[],
    // An HTTPS record with one parameter of 33,000 octets.
    'HTTPS www.example.com': [Buffer.from(`\0\u0001\0\0\u0007\u0080\u00e8${long}`, 'latin1')] as never,
    'TXT _dmarc.www.example.com': [...many, 'v=DMARC1; p=reject'],
    'TXT _dmarc.example.com': ['v=DMARC1; p=none'],
  };
  const textOf = async (changed: Zones): Promise<string> => {
    const { found } = await lookUp('www.example.com', { ...zones, ...changed });
    return `${renderDomainRecords(found).content}`.replaceAll(/(?:<[^>]+>|\s)+/g, ' ');
  };
  const text = await textOf({});
  assert.match(text, /the DMARC record of _dmarc\.www\.example\.com could not be read.*not read: 1\./);
  assert.match(text, /SPF could not be read either/);
  assert.match(text, /Not known TXT, HTTPS, CAA: The records exceed the limits of this service; not read: 1/);
  assert.match(text, /Not published AAAA, MX, NS Mail/);
  assert.doesNotMatch(text, /There is no SPF|No SPF|no DMARC|None here or above/);
  // Another record may contradict the only one that was read.
  assert.match(await textOf({ 'TXT www.example.com': ['v=spf1 -all', ...many] }), /SPF could not be read either/);
  assert.match(
    await textOf({ 'TXT www.example.com': ['v=spf1 -all', ...many], 'TXT _dmarc.www.example.com': [] }),
    /SPF could not be read\. The records exceed/,
  );
  // Several records are ignored, however many more there are.
  assert.match(
    await textOf({ 'TXT _dmarc.www.example.com': ['v=DMARC1; p=reject', 'v=DMARC1; p=none', ...many] }),
    /Several DMARC records at _dmarc\.www\.example\.com/,
  );
});

test('a domain whose address records are too long for the answer may have an address', async () => {
  const { platform } = resolverOf(
    {},
    {
      async fetch({ body }) {
        const [{ name = '', type = 'A' } = {}] = decode(Buffer.from(body ?? [])).questions ?? [];
        const record = { name, type: 'UNKNOWN_1', ttl: 60, data: Buffer.alloc(20_000) };
        const response = encodeResponse({ name, type: type as 'A' | 'AAAA', answers: [record as never] });
        const headers = { 'content-type': 'application/dns-message' };
        return { status: 200, headers, setCookies: [], body: response };
      },
    },
  );
  await assert.rejects(firstAddressOf('example.com', createDnsClient(platform, 'Seenby/0 (test)')), {
    code: 'upstream_error',
    message: /not read: 1/,
  });
});

test('a domain without an address exists if one of its queries says so', async () => {
  for (const [zones, message] of [
    [{}, /does not exist/],
    [{ 'A example.com': [] }, /has no IP address/],
  ] as const) {
    const { platform } = resolverOf(zones);
    const client = createDnsClient(platform, 'Seenby/0 (test)');
    await assert.rejects(firstAddressOf('example.com', client), { code: 'target_unreachable', message });
  }
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
