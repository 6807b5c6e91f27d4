/** The QUIC server on a machine with several addresses: it responds from the one that a client has used. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runToEnd, skipNgtcp2 } from '../../quic-clients.ts';

const environment: NodeJS.ProcessEnv = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
/** With the privilege to create namespaces, or in a user namespace that grants it. */
const namespace = [['--net'], ['--net', '--map-root-user']].find(
  (options) => spawnSync('unshare', [...options, 'ip', 'link', 'set', 'lo', 'up'], { env: environment }).status === 0,
);
const lacks = namespace === undefined ? 'needs unshare, ip and the privilege to create namespaces' : false;

/** Two networks with a cable between them: `inside` with two addresses of each family, and an anycast address on its loopback interface. */
const setUp = `
  set -e
  unshare --net sleep infinity & peer=$!
  trap 'kill $peer' EXIT
  while [ "$(readlink /proc/$peer/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
  ip link set lo up
  ip link add inside type veth peer name outside netns $peer
  ip addr add 10.9.0.1/24 dev inside
  ip addr add 10.9.0.2/24 dev inside
  ip addr add fd09::1/64 dev inside nodad
  ip addr add fd09::2/64 dev inside nodad
  ip addr add 192.0.2.9/32 dev lo
  ip link set inside up
  nsenter --net -t $peer sh -c '
    ip addr add 10.9.0.100/24 dev outside && ip addr add fd09::100/64 dev outside nodad && ip link set outside up &&
    ip route add 192.0.2.9 via 10.9.0.1'
  "$@" $peer
`;

test('responds from the address that was requested, over IPv4 and IPv6, and on addresses that come later', {
  // In CI a missing requirement is a failure.
  skip: process.env.CI ? false : lacks || skipNgtcp2,
  timeout: 120_000,
}, async () => {
  assert.ok(namespace !== undefined, String(lacks));
  const scenario = fileURLToPath(new URL('addresses-scenario.ts', import.meta.url));
  const script = ['sh', '-c', setUp, 'sh', process.execPath, '--disable-warning=ExperimentalWarning', scenario];
  const { NODE_TEST_CONTEXT: _, ...env } = environment;
  const { printed, code } = await runToEnd(spawn('unshare', [...namespace, ...script], { env }));
  assert.equal(code, 0, printed);
  assert.deepEqual(JSON.parse(printed), {
    '10.9.0.1': true,
    '10.9.0.2': true,
    'fd09::1': true,
    'fd09::2': true,
    '192.0.2.9': true,
    '10.9.0.1, still': true,
  });
});
