/** Notes of DNS lookups: policies of resolvers, aliases, absence that is cached, null MX, and names outside of the public DNS. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from 'dns-packet';
import * as fc from 'fast-check';
import type { OutboundResult } from '../../../src/core/platform.ts';
import { addressesOf, createDnsClient, dnsLookup } from '../../../src/lookups/dns/dns-lookup.ts';
import type { DnsType } from '../../../src/lookups/dns/schema.ts';
import { find, isNameMissing, recordsOf } from '../../../src/lookups/domain/finding.ts';
import { platformOf } from '../../platform.ts';
import { roundsOf } from '../../random.ts';
import { encodeResponse, type ResponseInput } from './messages.ts';

const name = 'www.example.com';
const a = (owner = name, data = '192.0.2.1') => ({ name: owner, type: 'A' as const, ttl: 300, data });
const cname = (owner: string, data: string) => ({ name: owner, type: 'CNAME' as const, ttl: 300, data });
const soa = (zone: string, ttl: number, minimum: number) => ({
  name: zone,
  type: 'SOA' as const,
  ttl,
  data: { mname: 'ns.example.com', rname: 'admin.example.com', serial: 1, refresh: 2, retry: 3, expire: 4, minimum },
});

/** A client whose resolver sends this response to every query. */
const clientOf = (response: ResponseInput) => {
  const headers = { 'content-type': 'application/dns-message' };
  const result: OutboundResult = { status: 200, headers, setCookies: [], body: encodeResponse(response) };
  const platform = platformOf({ resolvers: ['https://resolver.example/dns-query'], fetch: async () => result });
  return createDnsClient(platform, 'Seenby/0 (test)');
};
const lookup = (response: ResponseInput & { type: DnsType }) =>
  dnsLookup(response.name, response.type, clientOf(response));

const policies = { 4: 'Forged Answer', 15: 'Blocked', 16: 'Censored', 17: 'Filtered', 18: 'Prohibited' };

test('a response of a policy shows neither existence nor absence, whatever its status', async () => {
  for (const [code, errorName] of Object.entries(policies))
    for (const status of ['NOERROR', 'NXDOMAIN', 'SERVFAIL', 'REFUSED'] as const)
      for (const answers of [
        [],
        [a()],
        [cname(name, 'wall.example.net')],
        [cname(name, 'wall.example.net'), a('wall.example.net')],
      ]) {
        const response: ResponseInput & { type: DnsType } = {
          name,
          type: 'A',
          status,
          answers,
          authorities: [soa('example.com', 60, 60)],
          extendedErrors: [[Number(code), 'list 7']],
        };
        const what = `${errorName} ${status} ${answers.length}`;
        const { exists, ttl, dnssec, note } = await lookup(response);
        assert.deepEqual([exists, ttl, dnssec], [null, null, false], what);
        assert.match(note ?? '', /it is not known whether the name exists/, what);
        assert.ok(note?.endsWith(`The resolver adds: ${errorName} (list 7).`), what);
        assert.doesNotMatch(note ?? '', /does not exist|exists but|according to|may cache|is an alias/, what);
        const finding = await find(name, 'A', { client: clientOf(response) });
        assert.deepEqual([isNameMissing([finding]), recordsOf(finding)], [false, []], what);
        assert.ok(finding.failure?.includes('not known'), what);
        assert.deepEqual(await addressesOf(name, clientOf(response)), { failure: 'dns_failed' }, what);
      }
});

test('other extended errors do not change what a response shows', async () => {
  for (const code of [0, 3, 5, 13, 19, 22, 23, 29]) {
    const { exists, note } = await lookup({ name, type: 'A', status: 'NXDOMAIN', extendedErrors: [[code, '']] });
    assert.equal(exists, false, String(code));
    assert.match(note ?? '', /does not exist \(NXDOMAIN\)/);
  }
});

test('an alias is that of its own target, and the chain has its end', async () => {
  const label = fc.stringMatching(/^[a-z]{1,8}$/);
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(label, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      fc.nat(),
      async (labels, isFound, seed) => {
        const chain = labels.map((each) => `${each}.example.net`);
        const owners = [name, ...chain];
        const records: Answer[] = chain.map((target, at) => cname(owners[at] ?? '', target));
        const end = chain.at(-1) ?? '';
        if (isFound) records.push(a(end));
        // Servers send the records in any order.
        const answers = records.map((record, at) => ({ record, key: (seed * (at + 1) * 7919) % 101 }));
        answers.sort((one, other) => one.key - other.key);
        const { cnameChain, note } = await lookup({ name, type: 'A', answers: answers.map(({ record }) => record) });
        assert.deepEqual(cnameChain, chain);
        assert.ok(note?.startsWith(`${name} is an alias (CNAME) of ${chain[0]}, `), note ?? '');
        assert.equal(note?.includes(`the chain of aliases ends at ${end}, which `), chain.length > 1);
        assert.equal(note?.match(/which (has|exists but has no)/)?.[1], isFound ? 'has' : 'exists but has no');
      },
    ),
    { numRuns: roundsOf(300) },
  );
});

