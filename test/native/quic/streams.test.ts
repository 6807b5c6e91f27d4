/** The bounds on the streams of a connection and of an address, with clients that open as many as the server permits. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import type { QuicStream } from '../../../src/native/quic.ts';
import { type AttackConnection, type AttackStream, connectAttacker, pause } from '../../quic-attacker.ts';
import { until } from '../../until.ts';
import { headers, startResponder } from './responder.ts';
import { startUdpRelay } from './udp-relay.ts';

const oneByte = Buffer.from([1]);

/** Streams that a connection may open before the first is accepted (RFC 9000 §18.2, initial_max_streams_bidi). */
const initialCredit = 100;

interface Opened {
  readonly connection: AttackConnection;
  readonly streams: AttackStream[];
}

async function connect(port: number, from = '127.0.0.1'): Promise<Opened> {
  const connection = await connectAttacker(port, from);
  assert.ok(connection !== null, 'no handshake');
  return { connection, streams: [] };
}

/** Opens streams with one byte while the server permits, until nothing has changed for some time. */
async function openAll(...clients: readonly Opened[]): Promise<void> {
  const openNext = ({ connection, streams }: Opened): boolean => {
    const stream = connection.isClosed ? null : connection.openStream();
    stream?.write(oneByte, false);
    if (stream !== null) streams.push(stream);
    return stream !== null;
  };
  for (let quiet = 0; quiet < 20; quiet += 1) {
    for (const client of clients) {
      while (openNext(client)) quiet = 0;
      client.connection.handle();
    }
    await pause(5);
  }
}

/** Lets the client send what it delays, such as acknowledgements, and both sides receive it. */
async function settle(connection: AttackConnection): Promise<void> {
  for (let each = 0; each < 10; each += 1) {
    connection.handle();
    await pause(10);
  }
}

/** Sends the first byte of a request when nothing else is in transit. */
async function requestAlone(connection: AttackConnection): Promise<AttackStream> {
  await settle(connection);
  const stream = connection.openStream();
  assert.ok(stream !== null);
  stream.write(oneByte, false);
  connection.handle();
  return stream;
}

/** A response of two packets, which OpenSSL's client acknowledges immediately: within `acknowledgeMs` of the look after its request. */
const twoPackets = Buffer.concat([headers, Buffer.alloc(2_000)]);

async function readBytes(connection: AttackConnection, stream: AttackStream, bytes: number): Promise<void> {
  let read = 0;
  await until(() => {
    connection.handle();
    read += stream.read().bytes;
    return read >= bytes;
  });
}

/** A server that keeps every request stream open. */
async function startHolder(changed: Partial<Record<keyof typeof bounds, number>>) {
  const held: QuicStream[] = [];
  const heldMs: number[] = [];
  const handle = (stream: QuicStream) => {
    held.push(stream);
    heldMs.push(performance.now());
    return { onData() {} };
  };
  const responder = await startResponder('', { handle, bounds: { ...bounds, ...changed } });
  return {
    held,
    /** When the server learned of each. */
    heldMs,
    port: responder.port,
    connections: responder.connections,
    [Symbol.asyncDispose]: () => responder[Symbol.asyncDispose](),
  };
}

const timeout = 60_000;

