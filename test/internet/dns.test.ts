/** DNS lookups through the MCP server, with the simulated validating resolver and with faulty resolvers. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { errors } from '../../src/core/errors.ts';
import { DnsAnswer, type DnsType } from '../../src/lookups/dns/schema.ts';
import type { DohFaultName } from './doh.ts';
import { skipWithoutInternet } from './internet.ts';
import { type SimulatedService, serveForSuite, serveIn } from './service.ts';

type RequestOptions = Parameters<SimulatedService['request']>[1];

async function call(service: SimulatedService, input: object, question: RequestOptions = {}) {
  const { status, body } = await service.request('/mcp', {
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

async function lookup(service: SimulatedService, name: string, type?: DnsType): Promise<DnsAnswer> {
  const { text, structuredContent, isError } = await call(service, { name, type });
  assert.equal(isError, false, text);
  return DnsAnswer.strict().parse(structuredContent);
}

const dataOf = ({ records }: DnsAnswer): string[] => records.map(({ data }) => data);

describe('a DNS lookup in the simulated internet', { skip: skipWithoutInternet() }, () => {
  const simulated = serveForSuite(serveIn, { ownInternet: true });

  test('/host returns the name of the client only if it resolves to its IP address', async () => {
    for (const [from, host] of [
      ['25.1.0.9', 'client.example.com'],
      ['25.1.0.10', ''],
      ['25.1.0.12', ''],
    ] as const) {
      const { status, body } = await simulated.service.request('/host', { from });
      assert.deepEqual([status, body], [200, `${host}\n`], from);
    }
    const { status, body } = await simulated.service.request('/host', { from: '25.1.0.11' });
    // The resolver closes the connection of a query that it drops.
    assert.deepEqual([status, JSON.parse(body).error], [502, 'upstream_error']);
  });

  test('/api/dns returns what the tool does, and /api/ip a confirmed host name', async () => {
    const dns = await simulated.service.request('/api/dns?name=example.com&type=mx');
    assert.deepEqual(JSON.parse(dns.body), await lookup(simulated.service, 'example.com', 'MX'));
    for (const [ip, hostname] of [
      ['25.1.0.9', 'client.example.com'],
      ['25.1.0.10', null],
      ['25.1.0.11', null],
    ] as const) {
      const { status, body } = await simulated.service.request(`/api/ip?q=${ip}`);
      assert.deepEqual([status, JSON.parse(body).hostname], [200, hostname], ip);
    }
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
    test(`returns ${type} records of a signed zone`, async () => {
      const found = await lookup(simulated.service, 'example.com', type as DnsType);
      assert.deepEqual([dataOf(found).sort(), found.ttl], [data, 300]);
      assert.deepEqual([found.status, found.exists, found.dnssec, found.note], ['NOERROR', true, true, null]);
      assert.equal(found.resolver, 'cloudflare-dns.com');
    });

  test('lists MX records by preference', async () => {
    const { records } = await lookup(simulated.service, 'example.com', 'MX');
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
      const found = await lookup(simulated.service, name, type);
      assert.deepEqual([dataOf(found), found.dnssec], [[data], true]);
    });

  test('follows aliases and returns their shortest TTL', async () => {
    const found = await lookup(simulated.service, 'alias.example.com');
    assert.deepEqual([dataOf(found), found.ttl, found.dnssec], [['93.184.216.34'], 30, true]);
    assert.deepEqual(found.cnameChain, ['alias2.example.com', 'www.example.com']);
  });

  for (const name of ['www.unsigned.com', 'to-unsigned.example.com'])
    test(`reports no validation for ${name}`, async () => {
      const found = await lookup(simulated.service, name);
      assert.deepEqual([dataOf(found), found.status, found.dnssec], [['93.184.216.50'], 'NOERROR', false]);
    });

  test('reports failed validation of a bogus zone', async () => {
    const found = await lookup(simulated.service, 'bogus.com');
    assert.deepEqual([found.status, found.exists, found.dnssec, found.ttl], ['SERVFAIL', null, false, null]);
    assert.deepEqual(found.records, []);
    assert.match(found.note ?? '', /fails DNSSEC validation.*DNSKEY Missing/);
  });

  for (const [name, zone, ttl] of [
    ['nope.example.com', 'the zone example.com', 300],
    ['no-such-tld', 'the root zone', 3600],
  ] as const)
    test(`reports that ${name} does not exist`, async () => {
      const found = await lookup(simulated.service, name);
      assert.deepEqual([found.status, found.exists, found.dnssec, found.ttl], ['NXDOMAIN', false, true, ttl]);
      assert.match(found.note ?? '', new RegExp(`^${name} does not exist \\(NXDOMAIN\\), according to ${zone}:`));
    });

  for (const name of ['no-address.example.com', 'b.nonterminal.example.com', 'x.wild.example.com'])
    test(`distinguishes a nonexistent name from ${name} without such a record`, async () => {
      const found = await lookup(simulated.service, name, 'AAAA');
      assert.deepEqual([found.status, found.exists, found.dnssec, found.records], ['NOERROR', true, true, []]);
      assert.match(found.note ?? '', /exists but has no AAAA record/);
    });

  test('names the nonexistent target of an alias', async () => {
    const found = await lookup(simulated.service, 'to-missing.example.com');
    assert.deepEqual([found.status, found.exists, found.cnameChain], ['NXDOMAIN', true, ['missing.example.com']]);
    assert.match(found.note ?? '', /alias \(CNAME\) of missing\.example\.com, which does not exist/);
  });

  test('returns no records for an alias loop', async () => {
    const found = await lookup(simulated.service, 'loop.example.com');
    assert.deepEqual([found.records, found.ttl, found.dnssec], [[], null, false]);
    assert.match(found.note ?? '', /form a loop/);
  });

  test('shares its limit with the endpoints, and counts each tool call', async () => {
    const from = '25.1.0.1';
    const rest = async () => (await simulated.service.request('/api/rdap?q=example.com', { from })).status;
    for (let at = 0; at < 4; at += 1) assert.equal(await rest(), 200);
    for (let at = 0; at < 6; at += 1)
      assert.equal((await call(simulated.service, { name: 'example.com' }, { from })).isError, false);
    const { text, isError } = await call(simulated.service, { name: 'example.com' }, { from });
    assert.equal(isError, true);
    assert.ok(text.startsWith(errors.rate_limited.message), text);
    assert.equal(await rest(), errors.rate_limited.status);
  });

  test('prints no request data', () => {
    assert.doesNotMatch(simulated.service.printed(), /example|bogus|25\.[01]\.|unexpected/);
  });

  describe('with other resolvers', { concurrency: false }, () => {
    let other: SimulatedService;
    before(async () => {
      await simulated.service.close();
      other = await serveIn(simulated.internet, {
        DOH_URL: 'https://doh.test/dns-query,https://h1.doh.test/dns-query',
      });
    });
    after(() => other?.close());
    const setFaults = async (first: DohFaultName, second: DohFaultName | null) => {
      await simulated.internet.change('doh.test', first);
      await simulated.internet.change('h1.doh.test', second);
    };

    test('queries the first', async () => {
      assert.equal((await lookup(other, 'example.com')).resolver, 'doh.test');
    });

    for (const fault of [
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
    ] as const)
      test(`queries the second if the first has the fault ${fault}`, async () => {
        await setFaults(fault, null);
        const found = await lookup(other, 'example.com');
        assert.deepEqual([found.resolver, found.records.length, found.dnssec], ['h1.doh.test', 2, true]);
      });

    for (const [first, second, expected] of [
      ['hang', 'silent', /within 5 seconds/],
      ['noise', 'wrong-id', /no.*usable response/i],
    ] as const)
      test(`reports that both fail: ${first}, ${second}`, async () => {
        await setFaults(first, second);
        const { text, isError } = await call(other, { name: 'example.com' });
        assert.equal(isError, true);
        assert.match(text, expected);
        assert.doesNotMatch(text, /doh\.test|ERR|at .*:\d/);
      });

    test('connects to no non-public address', async () => {
      assert.deepEqual(await simulated.internet.decoyHits(), []);
    });
  });
});
