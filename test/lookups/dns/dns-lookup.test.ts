/** DNS lookups against resolvers that answer, fail, hang and lie. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from 'dns-packet';
import * as z from 'zod';
import { ServiceError } from '../../../src/core/errors.ts';
import type { OutboundRequest, OutboundResult } from '../../../src/core/platform.ts';
import { DnsAnswer } from '../../../src/lookups/dns/answer.ts';
import { addressesOf, dnsLookup } from '../../../src/lookups/dns/dns-lookup.ts';
import type { DnsType } from '../../../src/lookups/dns/record.ts';
import { platformOf } from '../../platform.ts';
import { answer, compressedAnswer, type Said } from './messages.ts';

const userAgent = 'Seenby/0 (test)';
const first = 'https://one.resolver.example/dns-query';
const second = 'https://two.resolver.example:8443/dns-query';

const dnsMessage = (body: Uint8Array, status = 200, contentType = 'application/dns-message'): OutboundResult => ({
  status,
  headers: { 'content-type': contentType },
  setCookies: [],
  body,
});

/** A platform whose resolvers answer in turn; each request takes `takesMs`, and `requests` keeps them. */
function resolving(results: (OutboundResult | ((request: OutboundRequest) => OutboundResult))[], takesMs = 10) {
  const requests: OutboundRequest[] = [];
  let now = 1000;
  const platform = platformOf({
    resolvers: [first, second],
    now: () => now,
    async fetch(request) {
      requests.push(request);
      const result = results[requests.length - 1];
      assert.ok(result !== undefined, 'one request too many');
      const given = typeof result === 'function' ? result(request) : result;
      now += 'failure' in given && given.failure === 'timeout' ? request.timeoutMs : takesMs;
      return given;
    },
  });
  return { platform, requests };
}

async function lookup(...said: Said[]): Promise<DnsAnswer> {
  const [{ name, type }] = said as [Said];
  const { platform, requests } = resolving(said.map((one) => dnsMessage(compressedAnswer(one))));
  const answered = await dnsLookup(name, type, platform, userAgent);
  assert.equal(requests.length, said.length);
  assert.deepEqual(DnsAnswer.strict().parse(answered), answered);
  return answered;
}

const refused = (asking: Promise<unknown>, code: string, message: RegExp) =>
  assert.rejects(
    asking,
    (error) => error instanceof ServiceError && error.code === code && message.test(error.message),
  );

const name = 'www.example.com';
const a = (owner = name, ttl = 300, data = '192.0.2.1') => ({ name: owner, type: 'A' as const, ttl, data });
const cname = (owner: string, data: string, ttl = 300) => ({ name: owner, type: 'CNAME' as const, ttl, data });
const soa = (zone: string, ttl = 3600, minimum = 900) => ({
  name: zone,
  type: 'SOA' as const,
  ttl,
  data: { mname: 'ns.example.com', rname: 'admin.example.com', serial: 1, refresh: 2, retry: 3, expire: 4, minimum },
});

test('asks the first resolver by POST with three headers, and says what it answered', async () => {
  const { platform, requests } = resolving([
    dnsMessage(answer({ name, type: 'A', dnssec: true, answers: [a(), a(name, 200, '192.0.2.2')] })),
  ]);
  assert.deepEqual(await dnsLookup(' WWW.example.com.', 'A', platform, userAgent), {
    name,
    type: 'A',
    status: 'NOERROR',
    exists: true,
    records: [
      { name, type: 'A', ttl: 300, data: '192.0.2.1', mx: null, txt: null, caa: null, soa: null },
      { name, type: 'A', ttl: 200, data: '192.0.2.2', mx: null, txt: null, caa: null, soa: null },
    ],
    cnameChain: [],
    ttl: 200,
    dnssec: true,
    note: null,
    resolver: 'one.resolver.example',
  });
  const [{ body, ...request }] = requests as [OutboundRequest];
  assert.deepEqual(request, {
    method: 'POST',
    url: first,
    headers: { Accept: 'application/dns-message', 'Content-Type': 'application/dns-message', 'User-Agent': userAgent },
    timeoutMs: 2500,
    maxBodyBytes: 65_535,
  });
  assert.deepEqual(decode(Buffer.from(body ?? [])).questions, [{ name, type: 'A', class: 'IN' }]);
});

