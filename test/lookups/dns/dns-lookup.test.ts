/** DNS lookups with resolvers that respond, fail, hang or send wrong data. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from 'dns-packet';
import * as z from 'zod';
import { ServiceError } from '../../../src/core/errors.ts';
import type { OutboundRequest, OutboundResult } from '../../../src/core/platform.ts';
import { addressesOf, createDnsClient, type DnsPlatform, dnsLookup } from '../../../src/lookups/dns/dns-lookup.ts';
import { DnsAnswer, type DnsType } from '../../../src/lookups/dns/schema.ts';
import { platformOf } from '../../platform.ts';
import { encodeCompressedResponse, encodeResponse, type ResponseInput } from './messages.ts';

const userAgent = 'Seenby/0 (test)';
const clientOf = (platform: DnsPlatform) => createDnsClient(platform, userAgent);
const first = 'https://one.resolver.example/dns-query';
const second = 'https://two.resolver.example:8443/dns-query';

const dnsMessage = (body: Uint8Array, status = 200, contentType = 'application/dns-message'): OutboundResult => ({
  status,
  headers: { 'content-type': contentType },
  setCookies: [],
  body,
});

/** A platform whose resolvers return these results in order; each request takes `takesMs`; `requests` records them. */
function createPlatform(results: (OutboundResult | ((request: OutboundRequest) => OutboundResult))[], takesMs = 10) {
  const requests: OutboundRequest[] = [];
  let now = 1000;
  const platform = platformOf({
    resolvers: [first, second],
    now: () => now,
    async fetch(request) {
      requests.push(request);
      const result = results[requests.length - 1];
      assert.ok(result !== undefined, 'unexpected request');
      const given = typeof result === 'function' ? result(request) : result;
      now += 'failure' in given && given.failure === 'timeout' ? request.timeoutMs : takesMs;
      return given;
    },
  });
  return { platform, requests };
}

async function lookup(...inputs: (ResponseInput & { type: DnsType })[]): Promise<DnsAnswer> {
  const [{ name, type }] = inputs as [ResponseInput & { type: DnsType }];
  const { platform, requests } = createPlatform(inputs.map((one) => dnsMessage(encodeCompressedResponse(one))));
  const response = await dnsLookup(name, type, clientOf(platform));
  assert.equal(requests.length, inputs.length);
  assert.deepEqual(DnsAnswer.strict().parse(response), response);
  return response;
}

