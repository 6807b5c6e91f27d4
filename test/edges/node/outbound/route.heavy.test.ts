/** Lookups of a machine without a route over one IP version or a free local port, or whose only address is on the loopback interface. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInNamespace, skipWithoutNamespaces } from '../../../network-namespace.ts';

const scenario = fileURLToPath(new URL('route-scenario.ts', import.meta.url));
const skip = skipWithoutNamespaces('ip');

/** The lines of `grade` and `cert` for each target; nothing listens at 127.0.0.1. */
async function linesOf(commands: string, ...targets: readonly string[]): Promise<readonly string[]> {
  const setUp = `
    set -e
    hosts=$(mktemp)
    printf '127.0.0.1 dual.example\\n2001:db8::2 dual.example\\n2001:db8::2 six.example\\n' > $hosts
    mount --bind $hosts /etc/hosts
    rm $hosts
    ip link set lo up
    ip link add out type veth peer name end
    ip link set end up
    ip link set out up
    ${commands}
    "$@"`;
  return (await runInNamespace(setUp, scenario, targets)) as readonly string[];
}

test('no route over IPv6 is not the fault of the target', { skip }, async () => {
  const own =
    /^seenby: The machine of this lookup has no route to the target over IPv6, and does not reach it over IPv4; /;
  const targets = ['dual.example', 'six.example', '[2001:db8::2]'];
  for (const kernel of ['', 'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6']) {
    const lines = await linesOf(`ip addr add 10.98.255.1/16 dev out; ${kernel}`, ...targets);
    const [gradeOfBoth = '', certOfBoth = '', ...ofSix] = lines;
    assert.match(gradeOfBoth, own);
    assert.match(certOfBoth, /refused.*no route from here|no route from here.*refused/);
    assert.deepEqual([ofSix.length, ofSix.filter((line) => own.test(line)).length], [4, 2], `${ofSix}`);
    assert.equal(ofSix.filter((line) => /no certificate: no route from here/.test(line)).length, 2, `${ofSix}`);
  }
  // The route itself may reject.
  const [rejected] = await linesOf(
    'ip addr add 10.98.255.1/16 dev out; ip -6 route add unreachable default',
    'six.example',
  );
  assert.match(`${rejected}`, own);
});

test('an address on the loopback interface is a network if a route leads away', { skip }, async () => {
  const address = 'ip addr add 203.0.113.1/32 dev lo';
  const [offline] = await linesOf(address, '198.51.100.1');
  assert.match(`${offline}`, /^seenby: no network: /);
  // Over a next hop of IPv6, as routers without addresses for their links have it (RFC 8950).
  const route = 'sleep 2; ip route add default via inet6 fe80::1 dev out; ip route add unreachable 198.51.100.0/24';
  const [online] = await linesOf(`${address}; ${route}`, '198.51.100.1');
  assert.match(`${online}`, /^seenby: The machine of this lookup has no route to the target over IPv4, /);
});

test('a machine without a free local port is overloaded, not without a route', { skip }, async () => {
  const connected = `const server = require('node:net').createServer().listen(443, '10.98.255.1', () => require('node:net').connect(443, '10.98.255.1'))`;
  const lines = await linesOf(
    `ip addr add 10.98.255.1/16 dev out
    echo '40000 40000' > /proc/sys/net/ipv4/ip_local_port_range
    "$1" -e "${connected}" &
    while ! grep -q ':9C40 ' /proc/net/tcp; do sleep 0.05; done`,
    '10.98.255.1',
  );
  assert.match(`${lines[0]}`, /^seenby: Too many lookups are in progress; /);
  assert.match(`${lines[1]}`, /^no certificate: not tested: too many connections in progress/);
});