test('tells a name that does not exist from one that has other records only', async () => {
  const missing = await lookup({
    name,
    type: 'MX',
    status: 'NXDOMAIN',
    dnssec: true,
    authorities: [soa('example.com')],
  });
  assert.deepEqual(
    [missing.status, missing.exists, missing.ttl, missing.dnssec, missing.note],
    [
      'NXDOMAIN',
      false,
      900,
      true,
      'www.example.com does not exist (NXDOMAIN), says the zone example.com: it has no records of any type. Resolvers may remember this for 900 seconds.',
    ],
  );
  const noData = await lookup({ name, type: 'MX', authorities: [soa('example.com', 60)] });
  assert.deepEqual(
    [noData.status, noData.exists, noData.ttl, noData.records, noData.note],
    [
      'NOERROR',
      true,
      60,
      [],
      'www.example.com exists but has no MX record: it has only records of other types or names below it. Resolvers may remember this for 60 seconds.',
    ],
  );
  const unexplained = await lookup({ name, type: 'MX', status: 'NXDOMAIN' });
  assert.deepEqual(
    [unexplained.ttl, unexplained.note],
    [null, 'www.example.com does not exist (NXDOMAIN): it has no records of any type.'],
  );
});

test('follows aliases in any order and letter case, and minds no records of other names', async () => {
  const answered = await lookup({
    name,
    type: 'A',
    answers: [
      a('other.example.com', 1, '192.0.2.9'),
      a('B.example.net', 100),
      cname('A.example.com', 'b.EXAMPLE.net', 50),
      cname('WWW.example.com', 'a.example.com', 400),
      cname('stray.example.com', 'b.example.net', 1),
    ],
  });
  assert.deepEqual(answered.cnameChain, ['a.example.com', 'b.EXAMPLE.net']);
  assert.deepEqual(
    answered.records.map(({ data }) => data),
    ['192.0.2.1'],
  );
  assert.equal(answered.ttl, 50);
  assert.equal(answered.note, 'www.example.com is an alias (CNAME) of b.EXAMPLE.net, which has these records.');
  const unasked = await lookup({ name, type: 'A', answers: [a('other.example.com')] });
  assert.deepEqual([unasked.records, unasked.exists], [[], true]);
});

test('names the target of an alias that leads nowhere or to a name without the type', async () => {
  const answers = [cname(name, 'gone.example.net', 100)];
  const dangling = await lookup({ name, type: 'A', status: 'NXDOMAIN', answers, authorities: [soa('example.net')] });
  assert.deepEqual([dangling.status, dangling.exists, dangling.ttl], ['NXDOMAIN', true, 100]);
  assert.match(
    dangling.note ?? '',
    /^www\.example\.com is an alias \(CNAME\) of gone\.example\.net, which does not exist \(NXDOMAIN\): the alias leads nowhere\./,
  );
  const noData = await lookup({ name, type: 'A', answers, authorities: [soa('example.net')] });
  assert.match(noData.note ?? '', /of gone\.example\.net, which exists but has no A record:/);
});

test('gives the alias itself to who asks for CNAME', async () => {
  const answered = await lookup({
    name,
    type: 'CNAME',
    answers: [cname(name, 'a.example.net'), cname('a.example.net', 'b.example.net')],
  });
  assert.deepEqual(
    answered.records.map(({ data }) => data),
    ['a.example.net'],
  );
  assert.deepEqual([answered.cnameChain, answered.note], [[], null]);
});

test('stops where aliases run in a circle or on and on', async () => {
  for (const status of ['NOERROR', 'SERVFAIL'] as const) {
    const circle = [cname(name, 'a.example.com'), cname('a.example.com', name)];
    const answered = await lookup({ name, type: 'A', status, answers: circle, extendedErrors: [[22, '']] });
    assert.deepEqual([answered.cnameChain, answered.exists, answered.ttl], [['a.example.com', name], true, null]);
    assert.match(answered.note ?? '', /in a circle or never end/);
  }
  const long = Array.from({ length: 500 }, (_, at) =>
    cname(at === 0 ? name : `n${at}.example.com`, `n${at + 1}.example.com`),
  );
  const answered = await lookup({ name, type: 'A', answers: long });
  assert.equal(answered.cnameChain.length, 20);
  assert.match(answered.note ?? '', /in a circle or never end/);
});

test('sorts MX by preference, and explains the null MX', async () => {
  const mx = (preference: number, exchange: string) => ({
    name,
    type: 'MX' as const,
    ttl: 1,
    data: { preference, exchange },
  });
  const sorted = await lookup({
    name,
    type: 'MX',
    answers: [mx(20, 'b.example'), mx(5, 'c.example'), mx(20, 'a.example')],
  });
  assert.deepEqual(
    sorted.records.map(({ data }) => data),
    ['5 c.example', '20 b.example', '20 a.example'],
  );
  const none = await lookup({ name, type: 'MX', answers: [mx(0, '.')] });
  assert.equal(none.note, 'The MX record "0 ." says that the name accepts no mail (RFC 7505).');
});

