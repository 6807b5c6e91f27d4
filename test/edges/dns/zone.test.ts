/** The answers of the service's zone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createZone, isMixedCase } from '../../../src/edges/dns/zone.ts';
import { queryTypes, typeNumbers } from '../../../src/wire/dns/data/dns-parameters.ts';
import type { ObservedQuery } from '../../../src/wire/dns/query.ts';
import { typeNumberOf } from '../../../src/wire/dns/response.ts';

const zone = createZone({
  zone: 'dns.seen.example',
  nameServers: ['ns1.seen.example', 'ns2.seen.example'],
  addresses: ['192.0.2.1', '2001:db8::1', '2001:db8::2'],
});
const id = '0123456789abcdef';

const queryOf = (name: string, type: number, more: Partial<ObservedQuery> = {}): ObservedQuery => ({
  name,
  type,
  class: 1,
  edns: null,
  address: '198.51.100.7',
  port: 4242,
  transport: 'udp',
  ...more,
});
/** Response code, answers and authorities of an answer, by the numbers of their types. */
const shapeOf = (name: string, type: number, more: Partial<ObservedQuery> = {}) => {
  const { rcode, isAuthoritative, answers, authorities } = zone.answer(queryOf(name, type, more));
  assert.equal(isAuthoritative, rcode !== 'REFUSED');
  for (const { name: owner } of answers) assert.equal(owner, name);
  for (const { name: owner, ttl } of authorities) assert.deepEqual([owner, ttl], ['dns.seen.example', 0]);
  return [rcode, answers.map(({ rdata }) => typeNumberOf(rdata)), authorities.map(({ rdata }) => typeNumberOf(rdata))];
};
const { A, AAAA, NS, SOA, TXT, MX, HTTPS, DS } = typeNumbers;
const hinfo = 13;
const noData = ['NOERROR', [], [SOA]];

test('has SOA and name servers at its apex, and denies other types', () => {
  assert.deepEqual(shapeOf('DNS.seen.Example', SOA), ['NOERROR', [SOA], []]);
  assert.deepEqual(shapeOf('dns.seen.example', NS), ['NOERROR', [NS, NS], []]);
  for (const type of [A, AAAA, TXT, MX, DS, hinfo, 1000]) assert.deepEqual(shapeOf('dns.seen.example', type), noData);
  const [{ ttl, rdata }] = zone.answer(queryOf('dns.seen.example', SOA)).answers as never as [
    { ttl: number; rdata: object },
  ];
  assert.equal(ttl, 3600);
  assert.deepEqual(rdata, {
    type: 'SOA',
    mname: 'ns1.seen.example',
    rname: 'hostmaster.dns.seen.example',
    serial: 1,
    refresh: 3600,
    retry: 600,
    expire: 86400,
    minimum: 0,
  });
});

test('answers whoami and every name below it with the address of the resolver, in its family only', () => {
  for (const name of ['whoami.dns.seen.example', 'x.WhoAmI.dns.seen.example', 'a.b.whoami.dns.seen.example']) {
    assert.deepEqual(shapeOf(name, A), ['NOERROR', [A], []]);
    assert.deepEqual(shapeOf(name, AAAA), noData);
    assert.deepEqual(shapeOf(name, AAAA, { address: '2001:db8::9' }), ['NOERROR', [AAAA], []]);
    assert.deepEqual(shapeOf(name, A, { address: '2001:db8::9' }), noData);
    assert.deepEqual(shapeOf(name, AAAA, { address: 'fe80::1%eth0' }), noData);
    assert.deepEqual(shapeOf(name, TXT), ['NOERROR', [TXT], []]);
    assert.deepEqual(shapeOf(name, MX), noData);
  }
  const mapped = zone.answer(queryOf('whoami.dns.seen.example', A, { address: '::ffff:192.0.2.9' })).answers;
  assert.deepEqual(
    mapped.map(({ ttl, rdata }) => [ttl, rdata]),
    [[0, { type: 'A', address: Uint8Array.of(192, 0, 2, 9) }]],
  );
});

const stringsOf = (query: ObservedQuery): string[] =>
  zone
    .answer(query)
    .answers.flatMap(({ rdata }) =>
      rdata.type === 'TXT' ? rdata.strings.map((each) => Buffer.from(each).toString()) : [],
    );

