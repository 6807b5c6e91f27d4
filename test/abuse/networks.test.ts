/** One attacker with many addresses holds all connections of a service with default settings: other networks are served. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInNamespace, skipWithoutNamespaces } from '../network-namespace.ts';
import { skipUnlessAll } from '../random.ts';
import { assertWithin } from './bounds.ts';
import type { Result } from './network-scenario.ts';

/** Beyond the part of MAX_CONNECTIONS from which new connections take the place of others. */
const allConnections = 7_500;
const clients = 40;
/** Permitted CPU time of the service before each response, in yardsticks: as for 99 of 100 requests during other attacks. */
const mostYardsticks = 18;
/** Permitted memory: 10,000 connections, as MAX_CONNECTIONS permits, take 12 KB each, and the heap grows by 60 percent before it is collected. */
const mostMb = 250;
const skip = process.platform === 'linux' ? skipUnlessAll || skipWithoutNamespaces('ip') : 'needs Linux';

/** Every address of these networks is one of the machine. */
const setUp = `
  set -e
  ulimit -n $(ulimit -Hn)
  ip link set lo up
  for network in 100.64.0.0/10 198.18.0.0/15; do ip route add local $network dev lo; done
  ip -6 route add local 2001:db8::/32 dev lo
  # A client may have any address of them.
  echo 1 > /proc/sys/net/ipv6/ip_nonlocal_bind
  exec "$@"
`;

const hosts = { 4: '198.19.255.1', 6: '2001:db8:ffff::1' } as const;

const manyOf = (count: number, address: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => address(at));

/** More connections than MAX_CONNECTIONS, none of an address above MAX_CONNECTIONS_PER_ADDRESS. */
const attackers = {
  '41 IPv4 addresses': { host: hosts[4], addresses: manyOf(41, (at) => `198.18.${at}.7`), each: 250 },
  '400 IPv4 addresses of 20 networks': {
    host: hosts[4],
    addresses: manyOf(400, (at) => `198.18.${at % 20}.${1 + Math.floor(at / 20)}`),
    each: 26,
  },
  '43 /64s of an IPv6 /48': {
    host: hosts[6],
    addresses: manyOf(43, (at) => `2001:db8:1:${at.toString(16)}::1`),
    each: 240,
  },
};

for (const [name, attacker] of Object.entries(attackers))
  for (const reconnects of [false, true])
    test(
      `${name} hold all connections${reconnects ? ', and connect again when one is closed' : ''}`,
      { skip, timeout: 300_000 },
      (context) => withstand(context, { ...attacker, reconnects }),
    );

async function withstand(context: TestContext, holding: object): Promise<void> {
  const scenario = fileURLToPath(new URL('network-scenario.ts', import.meta.url));
  const args = [JSON.stringify(holding), JSON.stringify(allConnections)];
  const { rounds, most, peakMb } = (await runInNamespace(setUp, scenario, args)) as Result;
  context.diagnostic(`${rounds.length} rounds, up to ${most} connections`);
  assert.ok(most >= allConnections, `${most}`);
  assert.deepEqual(new Set(rounds.map(({ served }) => served)), new Set([clients]));
  const value = Math.max(...rounds.map(({ slowest }) => slowest));
  assertWithin(context, { name: 'slowest of all', value, most: mostYardsticks, unit: 'yardsticks' });
  assertWithin(context, { name: 'memory', value: peakMb, most: mostMb, unit: 'MB' });
}