test('lists no more than 100 records and 32 KB of text, and says so', async () => {
  const answers = Array.from({ length: 300 }, (_, at) => a(name, 60, `192.0.${at >> 8}.${at & 255}`));
  const answered = await lookup({ name, type: 'A', answers });
  assert.equal(answered.records.length, 100);
  assert.equal(answered.note, '100 of the 300 records are listed.');
  const chunk = Buffer.alloc(250, 0xff);
  const txt = (chunks: number) => ({ name, type: 'TXT' as const, data: Array.from({ length: chunks }, () => chunk) });
  const long = await lookup({ name, type: 'TXT', answers: [txt(1), txt(31), txt(32), txt(1)] });
  assert.equal(long.note, '2 of the 4 records are listed.');
});

test('repeats why the resolver failed', async () => {
  const bogus = await lookup({
    name,
    type: 'A',
    dnssec: true,
    status: 'SERVFAIL',
    extendedErrors: [
      [9, 'no key\n'],
      [77, ''],
    ],
  });
  assert.deepEqual([bogus.status, bogus.exists, bogus.dnssec, bogus.ttl], ['SERVFAIL', null, false, null]);
  assert.equal(
    bogus.note,
    'www.example.com fails DNSSEC validation (SERVFAIL): its signatures are broken, and validating resolvers give no answer. ' +
      'The resolver adds: DNSKEY Missing (no key\\010); extended error 77.',
  );
  const silent = await lookup({ name, type: 'A', status: 'SERVFAIL', extendedErrors: [[22, 'x'.repeat(1000)]] });
  assert.match(silent.note ?? '', /could not be resolved \(SERVFAIL\).* adds: No Reachable Authority \(x{200}\)\.$/);
  const talkative = Array.from({ length: 9 }, () => [22, ''] as [number, string]);
  const many = await lookup({ name, type: 'A', status: 'SERVFAIL', extendedErrors: talkative });
  assert.equal(many.note?.match(/No Reachable Authority/g)?.length, 4);
  const blocked = await lookup({ name, type: 'A', status: 'NXDOMAIN', extendedErrors: [[15, '']] });
  assert.match(blocked.note ?? '', /The resolver adds: Blocked\.$/);
});

test('asks the same resolver again without validation where it gives no reason', async () => {
  const failed: Said = { name, type: 'A', status: 'SERVFAIL', extendedErrors: [[0, 'Time']] };
  const { platform, requests } = resolving([
    dnsMessage(answer(failed)),
    dnsMessage(answer({ name, type: 'A', answers: [a()] })),
  ]);
  const broken = await dnsLookup(name, 'A', platform, userAgent);
  assert.match(broken.note ?? '', /fails DNSSEC validation/);
  assert.deepEqual([broken.records, broken.exists], [[], null]);
  assert.deepEqual(
    requests.map(({ url, timeoutMs }) => [url, timeoutMs]),
    [
      [first, 2500],
      [first, 4990],
    ],
  );
  assert.deepEqual(
    requests.map(({ body }) => decode(Buffer.from(body ?? [])).flag_cd),
    [false, true],
  );
  const dead = await lookup({ name, type: 'A', status: 'SERVFAIL' }, { name, type: 'A', status: 'SERVFAIL' });
  assert.match(dead.note ?? '', /could not be resolved \(SERVFAIL\)/);
  const { platform: hanging } = resolving([dnsMessage(answer(failed)), { failure: 'timeout' }]);
  assert.match((await dnsLookup(name, 'A', hanging, userAgent)).note ?? '', /could not be resolved/);
});

test('takes a refusal for an answer where every resolver refuses', async () => {
  const refusal = { name, type: 'A', status: 'REFUSED' } as const;
  const answered = await lookup(refusal, refusal);
  assert.deepEqual([answered.status, answered.exists], ['REFUSED', null]);
  assert.match(answered.note ?? '', /refuses to answer \(REFUSED\)/);
  const odd = await lookup({ ...refusal, answers: [a()] }, refusal);
  assert.match(odd.note ?? '', /refuses to answer \(REFUSED\)/);
  const other = await lookup({ name, type: 'A', status: 'NOTIMP' });
  assert.equal(other.note, 'www.example.com got NOTIMP from the resolver, which does not say whether it exists.');
});