describe('streams', { skip: process.platform === 'linux' ? false : 'needs Linux', timeout }, () => {
  test('of a connection are accepted up to the bound, and the client gets no credit for the others', async () => {
    await using server = await startHolder({ maxConcurrentStreams: 20 });
    const client = await connect(server.port);
    await openAll(client);
    assert.equal(server.held.length, 20);
    assert.ok(client.streams.length <= initialCredit + 20, `${client.streams.length} streams`);
    for (const stream of server.held.slice(0, 5)) stream.write(headers, true);
    for (const stream of client.streams.slice(0, 5)) stream.write(oneByte, true);
    await openAll(client);
    assert.equal(server.held.length, 25);
    client.connection.close();
  });

  test('wait in OpenSSL while too many requests have no response', async () => {
    await using server = await startHolder({ maxRequestsInFlight: 8 });
    const client = await connect(server.port);
    await openAll(client);
    assert.equal(server.held.length, 8);
    // 8 requests and the control stream, with 2 KB each, and datagrams that have not been explained.
    const heldBytes = server.connections[0]?.heldBytes ?? 0;
    assert.ok(heldBytes >= 9 * 2_048 && heldBytes < 100_000, `${heldBytes} bytes`);
    // They stay open until the client ends them.
    for (const stream of server.held) stream.write(headers, true);
    await openAll(client);
    assert.equal(server.held.length, 16);
    client.connection.close();
  });

  test('of all connections of an address are bounded together, and its connections take turns', async () => {
    await using server = await startHolder({ maxAddressRequestsInFlight: 12 });
    const first = await connect(server.port);
    const second = await connect(server.port);
    const other = await connect(server.port, '127.0.0.2');
    await openAll(first);
    await openAll(second);
    assert.equal(server.held.length, 12);
    await openAll(other);
    assert.equal(server.held.length, 24);
    for (const stream of server.held.slice(0, 6)) stream.abort(0);
    await openAll(first, second, other);
    assert.equal(server.held.length, 30);
    // A connection that ends leaves its part to the other one.
    first.connection.close();
    await openAll(second, other);
    await until(async () => {
      await openAll(second, other);
      return server.held.length >= 36;
    });
    for (const { connection } of [second, other]) connection.close();
  });

  test('of a connection are bounded in all, because OpenSSL keeps a part of each until the connection ends', async () => {
    await using server = await startHolder({ quicConnectionStreams: 30 });
    const client = await connect(server.port);
    for (let rounds = 0; rounds < 5; rounds += 1) {
      await openAll(client);
      for (const stream of server.held) stream.write(headers, true);
      for (const stream of client.streams.splice(0)) stream.reset();
    }
    // The client's control stream is one of them.
    assert.equal(server.held.length, 29);
    client.connection.close();
  });

  test('are freed by the next check if their last acknowledgement arrives too early to be looked at', async () => {
    const handle = (stream: QuicStream) => ({
      onData() {
        stream.stopReading();
        stream.write(twoPackets, true);
      },
    });
    await using server = await startResponder('', { handle, bounds: { ...bounds, connectionCheckMs: 100 } });
    const { connection } = await connect(server.port);
    const stream = await requestAlone(connection);
    await readBytes(connection, stream, twoPackets.length);
    // STOP_SENDING ends its writes.
    await until(() => {
      connection.handle();
      return !stream.write(oneByte, false);
    });
    connection.close();
  });

  test('send although the acknowledgement that makes room for them arrived too early to be looked at', async () => {
    let respondAgain: () => boolean = () => assert.fail('no request');
    const handle = (stream: QuicStream) => ({
      onData() {
        if (stream.id === 0) return;
        assert.equal(stream.write(twoPackets), true);
        respondAgain = () => stream.write(twoPackets, true);
      },
    });
    await using server = await startResponder('', {
      handle,
      bounds: { ...bounds, quicConnectionBufferBytes: twoPackets.length },
    });
    await using relay = await startUdpRelay(server.port);
    const { connection } = await connect(relay.port);
    // Makes the server notice the acknowledgement of its settings.
    await requestAlone(connection);
    const seesNoRoom = async (): Promise<boolean> => {
      const stream = await requestAlone(connection);
      await readBytes(connection, stream, twoPackets.length);
      await settle(connection);
      const sent = relay.fromServer.length;
      const hasRoom = respondAgain();
      // The client sends nothing before it is called again, so only the write can make the server send data.
      await until(() => relay.fromServer.slice(sent).some((bytes) => bytes.length > 1_000));
      await readBytes(connection, stream, twoPackets.length);
      return !hasRoom;
    };
    // On a busy machine, an acknowledgement may arrive so late that the server looks at it.
    await until(seesNoRoom);
    connection.close();
  });

  test('are given up if their first bytes do not arrive in time', async () => {
    await using server = await startHolder({ headersTimeoutMs: 300, connectionCheckMs: 50, maxConcurrentStreams: 1 });
    let isLosing = false;
    // Long datagrams have the beginning.
    const fate = (bytes: Buffer) => ({ copies: isLosing && bytes.length > 900 ? 0 : 1, extraMs: 0 });
    await using relay = await startUdpRelay(server.port, { fate });
    const client = await connect(relay.port);
    isLosing = true;
    const stream = client.connection.openStream();
    stream?.write(Buffer.alloc(3_000), false);
    const exchangeUntil = (held: number): Promise<unknown> =>
      until(() => {
        client.connection.handle();
        return server.held.length >= held;
      });
    await exchangeUntil(1);
    client.connection.openStream()?.write(oneByte, false);
    await exchangeUntil(2);
    const [first = 0, second = 0] = server.heldMs;
    assert.ok(second - first >= 290, `the first one was given up after ${second - first} ms`);
    client.connection.close();
  });
});
