/** Real resolvers resolve names of the service's zone, delegated to it by a root of the test's own, and show what they are configured to send. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { IdQuery } from '../../src/core/name-server.ts';
import { createZone, isMixedCase } from '../../src/edges/dns/zone.ts';
import { resolvers } from '../../src/resources/resolvers.ts';
import { runInNamespace, skipWithoutNamespaces } from '../network-namespace.ts';
import { skipUnlessAll } from '../random.ts';
import type { Resolution } from './recursive-resolver-scenario.ts';
import { addresses, forwarder, type ResolverName, recursiveResolvers, root } from './recursive-resolvers.ts';

const setUp = `
  set -e
  ip link set lo up
  ${Object.values(addresses)
    .map((address) => `ip addr add ${address}/${address.includes(':') ? '128 nodad' : '32'} dev lo`)
    .join('\n')}
  exec "$@"
`;
const scenario = fileURLToPath(new URL('recursive-resolver-scenario.ts', import.meta.url));

/** What a resolver shows in the configuration of this test. */
interface Shown {
  readonly dnssecOk: boolean;
  readonly cookie: boolean;
  readonly clientSubnet: string;
  readonly mixedCase: boolean;
}

const shown: Readonly<Record<ResolverName, Shown>> = {
  unbound: { dnssecOk: true, cookie: false, clientSubnet: '10.53.0.0/24', mixedCase: true },
  bind9: { dnssecOk: true, cookie: true, clientSubnet: 'none', mixedCase: false },
  'knot-resolver': { dnssecOk: true, cookie: false, clientSubnet: 'none', mixedCase: true },
  'pdns-recursor': { dnssecOk: false, cookie: false, clientSubnet: '10.53.0.0/24', mixedCase: false },
};

const service = ['192.0.2.1'];
const serviceIpv6 = ['2001:db8::1'];
const { resolver, resolverIpv6 } = addresses;

function assertResolved({ answers, queries }: Resolution, { dnssecOk, cookie, clientSubnet, mixedCase }: Shown): void {
  for (const [zone, address, transport] of [
    ['ipv4.example', resolver, 'udp'],
    ['ipv6.example', resolverIpv6, 'udp'],
    ['overtcp.example', resolver, 'tcp'],
  ] as const) {
    const [text = ''] = answers[`whoami.${zone} TXT`] ?? [];
    const values = Object.fromEntries([...text.matchAll(/"(\w+)=([^"]*)"/g)].map(([, key, value]) => [key, value]));
    const { port, ...others } = values;
    assert.match(port ?? '', /^\d+$/);
    assert.deepEqual(others, {
      address,
      transport,
      ednsBufferBytes: '1232',
      dnssecOk: `${dnssecOk}`,
      cookie: `${cookie}`,
      clientSubnet,
      mixedCase: `${mixedCase}`,
    });
    const isIpv6 = address.includes(':');
    assert.deepEqual(answers[`whoami.${zone} A`], isIpv6 ? [] : [address]);
    assert.deepEqual(answers[`whoami.${zone} AAAA`], isIpv6 ? [address] : []);
    assert.deepEqual(answers[`1-0123456789abcdef.${zone} A`], service);
    assert.deepEqual(answers[`1-0123456789abcdef.${zone} AAAA`], serviceIpv6);
    assert.deepEqual(answers[`1-0123456789abcdef.${zone} HTTPS`], []);
    assert.deepEqual(answers[`a.b.2-0123456789abcdef.${zone} A`], service);
    const { probeOf } = createZone({ zone, nameServers: [], addresses: [] });
    const observed = queries.flatMap((query): IdQuery[] => {
      const probe = probeOf(query.name);
      if (probe === null) return [];
      const { address, transport, type, name } = query;
      const edns = { ednsBufferBytes: null, dnssecOk: false, hasCookie: false, clientSubnet: null };
      const { number, depth } = probe;
      return [{ address, transport, type, number, depth, hasMixedCase: isMixedCase(name), ...edns }];
    });
    const [found, ...more] = resolvers(
      zone,
      { queries: observed, isTruncated: false, isLimited: false },
      null,
    ).resolvers;
    assert.deepEqual([found?.address, more], [address, []]);
    // All of them minimize names: a part comes before the whole name (RFC 9156).
    assert.equal(found?.minimizesNames, true, JSON.stringify(observed));
    const nested = observed.filter(({ number }) => number === 2);
    if (mixedCase) assert.ok(nested.some(({ hasMixedCase }) => hasMixedCase));
  }
  assert.ok(queries.every(({ address }) => address === resolver || address === resolverIpv6));
}

const programs = ['ip', 'dig', 'setpriv', root.command];

describe('names of the zone are resolved by', () => {
  for (const [name, { command }] of Object.entries(recursiveResolvers))
    test(name, {
      skip: (name !== 'unbound' && skipUnlessAll) || skipWithoutNamespaces(...programs, command),
    }, async () => {
      assertResolved(
        (await runInNamespace(setUp, scenario, [name, 'resolver'])) as Resolution,
        shown[name as ResolverName],
      );
    });

  test('unbound behind dnsmasq', {
    skip: skipUnlessAll || skipWithoutNamespaces(...programs, 'unbound', forwarder.command),
  }, async () => {
    const resolution = (await runInNamespace(setUp, scenario, ['unbound', 'forwarder'])) as Resolution;
    assertResolved(resolution, shown.unbound);
  });
});