test('turns to the next resolver when one gives no usable answer', async () => {
  const good = answer({ name, type: 'A', answers: [a()] });
  const unusable: OutboundResult[] = [
    { failure: 'unreachable' },
    { failure: 'certificate' },
    { failure: 'too_large' },
    { failure: 'timeout' },
    dnsMessage(good, 500),
    dnsMessage(good, 429),
    dnsMessage(good, 200, 'text/html; x=application/dns-message'),
    { ...dnsMessage(good), headers: {} },
    dnsMessage(new Uint8Array(0)),
    dnsMessage(Buffer.from('<html>')),
    dnsMessage(good.subarray(0, 40)),
    dnsMessage(answer({ name: 'www.example.net', type: 'A', answers: [a()] })),
    dnsMessage(answer({ name, type: 'AAAA' })),
    dnsMessage(answer({ name, type: 'A', status: 'REFUSED' })),
  ];
  for (const result of unusable) {
    const { platform, requests } = resolving([result, dnsMessage(good, 200, 'Application/DNS-message ; x=y')]);
    const answered = await dnsLookup(name, 'A', platform, userAgent);
    assert.deepEqual([answered.resolver, answered.records.length], ['two.resolver.example', 1]);
    assert.deepEqual(
      requests.map(({ url }) => url),
      [first, second],
    );
  }
});

test('gives up when no resolver answers, and after five seconds in all', async () => {
  const failing = resolving([{ failure: 'unreachable' }, dnsMessage(Buffer.from('x'))]).platform;
  await refused(dnsLookup(name, 'A', failing, userAgent), 'upstream_error', /^No DNS resolver gave a usable answer/);
  await refused(dnsLookup(name, 'A', platformOf(), userAgent), 'upstream_error', /usable/);
  const { platform, requests } = resolving([{ failure: 'timeout' }, { failure: 'timeout' }]);
  await refused(dnsLookup(name, 'A', platform, userAgent), 'upstream_timeout', /within 5 seconds/);
  assert.deepEqual(
    requests.map(({ timeoutMs }) => timeoutMs),
    [2500, 2500],
  );
  assert.equal(platform.now(), 6000);
  const slow = resolving([{ failure: 'unreachable' }], 5000);
  await refused(dnsLookup(name, 'A', slow.platform, userAgent), 'upstream_timeout', /within 5 seconds/);
});

test('asks nobody for what is no name', async () => {
  await refused(dnsLookup('192.0.2.1', 'A', resolving([]).platform, userAgent), 'invalid_query', /PTR/);
});

test('finds all addresses of a name, or none', async () => {
  const answering = (said: Partial<Record<DnsType, Partial<Said>>>, asked = name) =>
    platformOf({
      resolvers: [first],
      fetch: async ({ body }) => {
        const type = decode(Buffer.from(body ?? [])).questions?.[0]?.type as DnsType;
        const one = said[type];
        return one === undefined ? { failure: 'timeout' } : dnsMessage(answer({ name: asked, type, ...one }));
      },
    });
  const aaaa = { name: 'b.example', type: 'AAAA' as const, data: '2001:db8::1' };
  const both = {
    A: { answers: Array.from({ length: 300 }, () => a()) },
    AAAA: { answers: [cname(name, 'b.example'), aaaa] },
  };
  const found = await addressesOf('WWW.example.com.', answering(both), userAgent);
  assert.ok(!('failure' in found));
  assert.deepEqual([found.length, found.at(0), found.at(-1)], [301, '192.0.2.1', '2001:db8::1']);
  assert.deepEqual(await addressesOf(name, answering({ A: { answers: [a()] }, AAAA: {} }), userAgent), ['192.0.2.1']);
  const unresolved = { failure: 'unresolved' };
  assert.deepEqual(await addressesOf(name, answering({ A: {}, AAAA: {} }), userAgent), unresolved);
  for (const status of ['SERVFAIL', 'NXDOMAIN', 'REFUSED'] as const)
    assert.deepEqual(
      await addressesOf(name, answering({ A: { answers: [a()] }, AAAA: { status } }), userAgent),
      unresolved,
    );
  assert.deepEqual(await addressesOf(name, answering({ A: { answers: [a()] } }), userAgent), { failure: 'timeout' });
  assert.deepEqual(await addressesOf(`${'a'.repeat(64)}.example`, answering(both), userAgent), unresolved);
  assert.deepEqual(await addressesOf(name, platformOf(), userAgent), unresolved);
});

test('has a schema of plain objects', () => {
  const schema = JSON.stringify(z.toJSONSchema(DnsAnswer));
  assert.doesNotMatch(schema, /"(?:oneOf|allOf|not|patternProperties|const)"/);
});
