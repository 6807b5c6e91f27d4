/** The DNS server on port 53 of a machine with several addresses, beside a resolver on a loopback address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInNamespace, skipWithoutNamespaces, twoNetworks } from '../../network-namespace.ts';

/** Two addresses, one of IPv6, and an anycast address on the loopback interface. */
const setUp = `${twoNetworks}
  ip addr add 10.9.0.1/24 dev inside
  ip addr add 10.9.0.2/24 dev inside
  ip addr add fd09::1/64 dev inside nodad
  ip addr add 192.0.2.9/32 dev lo
  nsenter --net -t $peer sh -c '
    ip addr add 10.9.0.100/24 dev outside && ip addr add fd09::100/64 dev outside nodad &&
    ip route add 192.0.2.9 via 10.9.0.1'
  "$@" $peer
`;

test('answers on every address but loopback ones, from the one that was asked, and on addresses that come later', {
  skip: skipWithoutNamespaces('dig'),
}, async () => {
  const scenario = fileURLToPath(new URL('addresses-scenario.ts', import.meta.url));
  const both = ['udp', 'tcp'];
  assert.deepEqual(await runInNamespace(setUp, scenario), {
    '10.9.0.1': both,
    '10.9.0.2': both,
    'fd09::1': both,
    '192.0.2.9': both,
    '10.9.0.1, still': both,
  });
});
