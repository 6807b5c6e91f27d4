/** Connections that wait are accepted together. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { acceptWaiting, hasTcpOptions } from '../../src/native/tcp.ts';

const skip = !hasTcpOptions && 'needs Linux and a Node with ffi';

for (const host of ['127.0.0.1', '::1'])
  test(`accepts as many connections as permitted in each iteration of the event loop, on ${host}`, {
    skip,
  }, async () => {
    const server = createServer();
    await once(server.listen({ port: 0, host }), 'listening');
    acceptWaiting(server, 4);
    const { port } = server.address() as AddressInfo;
    const clients = Array.from({ length: 10 }, () => connect({ host, port }));
    const counts = [0];
    const { promise, resolve } = Promise.withResolvers<void>();
    const addresses: unknown[] = [];
    server.on('connection', (socket) => {
      if (counts[0] === 0) setImmediate(endIteration);
      counts[0] = (counts[0] ?? 0) + 1;
      addresses.push(socket.remotePort);
      socket.end('hello');
    });
    const endIteration = (): void => {
      counts.unshift(0);
      if (addresses.length === clients.length) resolve();
    };
    await promise;
    // The kernel may complete some of the connections an iteration later.
    assert.ok(counts.length <= 6 && Math.max(...counts) === 4, counts.join());
    const received = await Promise.all(clients.map(async (client) => String(Buffer.concat(await client.toArray()))));
    assert.deepEqual(new Set(received), new Set(['hello']));
    assert.equal(new Set(addresses).size, clients.length);
    await new Promise((done) => server.close(done));
  });

test('counts all connections against the limit of the server', { skip }, async () => {
  const server = createServer().listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  acceptWaiting(server, 10);
  server.maxConnections = 2;
  let dropped = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.on('drop', () => {
    dropped += 1;
    if (dropped === 6) resolve();
  });
  const { port } = server.address() as AddressInfo;
  const clients = Array.from({ length: 8 }, () => connect({ host: '127.0.0.1', port }).on('error', () => {}));
  await promise;
  for (const client of clients) client.destroy();
  await new Promise((done) => server.close(done));
});

for (const [host, unwelcome] of [
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['::', '127.0.0.1'],
] as const)
  test(`closes connections of unwelcome addresses instead, on ${host}`, { skip }, async () => {
    const server = createServer();
    await once(server.listen({ port: 0, host }), 'listening');
    const asked = new Set<string>();
    const isWelcome = (ip: string): boolean => {
      asked.add(ip);
      return false;
    };
    acceptWaiting(server, 100, { isActive: true, isWelcome });
    let accepted = 0;
    server.on('connection', (socket) => {
      accepted += 1;
      socket.destroy();
    });
    const { port } = server.address() as AddressInfo;
    const target = { host: host === '::' ? '127.0.0.1' : host, port };
    const clients = Array.from({ length: 20 }, () =>
      connect(target)
        .on('error', () => {})
        .resume(),
    );
    await Promise.all(clients.map((client) => once(client, 'close')));
    assert.ok(accepted < 10, `${accepted}`);
    assert.deepEqual([...asked], [unwelcome]);
    await new Promise((done) => server.close(done));
  });
