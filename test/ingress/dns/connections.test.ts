/** DNS over TCP: several queries on a connection, and clients that write slowly, without end, or do not read. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { Identity } from '../../../src/ingress/limits/identity.ts';
import { typeNumbers } from '../../../src/wire/dns/data/dns-parameters.ts';
import { until } from '../../until.ts';
import { queryOf } from '../../wire/dns/messages.ts';
import { connectTo, endOf, framed, messagesOf, openServer, zone } from './dns-server.ts';

const queryWith = (id: number): Buffer => framed(queryOf({ id, name: `whoami.${zone}`, type: typeNumbers.TXT }));
const idsOf = (messages: readonly Buffer[]): number[] => messages.map((message) => message.readUInt16BE(0));

test('answers queries on one connection in order, in any pieces', async (context) => {
  const { port } = await openServer(context);
  const bytes = Buffer.concat([1, 2, 3].map(queryWith));
  for (const size of [1, 2, 7, bytes.length]) {
    const socket = await connectTo(port);
    socket.setNoDelay(true);
    for (let at = 0; at < bytes.length; at += size) {
      socket.write(bytes.subarray(at, at + size));
      if (size < 7) await new Promise(setImmediate);
    }
    socket.end();
    const messages = await messagesOf(socket);
    assert.deepEqual(idsOf(messages), [1, 2, 3]);
    assert.ok(messages.every((message) => message.includes('transport=tcp')));
  }
});

test('answers a bounded number of queries, then ends the connection, also of a client that writes without end', async (context) => {
  const { port, counts } = await openServer(context, {}, { maxConnectionQueries: 5, idleTimeoutMs: 500 });
  // On a busy machine, the connection would be idle before its first query is read.
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const socket = await connectTo(port);
  const ended = endOf(socket);
  const piece = Buffer.concat(Array.from({ length: 100 }, (_, at) => queryWith(at)));
  const write = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', write);
  write();
  const answered: Buffer[] = [];
  socket.on('data', (piece: Buffer) => answered.push(piece));
  await once(socket, 'end');
  context.mock.timers.tick(500);
  await ended;
  // Else the server could not clear the timers that it started before.
  context.mock.timers.reset();
  assert.equal(counts.NOERROR, 5);
  assert.equal(counts.queries, 1);
  assert.ok(Buffer.concat(answered).length < 5 * 512);
});

for (const [shape, atOnce, slowly] of [
  ['sends nothing', [], []],
  ['sends its first query slowly', [], queryWith(1)],
  // It begins in the packet of the first query: a pause between them would end the connection as one that is merely idle.
  ['sends its second query slowly', [...queryWith(1), ...queryWith(2).subarray(0, 1)], queryWith(2).subarray(1)],
] as const)
  test(`closes the connection of a client that ${shape}`, async (context) => {
    const { port, counts } = await openServer(context, {}, { idleTimeoutMs: 100 });
    const socket = await connectTo(port);
    const ended = endOf(socket.resume());
    socket.write(Uint8Array.from(atOnce));
    // In all, it takes many times as long as permitted.
    const left = slowly.values();
    const timer = setInterval(() => {
      const { value, done } = left.next();
      if (!done) socket.write(Uint8Array.of(value));
    }, 30);
    await ended;
    clearInterval(timer);
    assert.equal(counts.slow, 1);
  });

test('closes the connection of a client that does not read its responses', async (context) => {
  const strings = Array.from({ length: 200 }, () => new Uint8Array(250));
  const { port, counts } = await openServer(
    context,
    {
      answer: ({ name }) => ({
        rcode: 'NOERROR',
        isAuthoritative: true,
        answers: [{ name, ttl: 0, rdata: { type: 'TXT', strings } }],
        authorities: [],
        isForSubnet: false,
      }),
    },
    { idleTimeoutMs: 100, maxConnectionQueries: 100_000 },
  );
  const socket = await connectTo(port);
  socket.pause();
  // All at once, and more than any system buffers: a pause between them could end the connection as one that is merely idle.
  socket.write(Buffer.concat(Array.from({ length: 1000 }, (_, at) => queryWith(at))));
  const ended = endOf(socket);
  await until(() => (counts.slow ?? 0) !== 0);
  socket.destroy();
  await ended;
});

test('closes connections that send what is not a query', async (context) => {
  const { port, counts } = await openServer(context);
  const messages = [
    Buffer.from([0xff, 0xff, 1]),
    framed(queryOf({ bits: 0x8000 })),
    framed(Buffer.alloc(11)),
    Buffer.from([0, 0]),
  ];
  for (const message of messages) {
    const socket = await connectTo(port);
    const ended = endOf(socket.resume());
    socket.write(message);
    await ended;
  }
  assert.deepEqual(counts, { malformed: 4, ignored: 3 });
});

test('an address has a bounded number of connections, and when there are too many, the largest network gives way', async (context) => {
  const networks: Record<string, string> = { '127.0.0.1': 'one', '127.0.0.2': 'one', '127.0.0.3': 'other' };
  const identify = (ip: string | null) => ({ network: networks[ip ?? ''], prefix: ip, ip }) as Identity;
  const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
  const { port, counts } = await openServer(
    context,
    { identify, hosts },
    { maxConnectionsPerAddress: 2, maxConnections: 4 },
  );
  const open = async (address: string) => {
    // A connection to an address of this machine comes from the same one.
    const socket = await connectTo(port, address);
    const closed = endOf(socket.resume()).then(() => 'closed' as const);
    socket.write(queryWith(1));
    return {
      socket,
      closed,
      outcome: await Promise.race([closed, once(socket, 'data').then(() => 'answered' as const)]),
    };
  };
  const first = await open('127.0.0.1');
  const second = await open('127.0.0.1');
  assert.deepEqual(
    [first.outcome, second.outcome, (await open('127.0.0.1')).outcome],
    ['answered', 'answered', 'closed'],
  );
  const others = [await open('127.0.0.2'), await open('127.0.0.3'), await open('127.0.0.3')];
  assert.deepEqual(
    others.map(({ outcome }) => outcome),
    ['answered', 'answered', 'answered'],
  );
  assert.equal(await first.closed, 'closed');
  assert.equal(counts.connections, 1);
  assert.equal(counts.replaced, 1);
  for (const { socket } of [second, ...others]) {
    assert.equal(socket.destroyed, false);
    socket.destroy();
  }
});

test('when the server closes, idle connections end at once, and those with half a query when it is answered', async (context) => {
  const { server, port } = await openServer(context);
  const idle = await connectTo(port);
  idle.write(queryWith(1));
  await once(idle, 'data');
  const idleEnded = endOf(idle.resume());
  const busy = await connectTo(port);
  const bytes = queryWith(2);
  busy.write(Buffer.concat([queryWith(1), bytes.subarray(0, 20)]));
  await once(busy, 'data');
  const closed = server.close(60_000);
  await idleEnded;
  busy.write(bytes.subarray(20));
  const rest = await messagesOf(busy);
  assert.deepEqual(idsOf(rest), [2]);
  await closed;
});

test('closes an idle connection after its last response, which is not an attack', async (context) => {
  const { port, counts } = await openServer(context, {}, { idleTimeoutMs: 100 });
  // On a busy machine, the time may be over before the query has arrived; such a connection is slow.
  let late = -1;
  await until(async () => {
    late += 1;
    const socket = await connectTo(port);
    socket.write(queryWith(1));
    await endOf(socket.resume());
    return counts.NOERROR;
  });
  assert.deepEqual(counts, late === 0 ? { NOERROR: 1 } : { slow: late, NOERROR: 1 });
});

test('a client that resets its connection does not disturb the end of the server', async (context) => {
  const { server, port } = await openServer(context);
  const socket = await connectTo(port);
  socket.write(Buffer.concat([queryWith(1), queryWith(2).subarray(0, 20)]));
  await once(socket, 'data');
  const closed = server.close(60_000);
  socket.resetAndDestroy();
  await closed;
});

test('when the server closes, the others end after the time that they have', async (context) => {
  const { server, port } = await openServer(context);
  const socket = await connectTo(port);
  socket.write(queryWith(1).subarray(0, 5));
  // The server has accepted the connection when it answers a later one.
  const later = await connectTo(port);
  later.write(queryWith(2));
  await once(later, 'data');
  const ended = endOf(socket.resume());
  await server.close(20);
  await ended;
});
