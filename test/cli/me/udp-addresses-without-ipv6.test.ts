/** The addresses that a STUN server sees of a machine whose kernel has no IPv6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openServer } from '../../ingress/stun/stun-server.ts';
import { runWithoutIpv6, skipWithoutFilter } from '../../run-without-ipv6.ts';

test('a machine without IPv6 observes its IPv4 address', { skip: skipWithoutFilter }, async (context) => {
  const { port } = await openServer(context);
  const program = `
    import { observeUdp } from '${import.meta.resolve('../../../src/cli/me/udp-addresses.ts')}';
    const ports = { host: 'localhost', port: ${port}, mappingPort: null };
    const { addresses } = await observeUdp(['127.0.0.1', '::1'], ports, new AbortController().signal);
    process.stdout.write(addresses.map(({ ip }) => ip).join());
  `;
  assert.equal(await runWithoutIpv6(program), '127.0.0.1');
});
