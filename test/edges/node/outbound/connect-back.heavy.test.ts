/** Connections to the client's own ports, between two networks: with firewalls, forged addresses, and a service without IPv6. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInNamespace, skipWithoutNamespaces, twoNetworks } from '../../../network-namespace.ts';

/** Ports of the clients: 80 is open, 81 closed; a firewall rejects 82, 84, 86 and 87, drops 83, and resets 85. */
const setUp = `${twoNetworks}
  ip addr add 31.0.0.1/24 dev inside
  ip addr add 31.1.0.1/32 dev lo
  ip addr add 2a00:1::1/64 dev inside nodad
  nsenter --net -t $peer sh -c '
    for n in 2 3 9; do ip addr add 31.0.0.$n/24 dev outside; ip addr add 2a00:1::$n/64 dev outside nodad; done
    nft "add table inet t; add chain inet t i { type filter hook input priority 0; };
      add rule inet t i tcp dport 82 reject with icmpx port-unreachable; add rule inet t i tcp dport 83 drop;
      add rule inet t i tcp dport 84 reject with icmpx admin-prohibited; add rule inet t i tcp dport 85 reject with tcp reset;
      add rule inet t i tcp dport 86 reject with icmpx no-route;
      add rule inet t i meta nfproto ipv4 tcp dport 87 reject with icmp prot-unreachable;
      add rule inet t i meta nfproto ipv6 tcp dport 87 reject with icmpv6 policy-fail"'
  "$@" $peer
`;

describe('a port check', { skip: skipWithoutNamespaces('nft', 'curl') }, () => {
  let results: Record<string, unknown> = {};
  before(async () => {
    const scenario = fileURLToPath(new URL('connect-back-scenario.ts', import.meta.url));
    results = (await runInNamespace(setUp, scenario)) as typeof results;
  });

  for (const [family, ip] of [
    ['IPv4', '31.0.0.2'],
    ['IPv6', '2a00:1::2'],
  ])
    test(`states what a port does with a connection, and sends no byte, over ${family}`, () => {
      const states = [80, 81, 82, 83, 84, 85, 86, 87].map((port) => results[`${family} ${port}`]);
      const expected = ['open', 'closed', 'closed', 'filtered', 'filtered', 'closed', 'filtered', 'filtered'];
      assert.deepEqual(
        states,
        expected.map((state) => [200, ip, state]),
      );
    });

  test('connects to the address of the client, whatever its headers, its query and its PROXY header say', () => {
    assert.deepEqual(results['forged headers and query'], [200, '31.0.0.2', 'open']);
    assert.deepEqual(results['forged, arrived'], ['31.0.0.2', 0]);
    assert.deepEqual(results['PROXY header of a stranger'], [400, null, null]);
    assert.deepEqual(results['PROXY header of the proxy'], [200, '31.0.0.3', 'open']);
    assert.deepEqual(results['PROXY header of the proxy, arrived'], ['31.0.0.3', 0]);
  });

  test('connects to nothing for a page of another origin, for HEAD, and for two ports', () => {
    assert.deepEqual(errorOf('cross-site'), [403, 'cross_origin']);
    assert.deepEqual(results.HEAD, [200, null, null]);
    assert.deepEqual(errorOf('two ports'), [400, 'invalid_query']);
    // In all, only the five connections that other tests expect.
    assert.deepEqual(results['both, arrived'], [
      ['2a00:1::2', 0],
      ['31.0.0.2', 0],
    ]);
    assert.equal(results['arrived besides'], null);
  });

  test('is an error with a reason, and no state, if the service has no route or no IPv6', () => {
    for (const name of ['without IPv6', 'no route']) assert.deepEqual(errorOf(name), [502, 'target_unreachable'], name);
  });

  test('rejects own and private addresses, and a client that is not known for certain', () => {
    for (const name of ['own address', 'own address on lo', 'host of PUBLIC_URL', 'NAT64 of an own address'])
      assert.deepEqual(errorOf(name), [400, 'invalid_target'], name);
    for (const name of ['private address', 'proxy that names no client'])
      assert.deepEqual(errorOf(name), [400, 'blocked_address'], name);
  });

  /** Status and code. */
  const errorOf = (name: string): unknown => (results[name] as readonly unknown[]).slice(0, 2);
});