test('whoami returns the values of its query as text', () => {
  assert.deepEqual(stringsOf(queryOf('whoami.dns.seen.example', TXT)), [
    'address=198.51.100.7',
    'port=4242',
    'transport=udp',
    'ednsBufferBytes=none',
    'dnssecOk=false',
    'cookie=false',
    'clientSubnet=none',
    'mixedCase=false',
  ]);
  const address = Uint8Array.of(0x20, 1, 0xd, 0xb8, ...Array.from({ length: 11 }, () => 0xff), 0);
  const full = queryOf('wHoAmI.dns.seen.example', TXT, {
    address: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    port: 65535,
    transport: 'tcp',
    edns: {
      version: 0,
      bufferBytes: 1232,
      dnssecOk: true,
      hasCookie: true,
      clientSubnet: { family: 2, address, prefixLength: 120 },
    },
  });
  const strings = stringsOf(full);
  assert.deepEqual(strings.slice(2), [
    'transport=tcp',
    'ednsBufferBytes=1232',
    'dnssecOk=true',
    'cookie=true',
    'clientSubnet=2001:db8:ffff:ffff:ffff:ffff:ffff:ff00/120',
    'mixedCase=true',
  ]);
  assert.ok(strings.reduce((sum, each) => sum + 1 + each.length, 0) <= 512);
});

test('an answer is for the client subnet only below whoami', () => {
  const isForSubnet = (name: string) => zone.answer(queryOf(name, A)).isForSubnet;
  assert.ok(isForSubnet('whoami.dns.seen.example') && isForSubnet('x.whoami.dns.seen.example'));
  for (const name of ['dns.seen.example', `1-${id}.dns.seen.example`, 'other.dns.seen.example', 'whoami.example'])
    assert.ok(!isForSubnet(name), name);
});

test('names with an id, and every name below them, have the addresses of the service', () => {
  for (const name of [
    `1-${id}.dns.seen.example`,
    `_https.12-${id.repeat(2)}.dns.seen.example`,
    `a.b.0-${id}.DNS.seen.example`,
  ]) {
    assert.deepEqual(shapeOf(name, A), ['NOERROR', [A], []]);
    assert.deepEqual(shapeOf(name, AAAA), ['NOERROR', [AAAA, AAAA], []]);
    for (const type of [HTTPS, TXT, NS, SOA]) assert.deepEqual(shapeOf(name, type), noData);
    assert.ok(zone.answer(queryOf(name, A)).answers.every(({ ttl }) => ttl === 0));
  }
  const { answer } = createZone({ zone: 'z.example', nameServers: ['ns.example'], addresses: ['192.0.2.1'] });
  assert.deepEqual(answer(queryOf(`1-${id}.z.example`, AAAA)).answers, []);
});

test('all other names in the zone do not exist', () => {
  const absent = [
    'x',
    `1-${id.slice(1)}`,
    `1-${id.repeat(2)}0`,
    `100-${id}`,
    `-${id}`,
    id,
    `1-${id.replace('0', 'g')}`,
    'whoami.x',
    `1-${id}.x`,
  ];
  for (const name of absent)
    for (const type of [A, TXT, queryTypes.ANY])
      assert.deepEqual(shapeOf(`${name}.dns.seen.example`, type), ['NXDOMAIN', [], [SOA]], name);
});

test('refuses names outside of the zone, other classes, and transfers', () => {
  const refused = ['REFUSED', [], []];
  for (const name of [
    '.',
    'example',
    'seen.example',
    'other.example',
    'xdns.seen.example',
    'x\\.dns.seen.example',
    'dns.seen.example.org',
  ])
    assert.deepEqual(shapeOf(name, A), refused, name);
  for (const other of [0, 3, 4, 254, 255])
    assert.deepEqual(shapeOf('dns.seen.example', SOA, { class: other }), refused);
  for (const type of [queryTypes.AXFR, queryTypes.IXFR])
    for (const name of ['dns.seen.example', 'whoami.dns.seen.example']) assert.deepEqual(shapeOf(name, type), refused);
});

test('answers ANY with one HINFO record (RFC 8482)', () => {
  for (const name of ['dns.seen.example', 'whoami.dns.seen.example', `1-${id}.dns.seen.example`])
    assert.deepEqual(shapeOf(name, queryTypes.ANY), ['NOERROR', [hinfo], []]);
});

test('finds id, number and depth of a name', () => {
  assert.deepEqual(zone.probeOf(`1-${id.toUpperCase()}.dns.seen.example`), { id, number: 1, depth: 0 });
  assert.deepEqual(zone.probeOf(`a.b.12-${id}.Dns.Seen.Example`), { id, number: 12, depth: 2 });
  for (const name of [
    'dns.seen.example',
    'whoami.dns.seen.example',
    `1-${id}.seen.example`,
    `1-${id}.x.dns.seen.example`,
    '.',
  ])
    assert.equal(zone.probeOf(name), null, name);
});

test('a name has mixed case if it has upper-case and lower-case letters', () => {
  assert.deepEqual(['wHoami.example', 'whoami.example', 'WHOAMI', '1-2.'].map(isMixedCase), [
    true,
    false,
    false,
    false,
  ]);
});
