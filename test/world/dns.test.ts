/** DNS lookups through the tool server, from the validating resolver of a world, and from resolvers with a fault. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { errors } from '../../src/core/errors.ts';
import { DnsAnswer } from '../../src/lookups/dns/answer.ts';
import type { DnsType } from '../../src/lookups/dns/record.ts';
import { serveIn, type WorldService } from './service.ts';
import { openWorld, skipWithoutWorld, type World } from './world.ts';

type Question = Parameters<WorldService['ask']>[1];

async function call(service: WorldService, input: object, question: Question = {}) {
  const { status, body } = await service.ask('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'dns_lookup', arguments: input },
    }),
    ...question,
  });
  assert.equal(status, 200, body);
  const { content, structuredContent, isError = false } = JSON.parse(body).result;
  return { text: content[0].text as string, structuredContent, isError };
}

async function lookup(service: WorldService, name: string, type?: DnsType): Promise<DnsAnswer> {
  const { text, structuredContent, isError } = await call(service, { name, type });
  assert.equal(isError, false, text);
  return DnsAnswer.strict().parse(structuredContent);
}

const dataOf = ({ records }: DnsAnswer): string[] => records.map(({ data }) => data);

describe('a DNS lookup in the world', { skip: skipWithoutWorld() }, () => {
  let world: World;
  let service: WorldService;
  before(async () => {
    world = await openWorld();
    service = await serveIn(world);
  });
  after(async () => {
    await service?.close();
    await world?.close();
  });

  for (const [type, data] of Object.entries({
    A: ['93.184.216.34', '93.184.216.35'],
    AAAA: ['2606:2800:220:1:248:1893:25c8:1946'],
    MX: ['10 mail.example.com', '20 backup.example.com'],
    TXT: ['v=spf1 -all'],
    NS: ['ns1.example.com', 'ns2.example.com'],
    CAA: [
      '0 iodef "mailto:security@example.com"',
      '0 issue "letsencrypt.org; validationmethods=dns-01"',
      '128 issuewild ";"',
    ],
    SOA: ['ns1.example.com host\\.master.example.com 2026010101 7200 3600 1209600 600'],
  } satisfies { readonly [Type in DnsType]?: readonly string[] }))
    test(`finds ${type} records of a signed zone`, async () => {
      const found = await lookup(service, 'example.com', type as DnsType);
      assert.deepEqual([dataOf(found).sort(), found.ttl], [data, 300]);
      assert.deepEqual([found.status, found.exists, found.dnssec, found.note], ['NOERROR', true, true, null]);
      assert.equal(found.resolver, 'cloudflare-dns.com');
    });

  test('lists MX records by preference', async () => {
    const { records } = await lookup(service, 'example.com', 'MX');
    assert.deepEqual(
      records.map(({ mx }) => mx?.preference),
      [10, 20],
    );
  });

  for (const [name, type, data] of [
    ['alias.example.com', 'CNAME', 'alias2.example.com'],
    ['null-mx.example.com', 'MX', '0 .'],
    ['chunks.example.com', 'TXT', 'one two three'],
    ['octets.example.com', 'TXT', 'caf\\233 \\000\\255"\\\\'],
    ['utf8.example.com', 'TXT', 'grüße'],
    ['empty-txt.example.com', 'TXT', ''],
    ['x.wild.example.com', 'TXT', 'any name'],
    ['bücher.example.com', 'A', '93.184.216.39'],
    ['Upper.EXAMPLE.com.', 'A', '93.184.216.40'],
  ] as const)
    test(`reads ${type} of ${name}`, async () => {
      const found = await lookup(service, name, type);
      assert.deepEqual([dataOf(found), found.dnssec], [[data], true]);
    });

  test('follows aliases, of which the shortest TTL counts', async () => {
    const found = await lookup(service, 'alias.example.com');
    assert.deepEqual([dataOf(found), found.ttl, found.dnssec], [['93.184.216.34'], 30, true]);
    assert.deepEqual(found.cnameChain, ['alias2.example.com', 'www.example.com']);
  });

  for (const name of ['www.unsigned.com', 'to-unsigned.example.com'])
    test(`claims no validation of ${name}`, async () => {
      const found = await lookup(service, name);
      assert.deepEqual([dataOf(found), found.status, found.dnssec], [['93.184.216.50'], 'NOERROR', false]);
    });

  test('says of a bogus zone that its validation fails', async () => {
    const found = await lookup(service, 'bogus.com');
    assert.deepEqual([found.status, found.exists, found.dnssec, found.ttl], ['SERVFAIL', null, false, null]);
    assert.deepEqual(found.records, []);
    assert.match(found.note ?? '', /fails DNSSEC validation.*DNSKEY Missing/);
  });

  for (const [name, zone, ttl] of [
    ['nope.example.com', 'the zone example.com', 300],
    ['no-such-tld', 'the root zone', 3600],
  ] as const)
    test(`proves that ${name} does not exist`, async () => {
      const found = await lookup(service, name);
      assert.deepEqual([found.status, found.exists, found.dnssec, found.ttl], ['NXDOMAIN', false, true, ttl]);
      assert.match(found.note ?? '', new RegExp(`^${name} does not exist \\(NXDOMAIN\\), says ${zone}:`));
    });

  for (const name of ['no-address.example.com', 'b.nonterminal.example.com', 'x.wild.example.com'])
    test(`tells a name that does not exist from ${name}, which has no such record`, async () => {
      const found = await lookup(service, name, 'AAAA');
      assert.deepEqual([found.status, found.exists, found.dnssec, found.records], ['NOERROR', true, true, []]);
      assert.match(found.note ?? '', /exists but has no AAAA record/);
    });

  test('names the target of an alias that leads nowhere', async () => {
    const found = await lookup(service, 'to-missing.example.com');
    assert.deepEqual([found.status, found.exists, found.cnameChain], ['NXDOMAIN', true, ['missing.example.com']]);
    assert.match(found.note ?? '', /alias \(CNAME\) of missing\.example\.com, which does not exist/);
  });

  test('finds no records behind aliases in a circle', async () => {
    const found = await lookup(service, 'loop.example.com');
    assert.deepEqual([found.records, found.ttl, found.dnssec], [[], null, false]);
    assert.match(found.note ?? '', /circle/);
  });

  test('shares its limit with the endpoints, and counts each call', async () => {
    const from = '25.1.0.1';
    const rest = async () => (await service.ask('/api/rdap?q=example.com', { from })).status;
    for (let at = 0; at < 4; at += 1) assert.equal(await rest(), 200);
    for (let at = 0; at < 6; at += 1)
      assert.equal((await call(service, { name: 'example.com' }, { from })).isError, false);
    const { text, isError } = await call(service, { name: 'example.com' }, { from });
    assert.deepEqual([isError, text], [true, errors.rate_limited.message]);
    assert.equal(await rest(), errors.rate_limited.status);
  });

  test('prints nothing of what was asked', () => {
    assert.doesNotMatch(service.printed(), /example|bogus|25\.[01]\.|unexpected/);
  });

  describe('with other resolvers', { concurrency: false }, () => {
    const at = (host: string) => `https://${host}/dns-query`;
    const withResolvers = async (hosts: readonly string[], use: (other: WorldService) => Promise<void>) => {
      await service.close();
      const other = await serveIn(world, { DOH_URL: hosts.map(at).join(',') });
      try {
        await use(other);
      } finally {
        await other.close();
      }
    };

    for (const name of [
      'hang',
      'silent',
      'slow-body',
      'wrong-id',
      'wrong-question',
      'no-answer-flag',
      'truncated',
      'truncation-flag',
      'wrong-type',
      'noise',
      'garbage',
      'endless',
      '500',
      'redirect-private',
      'reset-at-once',
    ])
      test(`asks the second one where the first is of the kind ${name}`, async () => {
        await withResolvers([`${name}.doh.test`, 'dns.google'], async (other) => {
          const found = await lookup(other, 'example.com');
          assert.deepEqual([found.resolver, found.records.length, found.dnssec], ['dns.google', 2, true]);
        });
      });

    for (const host of ['doh.test', 'h1.doh.test'])
      test(`is content with ${host} alone`, async () => {
        await withResolvers([host], async (other) => {
          assert.equal((await lookup(other, 'example.com')).resolver, host);
        });
      });

    test('says that none answered in time, or usably', async () => {
      const unanswered = async (hosts: readonly string[], expected: RegExp) =>
        withResolvers(hosts, async (other) => {
          const startMs = performance.now();
          const { text, isError } = await call(other, { name: 'example.com' });
          assert.equal(isError, true);
          assert.match(text, expected);
          assert.doesNotMatch(text, /doh\.test|ERR|at .*:\d/);
          assert.ok(performance.now() - startMs < 7000);
        });
      await unanswered(['hang.doh.test', 'silent.doh.test'], /within 5 seconds/);
      await unanswered(['noise.doh.test', 'wrong-id.doh.test'], /no.*usable answer/i);
    });

    test('leads to no address that is not public', async () => {
      assert.deepEqual(await world.decoyHits(), []);
    });
  });
});
