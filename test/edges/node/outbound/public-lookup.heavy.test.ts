/** Which addresses a lookup takes for the service's own, on a machine with several kinds of them. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Answer, decode, encode, RECURSION_DESIRED } from 'dns-packet';
import { formatAddress } from '../../../../src/core/address.ts';
import { publicAddresses, resolveAll } from '../../../../src/edges/node/outbound/public-lookup.ts';
import { runInNamespace, skipWithoutNamespaces } from '../../../network-namespace.ts';

/**
 * An anycast address of each family on the loopback interface, a block of each that is routed as local (AnyIP), also with another source
 * address, and an ordinary interface with two addresses.
 */
const setUp = `
  set -e
  ip link set lo up
  ip link add v0 type veth peer name v1
  ip addr add 10.9.0.1/24 dev v0
  ip addr add 10.9.0.2/24 dev v0
  ip addr add 2001:200:9::1/64 dev v0 nodad
  ip link set v0 up
  ip link set v1 up
  ip route add default via 10.9.0.9
  ip -6 route add default via 2001:200:9::9
  ip addr add 31.0.0.7/32 dev lo
  ip addr add 2001:200:1::7/128 dev lo nodad
  ip route add local 32.0.0.0/24 dev lo
  ip route add local 33.0.0.0/24 dev lo src 10.9.0.1
  ip -6 route add local 2001:200:2::/64 dev lo
  "$@"
`;

const own = [
  ...['10.9.0.1', '10.9.0.2', '31.0.0.7', '32.0.0.1', '32.0.0.255', '33.0.0.1'],
  ...['2001:200:9::1', '2001:200:1::7', '2001:200:2::5'],
  ...['::ffff:31.0.0.7', '64:ff9b::31.0.0.7', '64:ff9b::32.0.0.1', '64:ff9b::10.9.0.1'],
];
const blocked = [
  '10.9.0.3',
  '127.0.0.1',
  '127.9.9.9',
  '::1',
  '0.0.0.0',
  '::',
  '64:ff9b::127.0.0.1',
  '64:ff9b::10.9.0.3',
];
const allowed = [
  '31.0.0.8',
  '32.0.1.1',
  '8.8.8.8',
  '2001:200:9::2',
  '2001:200:1::8',
  '2001:200:3::1',
  '64:ff9b::8.8.8.8',
];

const scenario = fileURLToPath(new URL('public-lookup-scenario.ts', import.meta.url));
const options = { skip: skipWithoutNamespaces() };

test('recognizes addresses of every interface and every local route, in each form', options, async () => {
  const expected = [
    ...own.map((address) => [address, 'own']),
    ...blocked.map((address) => [address, 'blocked']),
    ...allowed.map((address) => [address, 'allowed']),
  ];
  assert.deepEqual(
    await runInNamespace(setUp, scenario, [...own, ...blocked, ...allowed]),
    Object.fromEntries(expected),
  );
});

test('takes no address for its own only because all are local, as for a transparent proxy', options, async () => {
  const allLocal = `${setUp.replace('"$@"', '')}
    ip route add local 0.0.0.0/0 dev lo table local
    ip -6 route add local ::/0 dev lo table local
    "$@"`;
  assert.deepEqual(await runInNamespace(allLocal, scenario, ['8.8.8.8', '2a00::1', '31.0.0.7', '2001:200:2::5']), {
    '8.8.8.8': 'allowed',
    '2a00::1': 'allowed',
    '31.0.0.7': 'own',
    '2001:200:2::5': 'own',
  });
});

/** What the name server sends for AAAA, while the host has an IPv4 address: an address, none by its code, or no response. */
const responses = {
  address: ['192.0.2.1', '2001:db8::1'],
  none: ['192.0.2.1'],
  servfail: null,
  silent: null,
} as const;

test('knows all addresses of a host only if the name server responds about each IP version', async (t) => {
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  let aaaa: keyof typeof responses = 'silent';
  server.on('message', (message, { port, address }) => {
    const { id = 0, questions = [] } = decode(message);
    const { name = '', type = 'A' } = questions[0] ?? {};
    if (type === 'AAAA' && aaaa === 'silent') return;
    const data = type === 'A' ? '192.0.2.1' : '2001:db8::1';
    const answers = type === 'A' || aaaa === 'address' ? [{ name, type: type as 'A', ttl: 0, data }] : [];
    const code = type === 'AAAA' && aaaa === 'servfail' ? 2 : 0;
    const flags = RECURSION_DESIRED | 0x80 | code;
    server.send(encode({ type: 'response', id, flags, questions, answers }), port, address);
  });
  for (const [kind, expected] of Object.entries(responses)) {
    aaaa = kind as keyof typeof responses;
    const resolver = new Resolver({ timeout: 10_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${server.address().port}`]);
    const found = await resolveAll('seenby.example', aaaa === 'silent' ? 200 : 10_000, resolver);
    assert.deepEqual(found?.map(formatAddress).toSorted() ?? null, expected, kind);
  }
});

test('a name server that does not respond fails, unless it has less than a second', async (t) => {
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const found = (timeoutMs: number) => {
    const resolver = new Resolver({ timeout: 10_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${server.address().port}`]);
    return publicAddresses('silent.example', timeoutMs, resolver);
  };
  assert.deepEqual(await Promise.all([found(100), found(1_000)]), ['timeout', 'dns_failed']);
});

test('connects to at most 16 addresses of each IP version, and checks these', async (t) => {
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const data = { A: [] as string[], AAAA: [] as string[] };
  server.on('message', (message, { port, address }) => {
    const { id = 0, questions = [] } = decode(message);
    const { name = '', type } = questions[0] ?? {};
    const answers = (type === 'A' || type === 'AAAA' ? data[type] : []).map((each) => ({ name, type, data: each }));
    server.send(
      encode({ type: 'response', id, flags: RECURSION_DESIRED | 0x80, questions, answers: answers as Answer[] }),
      port,
      address,
    );
  });
  const found = () => {
    const resolver = new Resolver({ timeout: 10_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${server.address().port}`]);
    return publicAddresses('many.example', 10_000, resolver);
  };
  data.A = Array.from({ length: 40 }, (_, at) => `8.8.${at}.8`);
  data.AAAA = Array.from({ length: 20 }, (_, at) => `2a00::${at + 1}`);
  const addresses = await found();
  assert.ok(typeof addresses !== 'string');
  assert.deepEqual(
    [4, 6].map((version) => addresses.filter(({ family }) => family === version).length),
    [16, 16],
  );
  // The order of a resolver varies.
  for (const each of addresses) assert.ok(data[each.family === 4 ? 'A' : 'AAAA'].includes(each.address), each.address);
  data.A = Array.from({ length: 15 }, (_, at) => `8.8.${at}.8`).concat('10.0.0.1');
  assert.equal(await found(), 'blocked');
});
