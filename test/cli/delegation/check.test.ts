/** What the check of a delegation finds, with resolvers and servers that respond in each way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDelegation } from '../../../src/cli/delegation/check.ts';
import type { AuthorityReply, Reaction } from '../../../src/cli/delegation/name-server.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import type { DnsAnswer, DnsRecord, DnsType } from '../../../src/lookups/dns/schema.ts';

const zone = 'dns.seen.example';
const nameServers = ['ns1.seen.example', 'ns2.seen.example'];

interface World {
  /** Data of the records by name and type; a response code instead of none. */
  readonly records?: Readonly<Record<string, readonly string[] | string>>;
  /** Targets of aliases by name. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** Over both transports, or over each. */
  readonly reaction?: Reaction | { readonly udp: Reaction; readonly tcp: Reaction };
  /** NS records of the zone at each server of the parent zone; null for one that does not respond. */
  readonly parent?: readonly (readonly string[] | null)[];
  readonly hasStore?: boolean;
  /** What resolvers reject with for names of the zone. */
  readonly error?: Error;
}

const complete: Readonly<Record<string, readonly string[]>> = {
  'example NS': ['ns.example'],
  'seen.example NS': ['ns3.seen.example', 'ns4.seen.example'],
  'ns3.seen.example A': ['192.0.2.3'],
  'ns4.seen.example A': ['192.0.2.4'],
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

const delegated = (names: readonly string[]): AuthorityReply => ({
  isAuthoritative: names.length === 0,
  status: 'NOERROR',
  answers: [],
  authorities: names.map((name) => ({ name: zone, type: 'NS', data: `${name}` })),
});

async function findingsOf(world: World): Promise<string[]> {
  const context = {
    zone,
    nameServers,
    hasStore: world.hasStore ?? false,
    async resolve(name: string, type: DnsType) {
      if (world.error !== undefined && name.endsWith(zone)) throw world.error;
      return answerOf(name, type, world);
    },
    async queryServer(_address: string, transport: 'udp' | 'tcp') {
      const { reaction = 'answers' } = world;
      return typeof reaction === 'string' ? reaction : reaction[transport];
    },
    async queryAuthority(address: string, _name: string, type: DnsType) {
      const { parent = [nameServers, nameServers] } = world;
      const names = parent[address === '192.0.2.3' ? 0 : 1] ?? null;
      return names && delegated(type === 'NS' ? names : []);
    },
  };
  return (await checkDelegation(context)).map(({ result, text }) => `${result} ${text}`);
}

const failuresOf = async (world: World) => (await findingsOf(world)).filter((line) => !line.startsWith('ok'));

test('a complete delegation has only findings that are ok', async () => {
  assert.deepEqual(await findingsOf({}), [
    'ok ns1.seen.example has 192.0.2.1',
    'ok ns2.seen.example has 2001:db8::2',
    'ok the zone seen.example delegates dns.seen.example to ns1.seen.example and ns2.seen.example',
    'ok 192.0.2.1 port 53 over UDP answers for the zone',
    'ok 192.0.2.1 port 53 over TCP answers for the zone',
    'ok 2001:db8::2 port 53 over UDP answers for the zone',
    'ok 2001:db8::2 port 53 over TCP answers for the zone',
    'ok whoami.dns.seen.example resolves through resolver.example: address=198.51.100.7 transport=udp',
  ]);
});

test('several servers of one IP version need a store if they are several instances', async () => {
  const records = { 'ns1.seen.example A': ['192.0.2.1', '192.0.2.2'] };
  const [line = '', ...others] = await failuresOf({ records });
  assert.match(
    line,
    /^unknown the servers of dns\.seen\.example have several addresses; .* set RATE_LIMIT_STORE on each/,
  );
  assert.deepEqual(others, []);
  assert.deepEqual(await failuresOf({ records, hasStore: true }), []);
});

test('states which of several NS records is missing, wrong or not needed', async () => {
  const lineOf = async (...names: readonly string[]) => (await failuresOf({ parent: [names, names] }))[0];
  const end = ', or correct DNS_NAME_SERVERS';
  const begin = (names: string) => `failed the zone seen.example delegates dns.seen.example to ${names}; `;
  assert.equal(
    await lineOf('ns1.seen.example'),
    `${begin('ns1.seen.example')}add to the zone seen.example "dns.seen.example. NS ns2.seen.example."${end}`,
  );
  assert.equal(
    await lineOf('ns1.seen.example', 'ns3.seen.example'),
    `${begin('ns1.seen.example and ns3.seen.example')}replace in the zone seen.example "dns.seen.example. NS ns3.seen.example." with "dns.seen.example. NS ns2.seen.example."${end}`,
  );
  assert.equal(
    await lineOf(...nameServers, 'ns3.seen.example'),
    `${begin('ns1.seen.example and ns2.seen.example and ns3.seen.example')}remove from the zone seen.example "dns.seen.example. NS ns3.seen.example."${end}`,
  );
});

test('a server of the parent zone that does not respond is no fault; without any, resolvers show what they can', async () => {
  assert.deepEqual(await failuresOf({ parent: [null, nameServers] }), []);
  const unread = 'unknown the servers of the parent zone of dns.seen.example do not respond to this machine';
  const parent = [null, null];
  assert.deepEqual(await failuresOf({ parent }), []);
  for (const [records, aliases, first] of [
    [{ [`${zone} NS`]: 'NXDOMAIN' }, {}, 'is not delegated; add to its parent zone "'],
    [
      { [`${zone} NS`]: [] },
      { [zone]: ['host.example'] },
      'is an alias (CNAME) of host.example; add to its parent zone',
    ],
    [{ [`${zone} DS`]: ['1 13 2 00'] }, {}, 'has a DS record, but is not signed'],
  ] as const) {
    const [line = '', ...others] = await failuresOf({ parent, records, aliases });
    assert.ok(line.startsWith(`failed dns.seen.example ${first}`), line);
    assert.ok(others.includes(unread));
  }
});

test('names the zone above that does not resolve, before everything that follows from it', async () => {
  const [first] = await failuresOf({ records: { 'seen.example NS': 'SERVFAIL', 'ns1.seen.example A': 'SERVFAIL' } });
  assert.match(first ?? '', /^failed seen\.example does not resolve \(SERVFAIL\), /);
  const [missing] = await failuresOf({ records: { 'seen.example NS': 'NXDOMAIN' } });
  assert.match(missing ?? '', /^failed seen\.example does not exist; /);
});

test('rejects an alias as the name of a server, with or without addresses, and an address that is not public', async () => {
  const failure =
    'failed ns1.seen.example is an alias (CNAME) of seen.example, and some resolvers skip such a name server; replace "ns1.seen.example. CNAME seen.example." with A or AAAA records with the public IP addresses of this service';
  const aliases = { 'ns1.seen.example': ['seen.example', 'host.seen.example'] };
  assert.deepEqual(await failuresOf({ aliases }), [failure]);
  assert.deepEqual(await failuresOf({ aliases, records: { 'ns1.seen.example A': 'NXDOMAIN' } }), [failure]);
  assert.deepEqual(await failuresOf({ records: { 'ns1.seen.example A': ['192.168.0.7'] } }), [
    'failed ns1.seen.example has 192.168.0.7, which resolvers on the internet cannot reach; replace "ns1.seen.example. A 192.168.0.7" with a public IP address of this service',
  ]);
});

test('does not know the addresses of a server if resolvers get no response to one type', async () => {
  for (const [failing, other] of [
    ['A', 'AAAA'],
    ['AAAA', 'A'],
  ] as const) {
    const records = { [`ns1.seen.example ${failing}`]: 'SERVFAIL', [`ns1.seen.example ${other}`]: [] };
    assert.deepEqual(await failuresOf({ records }), [
      `failed the addresses of ns1.seen.example are not known (${failing}: SERVFAIL); correct the zone of this name first`,
    ]);
    const found = { ...records, [`ns1.seen.example ${other}`]: ['192.0.2.1'] };
    assert.deepEqual(await failuresOf({ records: found }), []);
  }
});

test('tests the servers, too, if resolvers do not respond for the zone', async () => {
  const failures = await failuresOf({ reaction: 'closed', error: new ServiceError('upstream_timeout') });
  assert.equal(failures.length, 5);
  assert.match(failures[0] ?? '', /^failed 192\.0\.2\.1 port 53 over UDP is closed; /);
  assert.match(failures[4] ?? '', /^failed whoami\.dns\.seen\.example does not resolve \(no response in time\); see /);
  await assert.rejects(findingsOf({ error: new TypeError('a fault') }), /a fault/);
});

test('states what to change for each reaction of a server, and what it could not test', async () => {
  const reactions: Readonly<Partial<Record<Reaction, RegExp>>> = {
    other: /^failed 192\.0\.2\.1 port 53 over UDP responds, but not for the zone; set DNS_ZONE=dns\.seen\.example /,
    resolver: /^failed .* responds as a resolver, /,
    elsewhere: /^failed .* is answered from another address, /,
    silent: /^failed .* does not respond; open port 53 over UDP in every firewall /,
    rejected: /^failed .* is rejected by a firewall .*; open port 53 over UDP there/,
    closed: /^failed .* is closed; start the service with DNS_ZONE, /,
    unroutable: /^failed .* is unreachable: a router on the way .* correct the address of ns1\.seen\.example, /,
    untested: /^unknown .* was not tested, /,
  };
  for (const [reaction, pattern] of Object.entries(reactions)) {
    const failures = await failuresOf({ reaction: reaction as Reaction });
    assert.equal(failures.length, 4);
    assert.match(failures[0] ?? '', pattern);
  }
  // Linux does not tell UDP sockets of an unreachable network.
  const [udp] = await failuresOf({ reaction: { udp: 'silent', tcp: 'unroutable' } });
  assert.match(udp ?? '', /over UDP is unreachable/);
});

test('fails if a gateway replaces the addresses of resolvers, with private ones', async () => {
  for (const address of ['172.17.0.1', 'fd00::1']) {
    const [line] = await failuresOf({ records: { [`whoami.${zone} TXT`]: [`address=${address}`, 'transport=udp'] } });
    assert.ok(
      line?.startsWith(`failed whoami.dns.seen.example shows ${address} as the address of a public resolver: `),
    );
  }
});