test('a name below a DNAME record is an alias by that record', async () => {
  const dname = { name: 'Example.com', type: 'DNAME', ttl: 300, data: 'example.net' } as unknown as Answer;
  const { note, cnameChain } = await lookup({
    name,
    type: 'A',
    answers: [dname, cname(name, 'www.example.net'), a('www.example.net')],
  });
  assert.deepEqual(cnameChain, ['www.example.net']);
  assert.equal(
    note,
    'www.example.com is an alias (by the DNAME record of Example.com) of www.example.net, which has these records.',
  );
});

test('absence is cached for at most MINIMUM, and at the resolver for the rest of it (RFC 2308 §5)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(1_000_000), fc.nat(1_000_000), async (soaTtl, minimum) => {
      const { ttl, note } = await lookup({ name, type: 'A', authorities: [soa('example.com', soaTtl, minimum)] });
      assert.equal(ttl, Math.min(soaTtl, minimum));
      assert.match(
        note ?? '',
        new RegExp(`Resolvers may cache this for at most ${minimum} second${minimum === 1 ? '' : 's'}[;.]`),
      );
      assert.equal(note?.includes(`this one does so for ${soaTtl} more.`), soaTtl < minimum);
    }),
    { numRuns: roundsOf(300) },
  );
  for (const zone of ['example.net', 'ample.com', 'sub.www.example.com']) {
    const { ttl, note } = await lookup({ name, type: 'A', status: 'NXDOMAIN', authorities: [soa(zone, 60, 60)] });
    assert.equal(ttl, null, zone);
    assert.doesNotMatch(note ?? '', /according to|cache/, zone);
  }
});

test('a null MX counts only alone (RFC 7505 §3)', async () => {
  const mx = (...exchanges: string[]) =>
    exchanges.map((exchange, at) => ({ name, type: 'MX' as const, data: { preference: at, exchange } }));
  for (const [exchanges, expected] of [
    [['.'], /accepts no mail \(RFC 7505\)/],
    [['.', '.'], /accepts no mail \(RFC 7505\)/],
    [['.', 'mail.example.com'], /contradict each other/],
    [['mail.example.com', '.', 'backup.example.com'], /contradict each other/],
  ] as const)
    assert.match((await lookup({ name, type: 'MX', answers: mx(...exchanges) })).note ?? '', expected);
  assert.equal((await lookup({ name, type: 'MX', answers: mx('mail.example.com') })).note, null);
  assert.match(
    (await lookup({ name, type: 'MX', answers: mx('a.example', '192.0.2.1') })).note ?? '',
    /IP address instead/,
  );
});

test('a name outside of the public DNS is explained by its zone', async () => {
  for (const [special, expected] of [
    [
      'router.local',
      /^router\.local is not in the public DNS \(NXDOMAIN\)\. The zone local belongs to multicast DNS \(mDNS\)/,
    ],
    ['_ipp._tcp.Local', /mDNS/],
    ['local', /mDNS/],
    ['1.2.254.169.in-addr.arpa', /mDNS/],
    ['1.0.0.8.e.f.ip6.arpa', /mDNS/],
    ['nas.home.arpa', /private networks/],
    ['db.internal', /private networks/],
    ['1.0.0.10.in-addr.arpa', /private addresses/],
    ['1.0.31.172.in-addr.arpa', /private addresses/],
    ['1.1.168.192.in-addr.arpa', /private addresses/],
    ['1.0.0.d.f.ip6.arpa', /private addresses/],
    ['a.onion', /Tor/],
    ['a.localhost', /machine itself/],
    ['a.alt', /name systems other than DNS/],
    ['a.test', /tests/],
  ] as const) {
    const { note } = await lookup({ name: special.toLowerCase(), type: 'A', status: 'NXDOMAIN' });
    assert.match(note ?? '', expected, special);
    assert.doesNotMatch(note ?? '', /does not exist|no records of any type/, special);
    const toSpecial = await lookup({ name, type: 'A', status: 'NXDOMAIN', answers: [cname(name, special)] });
    assert.match(toSpecial.note ?? '', /The zone /, `an alias of ${special}`);
  }
  for (const ordinary of ['local.example.com', 'notlocal', '1.0.32.172.in-addr.arpa', 'example.com']) {
    const { note } = await lookup({ name: ordinary, type: 'A', status: 'NXDOMAIN' });
    assert.match(note ?? '', /does not exist \(NXDOMAIN\)/, ordinary);
    assert.doesNotMatch(note ?? '', /The zone/, ordinary);
  }
  assert.equal((await lookup({ name: 'a.localhost', type: 'A', answers: [a('a.localhost', '127.0.0.1')] })).note, null);
});