const assertRejected = (lookup: Promise<unknown>, code: string, message: RegExp) =>
  assert.rejects(
    lookup,
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

test('sends a POST with three headers to the first resolver and returns its response', async () => {
  const { platform, requests } = createPlatform([
    dnsMessage(encodeResponse({ name, type: 'A', dnssec: true, answers: [a(), a(name, 200, '192.0.2.2')] })),
  ]);
  assert.deepEqual(await dnsLookup(' WWW.example.com.', 'A', clientOf(platform)), {
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

test('distinguishes a nonexistent name from a name with only other records', async () => {
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
      'www.example.com does not exist (NXDOMAIN), according to the zone example.com: it has no records of any type. Resolvers may cache this for at most 900 seconds.',
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
      'www.example.com exists but has no MX record: it has only records of other types, or names below it. Resolvers may cache this for at most 900 seconds; this one does so for 60 more.',
    ],
  );
  const unexplained = await lookup({ name, type: 'MX', status: 'NXDOMAIN' });
  assert.deepEqual(
    [unexplained.ttl, unexplained.note],
    [null, 'www.example.com does not exist (NXDOMAIN): it has no records of any type.'],
  );
});

test('reports a name as missing that its zone denies by a proof only (RFC 9824)', async () => {
  // The next name, and the types RRSIG, NSEC and NXNAME.
  const data = Buffer.from([0, 0, 17, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80]);
  const proof = { name, type: 'UNKNOWN_47', ttl: 60, data } as never;
  const bytes = encodeResponse({ name, type: 'MX', dnssec: true, authorities: [soa('example.com', 60), proof] });
  const { platform } = createPlatform([dnsMessage(bytes)]);
  const { status, exists, ttl, dnssec, note } = await dnsLookup(name, 'MX', clientOf(platform));
  assert.deepEqual([status, exists, ttl, dnssec], ['NXDOMAIN', false, 60, true]);
  assert.match(note ?? '', /^www\.example\.com does not exist \(NXDOMAIN\), according to the zone example\.com:/);
});

test('follows aliases in any order and letter case, ignores records of other names', async () => {
  const response = await lookup({
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
  assert.deepEqual(response.cnameChain, ['a.example.com', 'b.EXAMPLE.net']);
  assert.deepEqual(
    response.records.map(({ data }) => data),
    ['192.0.2.1'],
  );
  assert.equal(response.ttl, 50);
  assert.equal(
    response.note,
    'www.example.com is an alias (CNAME) of a.example.com, and the chain of aliases ends at b.EXAMPLE.net, which has these records.',
  );
  const unrequested = await lookup({ name, type: 'A', answers: [a('other.example.com')] });
  assert.deepEqual([unrequested.records, unrequested.exists], [[], true]);
});

test('names the target of an alias to a nonexistent name or a name without the type', async () => {
  const answers = [cname(name, 'gone.example.net', 100)];
  const dangling = await lookup({ name, type: 'A', status: 'NXDOMAIN', answers, authorities: [soa('example.net')] });
  assert.deepEqual([dangling.status, dangling.exists, dangling.ttl], ['NXDOMAIN', true, 100]);
  assert.match(
    dangling.note ?? '',
    /^www\.example\.com is an alias \(CNAME\) of gone\.example\.net, which does not exist \(NXDOMAIN\): the alias has no target\./,
  );
  const noData = await lookup({ name, type: 'A', answers, authorities: [soa('example.net')] });
  assert.match(noData.note ?? '', /of gone\.example\.net, which exists but has no A record:/);
});

test('returns the alias itself for a CNAME query', async () => {
  const response = await lookup({
    name,
    type: 'CNAME',
    answers: [cname(name, 'a.example.net'), cname('a.example.net', 'b.example.net')],
  });
  assert.deepEqual(
    response.records.map(({ data }) => data),
    ['a.example.net'],
  );
  assert.deepEqual([response.cnameChain, response.note], [[], null]);
});

test('stops at alias loops and endless alias chains', async () => {
  for (const status of ['NOERROR', 'SERVFAIL'] as const) {
    const circle = [cname(name, 'a.example.com'), cname('a.example.com', name)];
    const response = await lookup({ name, type: 'A', status, answers: circle, extendedErrors: [[22, '']] });
    assert.deepEqual([response.cnameChain, response.exists, response.ttl], [['a.example.com', name], true, null]);
    assert.match(response.note ?? '', /form a loop or never end/);
  }
  const long = Array.from({ length: 500 }, (_, at) =>
    cname(at === 0 ? name : `n${at}.example.com`, `n${at + 1}.example.com`),
  );
  const response = await lookup({ name, type: 'A', answers: long });
  assert.equal(response.cnameChain.length, 20);
  assert.match(response.note ?? '', /form a loop or never end/);
});

test('sorts MX by preference and explains the null MX', async () => {
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
  assert.equal(none.note, 'The MX record "0 ." means that the name accepts no mail (RFC 7505).');
});

test('lists at most 100 records and 32 KB of text and reports the omission', async () => {
  const answers = Array.from({ length: 300 }, (_, at) => a(name, 60, `192.0.${at >> 8}.${at & 255}`));
  const response = await lookup({ name, type: 'A', answers });
  assert.equal(response.records.length, 100);
  assert.equal(response.note, 'The list contains 100 of 300 records.');
  const chunk = Buffer.alloc(250, 0xff);
  const txt = (chunks: number) => ({ name, type: 'TXT' as const, data: Array.from({ length: chunks }, () => chunk) });
  const long = await lookup({ name, type: 'TXT', answers: [txt(1), txt(31), txt(32), txt(1)] });
  assert.equal(long.note, 'The list contains 2 of 4 records.');
});

test('reports why the resolver failed', async () => {
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
    'www.example.com fails DNSSEC validation (SERVFAIL): its signatures are broken, so validating resolvers return no records. ' +
      'The resolver adds: DNSKEY Missing (no key\\010); extended error 77.',
  );
  const silent = await lookup({ name, type: 'A', status: 'SERVFAIL', extendedErrors: [[22, 'x'.repeat(1000)]] });
  assert.match(silent.note ?? '', /could not be resolved \(SERVFAIL\).* adds: No Reachable Authority \(x{200}\)\.$/);
  const talkative = Array.from({ length: 9 }, () => [22, ''] as [number, string]);
  const many = await lookup({ name, type: 'A', status: 'SERVFAIL', extendedErrors: talkative });
  assert.equal(many.note?.match(/No Reachable Authority/g)?.length, 4);
});

test('queries the same resolver without validation if it gives no reason for a failure', async () => {
  const failed: ResponseInput = { name, type: 'A', status: 'SERVFAIL', extendedErrors: [[0, 'Time']] };
  const { platform, requests } = createPlatform([
    dnsMessage(encodeResponse(failed)),
    dnsMessage(encodeResponse({ name, type: 'A', answers: [a()] })),
    dnsMessage(encodeResponse({ name, type: 'SOA', status: 'SERVFAIL' })),
  ]);
  const broken = await dnsLookup(name, 'A', clientOf(platform));
  assert.match(broken.note ?? '', /fails DNSSEC validation/);
  assert.deepEqual([broken.records, broken.exists], [[], null]);
  assert.deepEqual(
    requests.map(({ url, timeoutMs }) => [url, timeoutMs]),
    [
      [first, 2500],
      [first, 4990],
      [first, 4980],
    ],
  );
  assert.deepEqual(
    requests.map(({ body }) => {
      const { flag_cd, questions } = decode(Buffer.from(body ?? []));
      return [questions?.[0]?.type, flag_cd];
    }),
    [
      ['A', false],
      ['A', true],
      ['SOA', false],
    ],
  );
  const dead = await lookup({ name, type: 'A', status: 'SERVFAIL' }, { name, type: 'A', status: 'SERVFAIL' });
  assert.match(dead.note ?? '', /could not be resolved \(SERVFAIL\)/);
  const succeeding: ResponseInput = { name, type: 'A', answers: [a()] };
  for (const last of [dnsMessage(encodeResponse({ name, type: 'SOA' })), { failure: 'timeout' }] as const) {
    const later = createPlatform([dnsMessage(encodeResponse(failed)), dnsMessage(encodeResponse(succeeding)), last]);
    assert.match(
      (await dnsLookup(name, 'A', clientOf(later.platform))).note ?? '',
      /could not be resolved \(SERVFAIL\)/,
    );
  }
  const ofZone = await lookup(
    { name, type: 'SOA', status: 'SERVFAIL' },
    { name, type: 'SOA', status: 'NXDOMAIN' },
    { name, type: 'NS', status: 'SERVFAIL' },
  );
  assert.match(ofZone.note ?? '', /fails DNSSEC validation/);
  const { platform: hanging } = createPlatform([dnsMessage(encodeResponse(failed)), { failure: 'timeout' }]);
  assert.match((await dnsLookup(name, 'A', clientOf(hanging))).note ?? '', /could not be resolved/);
});

test('returns a refusal if every resolver refuses', async () => {
  const refusal = { name, type: 'A', status: 'REFUSED' } as const;
  const response = await lookup(refusal, refusal);
  assert.deepEqual([response.status, response.exists], ['REFUSED', null]);
  assert.match(response.note ?? '', /refuses to resolve \(REFUSED\)/);
  const odd = await lookup({ ...refusal, answers: [a()] }, refusal);
  assert.match(odd.note ?? '', /refuses to resolve \(REFUSED\)/);
  const other = await lookup({ name, type: 'A', status: 'NOTIMP' });
  assert.equal(other.note, 'www.example.com returned NOTIMP, which does not show whether the name exists.');
});

test('queries the next resolver if one sends no usable response', async () => {
  const good = encodeResponse({ name, type: 'A', answers: [a()] });
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
    dnsMessage(encodeResponse({ name: 'www.example.net', type: 'A', answers: [a()] })),
    dnsMessage(encodeResponse({ name, type: 'AAAA' })),
    dnsMessage(encodeResponse({ name, type: 'A', status: 'REFUSED' })),
  ];
  for (const result of unusable) {
    const { platform, requests } = createPlatform([result, dnsMessage(good, 200, 'Application/DNS-message ; x=y')]);
    const response = await dnsLookup(name, 'A', clientOf(platform));
    assert.deepEqual([response.resolver, response.records.length], ['two.resolver.example', 1]);
    assert.deepEqual(
      requests.map(({ url }) => url),
      [first, second],
    );
  }
});

test('fails if no resolver responds, and after five seconds in total', async () => {
  const failing = createPlatform([{ failure: 'unreachable' }, dnsMessage(Buffer.from('x'))]).platform;
  await assertRejected(
    dnsLookup(name, 'A', clientOf(failing)),
    'upstream_error',
    /^No DNS resolver sent a usable response/,
  );
  await assertRejected(dnsLookup(name, 'A', clientOf(platformOf())), 'upstream_error', /usable/);
  await assertRejected(
    dnsLookup('router.local', 'A', clientOf(platformOf())),
    'upstream_error',
    /again later\. The zone local belongs to multicast DNS \(mDNS\)/,
  );
  const { platform, requests } = createPlatform([{ failure: 'timeout' }, { failure: 'timeout' }]);
  await assertRejected(dnsLookup(name, 'A', clientOf(platform)), 'upstream_timeout', /within 5 seconds/);
  assert.deepEqual(
    requests.map(({ timeoutMs }) => timeoutMs),
    [2500, 2500],
  );
  assert.equal(platform.now(), 6000);
  const slow = createPlatform([{ failure: 'unreachable' }], 5000);
  await assertRejected(dnsLookup(name, 'A', clientOf(slow.platform)), 'upstream_timeout', /within 5 seconds/);
});

test('fails as overloaded without another request if the process sends none', async () => {
  const { platform, requests } = createPlatform([{ failure: 'overloaded' }, { failure: 'timeout' }]);
  await assertRejected(dnsLookup(name, 'A', clientOf(platform)), 'overloaded', /try again in 5 seconds/);
  assert.equal(requests.length, 1);
});

test('sends no query for an invalid name', async () => {
  await assertRejected(dnsLookup('192.0.2.1', 'A', clientOf(createPlatform([]).platform)), 'invalid_query', /PTR/);
});

test('returns all known addresses of a name, or why there are none', async () => {
  const respondWith = (inputs: Partial<Record<DnsType, Partial<ResponseInput>>>, queried = name) =>
    platformOf({
      resolvers: [first],
      fetch: async ({ body }) => {
        const type = decode(Buffer.from(body ?? [])).questions?.[0]?.type as DnsType;
        const one = inputs[type];
        return one === undefined ? { failure: 'timeout' } : dnsMessage(encodeResponse({ name: queried, type, ...one }));
      },
    });
  const aaaa = { name: 'b.example', type: 'AAAA' as const, data: '2001:db8::1' };
  const both = {
    A: { answers: Array.from({ length: 300 }, () => a()) },
    AAAA: { answers: [cname(name, 'b.example'), aaaa] },
  };
  const found = await addressesOf('WWW.example.com.', clientOf(respondWith(both)));
  assert.ok(!('failure' in found));
  assert.deepEqual([found.length, found.at(0), found.at(-1)], [301, '192.0.2.1', '2001:db8::1']);
  assert.deepEqual(await addressesOf(name, clientOf(respondWith({ A: { answers: [a()] }, AAAA: {} }))), ['192.0.2.1']);
  const unresolved = { failure: 'unresolved' };
  assert.deepEqual(await addressesOf(name, clientOf(respondWith({ A: {}, AAAA: {} }))), unresolved);
  // One address family with addresses is enough (RFC 4074); without any, only NOERROR and NXDOMAIN say that there is none.
  const failed = { failure: 'dns_failed' };
  for (const status of ['FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'] as const) {
    const other = status === 'NXDOMAIN' ? unresolved : failed;
    for (const [A, expected] of [
      [{ answers: [a()] }, ['192.0.2.1']],
      [{}, other],
      [{ status }, other],
    ] as [Partial<ResponseInput>, unknown][])
      assert.deepEqual(await addressesOf(name, clientOf(respondWith({ A, AAAA: { status } }))), expected, status);
  }
  assert.deepEqual(await addressesOf(name, clientOf(respondWith({ A: { answers: [a()] } }))), ['192.0.2.1']);
  assert.deepEqual(await addressesOf(name, clientOf(respondWith({ A: {} }))), failed);
  assert.deepEqual(await addressesOf(`${'a'.repeat(64)}.example`, clientOf(respondWith(both))), unresolved);
  assert.deepEqual(await addressesOf(name, clientOf(platformOf())), failed);
});

test('waits for the second address family only for a moment', async () => {
  const { promise, resolve } = Promise.withResolvers<OutboundResult>();
  const platform = platformOf({
    resolvers: [first],
    fetch: ({ body }) => {
      const type = decode(Buffer.from(body ?? [])).questions?.[0]?.type;
      return type === 'A' ? Promise.resolve(dnsMessage(encodeResponse({ name, type, answers: [a()] }))) : promise;
    },
  });
  assert.deepEqual(await addressesOf(name, clientOf(platform)), ['192.0.2.1']);
  resolve({ failure: 'timeout' });
});

test('has a schema of plain objects', () => {
  const schema = JSON.stringify(z.toJSONSchema(DnsAnswer));
  assert.doesNotMatch(schema, /"(?:oneOf|allOf|not|patternProperties|const)"/);
});

test('states what is wrong with a name that cannot exist', async () => {
  for (const [odd, mistake] of [
    ['999.1.1.1', /No top-level domain is a number: an IPv4 address has four numbers from 0 to 255/],
    ['8.8.8', /No top-level domain is a number/],
    ['*.example.com', /does not expand \*/],
  ] as const)
    assert.match((await lookup({ name: odd, type: 'A', status: 'NXDOMAIN' })).note ?? '', mistake);
  const plain = await lookup({ name: 'nope.example.com', type: 'A', status: 'NXDOMAIN' });
  assert.equal(plain.note, 'nope.example.com does not exist (NXDOMAIN): it has no records of any type.');
});

test('keeps the other records if one is malformed, and uses no address of such an answer', async () => {
  const encoded = encodeResponse({ name, type: 'A', answers: [a(), a(name, 300, '192.0.2.2')] });
  // The data length of the last record, whose last octet is left out; OPT has 11 octets.
  const at = encoded.length - 11 - 6;
  const bytes = Uint8Array.from([
    ...encoded.subarray(0, at),
    0,
    3,
    ...encoded.subarray(at + 2, at + 5),
    ...encoded.subarray(at + 6),
  ]);
  const { records, note } = await dnsLookup(name, 'A', clientOf(createPlatform([dnsMessage(bytes)]).platform));
  assert.deepEqual(
    records.map(({ data, error = null }) => [data, error]),
    [
      ['192.0.2.1', null],
      ['\\# 3 C00002', 'Malformed: it ends too early.'],
    ],
  );
  assert.match(note ?? '', /malformed/);
  const both = await addressesOf(
    name,
    clientOf(createPlatform([dnsMessage(bytes), dnsMessage(encodeResponse({ name, type: 'AAAA' }))]).platform),
  );
  assert.deepEqual(both, { failure: 'dns_failed' });
});
