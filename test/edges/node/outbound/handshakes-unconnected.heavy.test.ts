/** `seenby cert` with an address on which nobody answers, and with one of this machine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInNamespace, skipWithoutNamespaces } from '../../../network-namespace.ts';

/** What is sent to the interface is lost. */
const setUp = `
  set -e
  ip link set lo up
  ip addr add 23.7.7.2/32 dev lo
  ip link add hole type veth peer name end
  ip link set hole arp off up
  ip link set end up
  ip addr add 10.98.255.1/16 dev hole
  "$@"
`;
const scenario = fileURLToPath(new URL('unconnected-scenario.ts', import.meta.url));

test('the command ends when it has printed the result, and names the flag that permits this machine', {
  skip: skipWithoutNamespaces('ip'),
}, async () => {
  const queries = ['10.98.0.1 --allow-private', '23.7.7.2'];
  const [silent, own] = (await runInNamespace(setUp, scenario, queries)) as { status: number; printed: string }[];
  assert.match(`${silent?.printed}`, /no response in time/);
  assert.equal(silent?.status, 1);
  assert.match(`${own?.printed}`, /The target is this machine; permit it with --allow-private\.$/m);
});
