/** The addresses that a STUN server sees, from a terminal. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { observeUdp } from '../../../src/cli/me/udp-addresses.ts';
import { decodeBindingRequest, encodeSuccess } from '../../../src/wire/stun.ts';
import { openServer } from '../../ingress/stun/stun-server.ts';

const never = new AbortController().signal;

test('asks the two ports of a server over both IP versions, from one socket each', async (context) => {
  const { server } = await openServer(context, { ports: [0, 0], hosts: ['127.0.0.1', '::1'] });
  const [port = 0, mappingPort = 0] = server.ports;
  const seen = await observeUdp(['127.0.0.1', '::1'], { host: 'localhost', port, mappingPort }, never);
  assert.deepEqual(
    seen.addresses.map(({ ip }) => ip),
    ['127.0.0.1', '::1'],
  );
  assert.equal(seen.isMappedByDestination, false);
  const single = await observeUdp(['127.0.0.1'], { host: '127.0.0.1', port, mappingPort: null }, never);
  assert.deepEqual([single.isMappedByDestination, single.mappingReason], [null, null]);
});

test('finds a mapping by destination, a lost request, and answers that are not its own', async (context) => {
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  const other = createSocket('udp4').bind(0, '127.0.0.1');
  context.after(() => [server, other].map((each) => each.close()));
  await Promise.all([once(server, 'listening'), once(other, 'listening')]);
  let received = 0;
  for (const [socket, seenPort] of [
    [server, 1000],
    [other, 1001],
  ] as const)
    socket.on('message', (message, { address, port }) => {
      const request = decodeBindingRequest(message) ?? assert.fail();
      received += 1;
      // The first is lost.
      if (received === 1) return;
      const foreign = { ...request, transaction: new Uint8Array(request.transaction).fill(0, 4) };
      socket.send(encodeSuccess(foreign, new Uint8Array(4), 9), port, address);
      socket.send(encodeSuccess(request, new Uint8Array([192, 0, 2, 1]), seenPort), port, address);
    });
  const ports = { port: server.address().port, mappingPort: other.address().port };
  const seen = await observeUdp(['127.0.0.1'], { host: '127.0.0.1', ...ports }, never);
  assert.deepEqual(
    seen.addresses.map(({ ip }) => ip),
    ['192.0.2.1'],
  );
  assert.equal(seen.isMappedByDestination, true);
  assert.equal(received, 3);
});

test('ends with the signal if nothing answers', async (context) => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1');
  context.after(() => silent.close());
  await once(silent, 'listening');
  const ended = new AbortController();
  silent.once('message', () => ended.abort());
  const ports = { port: silent.address().port, mappingPort: silent.address().port };
  const seen = await observeUdp(['127.0.0.1'], { host: '127.0.0.1', ...ports }, ended.signal);
  assert.deepEqual(seen, {
    addresses: [],
    isMappedByDestination: null,
    mappingReason: 'only one of the two ports of the STUN server responded',
  });
});
