/** The STUN server on its addresses: what it answers, to whom it sends nothing, and how it gets its ports. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { createIdentify } from '../../../src/ingress/limits/identity.ts';
import { StunServer } from '../../../src/ingress/stun/server.ts';
import { until } from '../../until.ts';
import { mappedAddressOf, readStun, stunMessage } from '../../wire/stun-messages.ts';
import { openServer, sendDatagrams } from './stun-server.ts';

test('tells the address and port of the client, from the address and port that were asked', async (context) => {
  const { server, counts } = await openServer(context, { ports: [0, 0], hosts: ['127.0.0.1', '127.0.0.2'] });
  assert.equal(new Set(server.ports).size, 2);
  for (const address of ['127.0.0.1', '127.0.0.2'])
    for (const port of server.ports) {
      const { received, ownPort, from } = await sendDatagrams(port, [stunMessage()], address);
      assert.deepEqual(received.map(mappedAddressOf), [`127.0.0.1:${ownPort}`]);
      assert.deepEqual([from?.address, from?.port], [address, port]);
    }
  assert.deepEqual(Object.keys(counts), ['success']);
});

test('tells an IPv6 address', async (context) => {
  const { port } = await openServer(context, { hosts: ['::1'] });
  const { received, ownPort } = await sendDatagrams(port, [stunMessage({ id: Buffer.alloc(12) })], '::1');
  const [response = Buffer.alloc(0)] = received;
  const value = Buffer.from(readStun(response).attributes['0020'] ?? '', 'hex');
  assert.equal(value.readUInt16BE(2) ^ 0x2112, ownPort);
  // ::1 xor the cookie and an id of zeros.
  assert.equal(value.toString('hex', 4), '2112a442000000000000000000000001');
});

test('sends an error for an unknown attribute, and nothing for what is not a request or too long', async (context) => {
  const { port, counts } = await openServer(context);
  const padding = (bytes: number) => stunMessage({ attributes: [[0x8022, Buffer.alloc(bytes - 24)]] });
  const silent = [stunMessage({ cookie: 1 }), stunMessage({ type: 0x0101 }), Buffer.alloc(0), padding(552)];
  const unknown = stunMessage({ attributes: [[0x0003, Buffer.alloc(4)]] });
  const { received } = await sendDatagrams(port, [...silent, unknown, padding(548)]);
  assert.deepEqual(
    received.map((message) => readStun(message).type),
    [0x0111, 0x0101],
  );
  assert.deepEqual([counts.ignored, counts.unknown_attributes], [silent.length, 1]);
});

test('sends nothing to its own ports at its own addresses', async (context) => {
  const other = createSocket('udp4').bind(0, '127.0.0.1');
  context.after(() => other.close());
  await once(other, 'listening');
  const { port, counts } = await openServer(context, { otherPorts: [other.address().port] });
  other.on('message', () => assert.fail('the server responded to its own port'));
  other.send(stunMessage(), port, '127.0.0.1');
  await sendDatagrams(port, []);
  await sendDatagrams(port, []);
  assert.equal(counts.ignored, 1);
});

test('a client gets a number of responses in a second, errors included, and others are served', async (context) => {
  // The second does not end.
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { port, counts } = await openServer(context, { responsesPerSecond: 5 });
  const unknown = stunMessage({ attributes: [[0x0003, Buffer.alloc(4)]] });
  const socket = createSocket('udp4');
  context.after(() => socket.close());
  socket.bind(0, '127.0.0.2');
  await once(socket, 'listening');
  for (let sent = 0; sent < 20; sent += 1) socket.send(sent % 2 === 0 ? unknown : stunMessage(), port, '127.0.0.1');
  const { received } = await sendDatagrams(port, [stunMessage()]);
  assert.equal(received.length, 1);
  assert.deepEqual([counts.limited, counts.unknown_attributes], [15, 3]);
});

test('counts a number of clients in a second, and the first one anew', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const identify = createIdentify();
  const hosts = [1, 2, 3, 3, 1, 3];
  const identifyNext = () => identify(`192.0.2.${hosts.shift() ?? 4}`);
  const changes = { responsesPerSecond: 1, identify: identifyNext };
  const { port, counts } = await openServer(context, changes, { maxClients: 2 });
  await sendDatagrams(port, Array(6).fill(stunMessage({ id: Buffer.alloc(12) })));
  assert.equal(counts.limited, 2);
});

test('sends nothing while the kernel accepts no more', async (context) => {
  // There is no load that makes it wait on every machine.
  const { port, counts } = await openServer(context, {}, { maxUnsentBytes: -1 });
  const socket = createSocket('udp4');
  socket.send(stunMessage(), port, '127.0.0.1');
  await until(() => counts.ignored);
  socket.close();
  assert.deepEqual(counts, { ignored: 1 });
});

test('a port that is in use is an error, or waited for', async (context) => {
  const other = createSocket('udp4').bind(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address();
  const never = new StunServer({ ...(await openServer(context)).options, ports: [port] });
  await assert.rejects(never.listen(), { code: 'EADDRINUSE' });
  const waiting = Promise.withResolvers<void>();
  const opening = openServer(context, { ports: [port], onWaiting: waiting.resolve }, { portRetryMs: 1 });
  await waiting.promise;
  other.close();
  assert.equal((await opening).port, port);
});

test('the kernel keeps a bounded number of the requests that arrive while the event loop is busy', async (context) => {
  const { port, counts } = await openServer(context);
  const socket = createSocket('udp4');
  context.after(() => socket.close());
  socket.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const sent = 10_000;
  // All of them in one iteration.
  for (let each = 0; each < sent; each += 1) socket.send(stunMessage());
  await sendDatagrams(port, []);
  assert.ok((counts.success ?? 0) < sent / 2, `${counts.success} of ${sent}`);
});
