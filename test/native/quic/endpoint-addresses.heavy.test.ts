/** The QUIC server on a machine with several addresses: it responds from the one that a client has used. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInNamespace, skipWithoutNamespaces, twoNetworks } from '../../network-namespace.ts';
import { skipNgtcp2 } from '../../quic-clients.ts';

/** Two addresses of each family, and an anycast address on the loopback interface. */
const setUp = `${twoNetworks}
  ip addr add 10.9.0.1/24 dev inside
  ip addr add 10.9.0.2/24 dev inside
  ip addr add fd09::1/64 dev inside nodad
  ip addr add fd09::2/64 dev inside nodad
  ip addr add 192.0.2.9/32 dev lo
  nsenter --net -t $peer sh -c '
    ip addr add 10.9.0.100/24 dev outside && ip addr add fd09::100/64 dev outside nodad &&
    ip route add 192.0.2.9 via 10.9.0.1'
  "$@" $peer
`;

test('responds from the address that was requested, over IPv4 and IPv6, and on addresses that come later', {
  skip: skipWithoutNamespaces() || skipNgtcp2,
}, async () => {
  const scenario = fileURLToPath(new URL('addresses-scenario.ts', import.meta.url));
  assert.deepEqual(await runInNamespace(setUp, scenario), {
    '10.9.0.1': true,
    '10.9.0.2': true,
    'fd09::1': true,
    'fd09::2': true,
    '192.0.2.9': true,
    '10.9.0.1, still': true,
  });
});
