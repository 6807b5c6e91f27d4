/** Servers listen on a machine whose kernel has no IPv6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWithoutIpv6, skipWithoutFilter } from '../run-without-ipv6.ts';

const program = `
  import { connect, createServer } from 'node:net';
  import { listen } from '${import.meta.resolve('../../src/runtime/listen.ts')}';
  for (const host of [null, '::']) {
    const server = createServer((socket) => socket.end('served '));
    await listen(server, { setting: 'metricsPort', port: 0, host }, { backlog: 1 });
    for await (const text of connect(server.address().port, '127.0.0.1')) process.stdout.write(text);
    server.close();
  }
`;

test('an empty host and :: mean every address, also without IPv6', { skip: skipWithoutFilter }, async () => {
  assert.equal(await runWithoutIpv6(program), 'served served ');
});
