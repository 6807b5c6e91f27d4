/** Clients need not prove their addresses before a handshake unless many others have not, and forged addresses harm nobody. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { readPacket } from '../../../src/native/quic/packets.ts';
import { connectAttacker, pause } from '../../quic-attacker.ts';
import { initialWithHello } from '../../quic-initials.ts';
import { startResponder } from './responder.ts';
import { startUdpRelay } from './udp-relay.ts';

const isRetry = (bytes: Buffer): boolean => ((bytes[0] as number) & 0xf0) === 0xf0;

/** Sends first packets of so many clients, which do not continue; returns the datagrams that they get, and what sends another one. */
async function sendInitials(port: number, count: number) {
  const socket = createSocket('udp4');
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  const replies: Buffer[] = [];
  socket.on('message', (reply) => replies.push(reply));
  for (let sent = 0; sent < count; sent += 1) socket.send(initialWithHello(), port, '127.0.0.1');
  const send = (bytes: Buffer): void => socket.send(bytes, port, '127.0.0.1');
  return { replies, send, [Symbol.dispose]: () => void socket.close() };
}

/** Fails in the end: a loop without end would keep the process running, whatever the time limit of the test. */
async function until(isOver: () => boolean): Promise<void> {
  const endMs = performance.now() + 50_000;
  while (!isOver()) {
    assert.ok(performance.now() < endMs);
    await pause(5);
  }
}

describe('addresses', { skip: process.platform === 'linux' ? false : 'needs Linux' }, () => {
  test('need not be proven: the response to the first packet is the handshake', async () => {
    await using responder = await startResponder('ok');
    await using relay = await startUdpRelay(responder.port);
    const connection = await connectAttacker(relay.port, '127.0.0.1');
    assert.ok(connection !== null);
    assert.ok(!relay.fromServer.some(isRetry));
    // A client completes its handshake before the server does.
    await until(() => {
      connection.handle();
      return responder.connections.length > 0;
    });
    assert.equal(responder.connections[0]?.hello.destinationIdLength, 8);
    connection.close();
  });

  test('must be proven while so many handshakes of others are open, and no longer', async () => {
    const changed = { maxUnvalidatedHandshakes: 4, unvalidatedTimeoutMs: 500, connectionCheckMs: 50 };
    await using responder = await startResponder('ok', { bounds: { ...bounds, ...changed } });
    using flood = await sendInitials(responder.port, 40);
    await until(() => flood.replies.filter(isRetry).length === 36);
    for (const hasRetry of [true, false]) {
      await using relay = await startUdpRelay(responder.port);
      const connection = await connectAttacker(relay.port, '127.0.0.1');
      assert.ok(connection !== null);
      assert.equal(relay.fromServer.some(isRetry), hasRetry);
      connection.close();
      await pause(1_000);
    }
  });

  test('that are not proven count against no limit, and get no word of the end of their handshakes', async () => {
    let admitted = 0;
    const admit = () => {
      admitted += 1;
      return () => {};
    };
    const changed = { unvalidatedTimeoutMs: 500, connectionCheckMs: 50 };
    await using responder = await startResponder('ok', { admit, bounds: { ...bounds, ...changed } });
    using flood = await sendInitials(responder.port, 20);
    await until(() => flood.replies.length >= 20);
    await pause(1_000);
    const { length } = flood.replies;
    await pause(300);
    assert.equal(flood.replies.length, length);
    assert.equal(admitted, 0);
    const bytes = flood.replies.reduce((sum, reply) => sum + reply.length, 0);
    // RFC 9000 §8.1, which OpenSSL exceeds when it repeats what is lost.
    assert.ok(bytes <= 3.3 * 20 * 1_200, `${bytes} bytes`);
  });

  test('are proven by the connection id of the server: they count, and have the time of every handshake', async () => {
    let admitted = 0;
    let ended = 0;
    const admit = () => {
      admitted += 1;
      return () => {
        ended += 1;
      };
    };
    const changed = { unvalidatedTimeoutMs: 200, handshakeTimeoutMs: 3_600_000, connectionCheckMs: 50 };
    await using responder = await startResponder('ok', { admit, bounds: { ...bounds, ...changed } });
    using client = await sendInitials(responder.port, 1);
    await until(() => client.replies.length > 0);
    const serverId = readPacket(client.replies[0] ?? Buffer.alloc(0))?.sourceId ?? '';
    assert.equal(serverId.length, 8);
    // A packet with a short header, which cannot be decrypted: as if others had been lost.
    client.send(Buffer.concat([Buffer.from([0x40]), Buffer.from(serverId, 'latin1'), Buffer.alloc(30)]));
    await until(() => admitted > 0);
    await pause(1_000);
    assert.deepEqual({ admitted, ended }, { admitted: 1, ended: 0 });
  });

  test('are rejected when they are proven, and cost no handshake for a while', async () => {
    let admissions = 0;
    const admit = () => {
      admissions += 1;
      return null;
    };
    await using responder = await startResponder('ok', { admit });
    const first = await connectAttacker(responder.port, '127.0.0.1');
    // OpenSSL's client has finished its handshake before it hears of the end.
    await until(() => {
      first?.handle();
      return first === null || first.isClosed;
    });
    assert.equal(first?.closeCode ?? 0x107, 0x107);
    assert.equal(await connectAttacker(responder.port, '127.0.0.1', 300), null);
    assert.equal(admissions, 1);
    assert.equal(responder.connections.length, 0);
    first?.close();
  });
});
