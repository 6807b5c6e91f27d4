/** Servers listen on a machine whose kernel has no IPv6, and on an address with a zone. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { startNode } from '../node-service.ts';
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

const [loopback] =
  Object.entries(networkInterfaces()).find(([, all]) => all?.some(({ address }) => address === '::1')) ?? [];

test('the URL of an address with a zone has none, so that a malformed request gets its response', {
  skip: loopback === undefined && 'this machine has no IPv6 loopback',
}, async (context) => {
  const service = await startNode({ host: `::1%${loopback}`, tlsPort: null });
  context.after(service.close);
  const { hostname, port } = new URL(`${service.http}`);
  assert.equal(hostname, '[::1]');
  const socket = connect(Number(port), '::1').setEncoding('latin1');
  socket.write('malformed\r\n\r\n');
  let response = '';
  for await (const text of socket) response += text;
  assert.match(response, /^HTTP\/1\.1 400 /);
});
