/** What the check of a delegation finds, with resolvers and servers that respond in each way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDelegation } from '../../../src/cli/delegation/check.ts';
import type { Reaction } from '../../../src/cli/delegation/name-server.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import type { DnsAnswer, DnsRecord, DnsType } from '../../../src/lookups/dns/schema.ts';

const zone = 'dns.seen.example';
const nameServers = ['ns1.seen.example', 'ns2.seen.example'];

interface World {
  /** Data of the records by name and type; a response code instead of none. */
  readonly records?: Readonly<Record<string, readonly string[] | string>>;
  /** Targets of aliases by name. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly reaction?: Reaction;
  /** What resolvers reject with for names of the zone. */
  readonly error?: Error;
}

const complete: Readonly<Record<string, readonly string[]>> = {
  'ns1.seen.example A': ['192.0.2.1'],
  'ns2.seen.example AAAA': ['2001:db8::2'],
  [`${zone} NS`]: ['NS2.seen.example', 'ns1.seen.example'],
  [`whoami.${zone} TXT`]: ['address=198.51.100.7', 'transport=udp'],
};

function answerOf(name: string, type: DnsType, { records = {}, aliases = {} }: World): DnsAnswer {
  const found = { ...complete, ...records }[`${name.replace(/^[\da-f]{8}\./, '')} ${type}`] ?? [];
  const status = typeof found === 'string' ? found : 'NOERROR';
  const data = typeof found === 'string' ? [] : type === 'TXT' ? [found.join('')] : found;
  const record = (text: string): DnsRecord => ({
    name,
    type,
    ttl: 0,
    data: text,
    mx: null,
    txt: type === 'TXT' ? { chunks: [...found] } : null,
    caa: null,
    soa: null,
  });
  return {
    name,
    type,
    status,
    exists: null,
    records: data.map(record),
    cnameChain: [...(aliases[name] ?? [])],
    ttl: 0,
    dnssec: false,
    note: null,
    resolver: 'resolver.example',
  };
}

async function findingsOf(world: World): Promise<string[]> {
  const context = {
    zone,
    nameServers,
    async resolve(name: string, type: DnsType) {
      if (world.error !== undefined && name.endsWith(zone)) throw world.error;
      return answerOf(name, type, world);
    },
    queryServer: async () => world.reaction ?? ('answers' as const),
  };
  return (await Array.fromAsync(checkDelegation(context))).map(({ result, text }) => `${result} ${text}`);
}

const failuresOf = async (world: World) => (await findingsOf(world)).filter((line) => !line.startsWith('ok'));

test('a complete delegation has only findings that are ok', async () => {
  assert.deepEqual(await findingsOf({}), [
    'ok ns1.seen.example has 192.0.2.1',
    'ok ns2.seen.example has 2001:db8::2',
    'ok resolvers find dns.seen.example, with NS ns2.seen.example and ns1.seen.example',
    'ok 192.0.2.1 port 53 over UDP answers for the zone',
    'ok 192.0.2.1 port 53 over TCP answers for the zone',
    'ok 2001:db8::2 port 53 over UDP answers for the zone',
    'ok 2001:db8::2 port 53 over TCP answers for the zone',
    'ok whoami.dns.seen.example resolves through resolver.example: address=198.51.100.7 transport=udp',
  ]);
});

test('names each record that is missing or wrong', async () => {
  assert.deepEqual(await failuresOf({ records: { 'ns1.seen.example A': 'NXDOMAIN' } }), [
    'failed ns1.seen.example has no address (NXDOMAIN); add an A or AAAA record with a public IP address of this service',
  ]);
  assert.deepEqual(await failuresOf({ records: { [`${zone} NS`]: 'NXDOMAIN' } }), [
    'failed dns.seen.example is not delegated; add to its parent zone "dns.seen.example. NS ns1.seen.example." and "dns.seen.example. NS ns2.seen.example."',
  ]);
  assert.deepEqual(await failuresOf({ records: { [`${zone} NS`]: ['ns1.seen.example'] } }), [
    'failed dns.seen.example has the name servers ns1.seen.example; change them or DNS_NAME_SERVERS, so that both are the same',
  ]);
  assert.deepEqual(await failuresOf({ records: { [`${zone} DS`]: ['1 13 2 00'] } }), [
    'failed dns.seen.example has a DS record, but is not signed, so resolvers that validate reject it; remove the record from the parent zone',
  ]);
  const [first, second] = await failuresOf({
    records: { [`${zone} NS`]: 'SERVFAIL', [`whoami.${zone} TXT`]: 'SERVFAIL' },
  });
  assert.match(first ?? '', /^failed resolvers get no response for dns\.seen\.example; add "/);
  assert.equal(
    second,
    'failed whoami.dns.seen.example does not resolve through resolver.example (SERVFAIL); see the failures above',
  );
});

test('rejects an alias as the name of a server, with or without addresses', async () => {
  const failure =
    'failed ns1.seen.example is an alias (CNAME) of host.seen.example, and some resolvers skip such a name server; replace the CNAME record with A or AAAA records';
  const aliases = { 'ns1.seen.example': ['seen.example', 'host.seen.example'] };
  assert.deepEqual(await failuresOf({ aliases }), [failure]);
  assert.deepEqual(await failuresOf({ aliases, records: { 'ns1.seen.example A': 'NXDOMAIN' } }), [failure]);
});

test('does not know the addresses of a server if resolvers get no response to one type', async () => {
  for (const [failing, other] of [
    ['A', 'AAAA'],
    ['AAAA', 'A'],
  ] as const) {
    const records = { [`ns1.seen.example ${failing}`]: 'SERVFAIL', [`ns1.seen.example ${other}`]: [] };
    assert.deepEqual(await failuresOf({ records }), [
      `unknown the addresses of ns1.seen.example are not known, because the response for type ${failing} is SERVFAIL; check the name servers of its zone`,
    ]);
    const found = { ...records, [`ns1.seen.example ${other}`]: ['192.0.2.1'] };
    assert.deepEqual(await failuresOf({ records: found }), []);
  }
});

test('tests the servers, too, if resolvers do not respond for the zone', async () => {
  const failures = await failuresOf({ reaction: 'closed', error: new ServiceError('upstream_timeout') });
  assert.equal(failures.length, 6);
  assert.match(failures[0] ?? '', /^failed resolvers get no response for dns\.seen\.example; /);
  assert.match(failures[1] ?? '', /^failed 192\.0\.2\.1 port 53 over UDP is closed; /);
  assert.match(failures[5] ?? '', /^failed whoami\.dns\.seen\.example does not resolve \(no response in time\); /);
  await assert.rejects(findingsOf({ error: new TypeError('a fault') }), /a fault/);
});

test('states what to change for each reaction of a server, and what it could not test', async () => {
  const reactions: Readonly<Partial<Record<Reaction, RegExp>>> = {
    other: /^failed 192\.0\.2\.1 port 53 over UDP responds, but not for the zone; /,
    silent: /^failed .* does not respond; open it in every firewall, /,
    closed: /^failed .* is closed; start the service with DNS_ZONE, /,
    unreachable: /^unknown .* was not tested, /,
  };
  for (const [reaction, pattern] of Object.entries(reactions)) {
    const failures = await failuresOf({ reaction: reaction as Reaction });
    assert.equal(failures.length, 4);
    assert.match(failures[0] ?? '', pattern);
  }
});
