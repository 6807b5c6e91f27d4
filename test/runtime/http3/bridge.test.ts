/** The bridge between QUIC connections and the service, with streams whose other end is the test. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { test } from 'node:test';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { ingressBounds } from '../../../src/ingress/bounds.ts';
import type { Exchange } from '../../../src/ingress/exchange.ts';
import { errorCodes } from '../../../src/ingress/http3/data/registries.ts';
import type { HeldConnection } from '../../../src/native/quic/server-interface.ts';
import type { QuicStream, QuicStreamHandler } from '../../../src/native/quic.ts';
import { createBridge, encodeOpening } from '../../../src/runtime/http3/bridge.ts';
import { Channel } from '../../../src/runtime/http3/channel.ts';
import { ChannelSocket } from '../../../src/runtime/http3/channel-socket.ts';
import { QuicMemory } from '../../../src/runtime/http3/quic-memory.ts';
import { serve } from '../../ingress/serve.ts';
import { until, untilQuiet } from '../../until.ts';
import { getFields, headersFrame } from './channel-client.ts';

const timeout = 20_000;

/** A stream of a client, and what the service has done with it. */
class ClientStream implements QuicStream {
  readonly id: number;
  readonly isBidirectional = true;
  readonly calls: string[] = [];
  readonly written: Uint8Array[] = [];
  /** Whether the engine takes more bytes. */
  isTaking = true;
  handler: QuicStreamHandler | null = null;
  readonly ended = Promise.withResolvers<void>();
  readonly called = Promise.withResolvers<void>();

  constructor(id: number) {
    this.id = id;
  }

  write(bytes: Uint8Array, isLast = false): boolean {
    this.written.push(bytes);
    if (isLast) this.ended.resolve();
    return this.isTaking;
  }

  #call(name: string): void {
    this.calls.push(name);
    this.called.resolve();
  }

  pause(): void {
    this.#call('pause');
  }

  resume(): void {
    this.#call('resume');
  }

  stopReading(): void {
    this.#call('stopReading');
  }

  abort(code: number): void {
    this.#call(`abort ${code}`);
  }
}

function connectionOf(control: ClientStream | null) {
  const closed = Promise.withResolvers<number>();
  const quic: HeldConnection = {
    heldBytes: 0,
    hasRequest: false,
    ip: '192.0.2.1',
    port: 4,
    tls: { cipher: 'TLS_AES_128_GCM_SHA256', group: null, isResumed: true },
    hello: {
      clientHello: Buffer.from('hello'),
      version: 1,
      destinationIdLength: null,
      sourceIdLength: 0,
      cryptoFrames: 1,
      datagrams: 1,
    },
    rttMs: () => 7,
    openStream: () => control,
    close: (code) => closed.resolve(code),
  };
  return { quic, closed: closed.promise };
}

const request = headersFrame(getFields());

const memory = new QuicMemory(bounds, { holderOf: () => null }, () => {});

const bridgeTo = (path: string, onResets = () => {}) =>
  createBridge({ paths: [path], bounds: ingressBounds, memory, onResets });

test('passes requests, responses and the properties of the connection on', { timeout }, async (context) => {
  const { socketPath, connections } = await serve(context, (exchange) =>
    exchange.respond({ status: 200, headers: {}, body: 'a'.repeat(100_000) }),
  );
  const control = new ClientStream(3);
  const stream = new ClientStream(0);
  const { quic } = connectionOf(control);
  bridgeTo(socketPath)(quic).onStream(stream);
  stream.isTaking = false;
  stream.handler?.onData(request.subarray(0, 5), false);
  stream.handler?.onData(request.subarray(5), true);
  // The engine takes no more for now, and then everything.
  stream.isTaking = true;
  const drain = setInterval(() => stream.handler?.onDrain(), 5);
  await stream.ended.promise;
  clearInterval(drain);
  assert.ok(Buffer.concat(stream.written).length > 100_000);
  assert.ok(control.written.length > 0);
  const [connection] = connections;
  assert.deepEqual([connection?.quic?.rttMs(), connection?.client.ip], [7, '192.0.2.1']);
  assert.deepEqual(Buffer.from(connection?.clientHello ?? []), Buffer.from('hello'));
});

test('aborts a stream that the client gives up, or whose request is malformed', { timeout }, async (context) => {
  const { socketPath } = await serve(context, () => {});
  const { quic } = connectionOf(new ClientStream(3));
  const bridged = bridgeTo(socketPath)(quic);
  const given = new ClientStream(0);
  bridged.onStream(given);
  given.handler?.onData(request, true);
  given.handler?.onStopSending();
  await given.called.promise;
  assert.deepEqual(given.calls, [`abort ${errorCodes.requestCancelled}`]);
  const malformed = new ClientStream(4);
  bridged.onStream(malformed);
  malformed.handler?.onData(headersFrame(getFields('/', [['connection', 'close']])), true);
  await malformed.called.promise;
  assert.deepEqual(malformed.calls, [`abort ${errorCodes.messageError}`]);
});

test('closes the connection with the code of the service, and if no thread accepts it', {
  timeout,
}, async (context) => {
  const { socketPath } = await serve(context, () => {});
  const { quic, closed } = connectionOf(new ClientStream(3));
  const unexpected = new ClientStream(0);
  bridgeTo(socketPath)(quic).onStream(unexpected);
  unexpected.handler?.onData(Buffer.from('0400', 'hex'), false);
  assert.equal(await closed, errorCodes.frameUnexpected);
  const refused = connectionOf(new ClientStream(3));
  bridgeTo(`${socketPath}-missing`)(refused.quic);
  assert.equal(await refused.closed, errorCodes.noError);
  const streamless = connectionOf(null);
  bridgeTo(socketPath)(streamless.quic);
  assert.equal(await streamless.closed, errorCodes.streamCreationError);
});

test('closes a connection whose client resets more requests than the burst and the rate restores, whether or not the service has heard of them', {
  timeout,
}, async (context) => {
  const { socketPath } = await serve(context, () => {});
  const { quic, closed } = connectionOf(new ClientStream(3));
  let counted = 0;
  const bridged = bridgeTo(socketPath, () => {
    counted += 1;
  })(quic);
  let isClosed = false;
  void closed.then(() => {
    isClosed = true;
  });
  let id = -4;
  const giveUp = (): void => {
    id += 4;
    const stream = new ClientStream(id);
    bridged.onStream(stream);
    if (id % 8 === 0) stream.handler?.onData(request, true);
    // As browsers cancel a request whose body has not ended.
    stream.handler?.onReset(errorCodes.requestCancelled);
    stream.handler?.onStopSending();
  };
  const { streamResetBurst, streamResetRate } = ingressBounds;
  let nowMs = performance.now();
  context.mock.method(performance, 'now', () => nowMs);
  for (let count = 0; count < streamResetBurst; count += 1) giveUp();
  await nextIteration();
  assert.deepEqual([isClosed, counted], [false, 0]);
  nowMs += 1_000;
  let more = 0;
  for (; counted === 0 && more < streamResetBurst; more += 1) giveUp();
  assert.equal(more, streamResetRate + 1);
  assert.equal(await closed, errorCodes.excessiveLoad);
});

test('ends the channel when the client has gone', { timeout }, async (context) => {
  const { socketPath, ingress } = await serve(context, () => {});
  const { quic } = connectionOf(new ClientStream(3));
  const bridged = bridgeTo(socketPath)(quic);
  const stream = new ClientStream(0);
  bridged.onStream(stream);
  stream.handler?.onData(request, true);
  const countIs = (count: number) => until(() => ingress.connections.count().h3 === count);
  await countIs(1);
  bridged.onClosed();
  await countIs(0);
});

/** Unix sockets of this process that are open. */
const countSockets = (): number => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;

/** Their number when those of earlier tests in this process have closed. */
async function settledSockets(): Promise<number> {
  await untilQuiet(countSockets);
  return countSockets();
}

test('uses a socket again, whose next client gets nothing of the previous one', { timeout }, async (context) => {
  await settledSockets();
  const ended = Promise.withResolvers<void>();
  const { socketPath, connections } = await serve(context, (exchange) => {
    exchange.respond({ status: 200, headers: {}, body: `${connections.length}` });
    ended.resolve();
  });
  const bridge = bridgeTo(socketPath);
  const open = () => {
    const stream = new ClientStream(0);
    const bridged = bridge(connectionOf(new ClientStream(3)).quic);
    bridged.onStream(stream);
    stream.handler?.onData(request, true);
    return { bridged, stream };
  };
  const first = open();
  await ended.promise;
  const sockets = countSockets();
  // The response is sent then, and has not been read.
  await new Promise((resolve) => setImmediate(resolve));
  first.bridged.onClosed();
  const { stream } = open();
  await stream.ended.promise;
  assert.equal(first.stream.written.length, 0);
  assert.equal(Buffer.concat(stream.written).toString('latin1').at(-1), '2');
  assert.equal(stream.written.length, 1);
  assert.equal(countSockets(), sockets);
});

/** A client that sends a request as soon as it has connected. */
function openClient(bridge: ReturnType<typeof bridgeTo>) {
  const stream = new ClientStream(0);
  const { quic, closed } = connectionOf(new ClientStream(3));
  const bridged = bridge(quic);
  bridged.onStream(stream);
  stream.handler?.onData(request, true);
  return { stream, bridged, closed };
}

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

const respond = (exchange: Exchange): void => exchange.respond({ status: 200, headers: {}, body: 'served' });

test('a connection that has ended closes nothing of the next one on its socket', { timeout }, async (context) => {
  const { socketPath, connections, ingress } = await serve(context, respond);
  const bridge = bridgeTo(socketPath);
  const first = openClient(bridge);
  await first.stream.ended.promise;
  first.bridged.onClosed();
  const stream = new ClientStream(0);
  bridge(connectionOf(new ClientStream(3)).quic).onStream(stream);
  await until(() => connections.length >= 2);
  connections[0]?.socket.destroy();
  stream.handler?.onData(request, true);
  await stream.ended.promise;
  assert.equal(ingress.connections.count().h3, 1);
});

test('handles nothing that follows on a socket that the service has closed', { timeout }, async (context) => {
  let handled = 0;
  const { socketPath, connections } = await serve(context, () => {
    handled += 1;
    connections[0]?.socket.destroy();
  });
  const socket = createConnection(socketPath);
  // All of it in one write.
  const carrier = new ChannelSocket(socket, { schedule: process.nextTick });
  for (const owner of ['first', 'second']) {
    const channel = new Channel(carrier, { onStream() {}, onClose() {} }, encodeOpening(connectionOf(null).quic));
    channel.open(0).write(request, true);
    if (owner === 'first') channel.close(errorCodes.noError);
  }
  await once(socket, 'close');
  assert.deepEqual([handled, connections.length], [1, 1]);
});

test('closes a socket on which bytes wait', { timeout }, async (context) => {
  const { socketPath, connections } = await serve(context, respond);
  const bridge = bridgeTo(socketPath);
  // It is not connected yet.
  bridge(connectionOf(new ClientStream(3)).quic).onClosed();
  await openClient(bridge).stream.ended.promise;
  assert.equal(connections.length, 1);
});

test('stores at most eight sockets without a connection', { timeout }, async (context) => {
  const { socketPath } = await serve(context, respond);
  const bridge = bridgeTo(socketPath);
  const before = await settledSockets();
  const clients = Array.from({ length: 12 }, () => openClient(bridge));
  for (const { stream } of clients) await stream.ended.promise;
  for (const { bridged } of clients) bridged.onClosed();
  // Both ends of each are in this process.
  await until(() => countSockets() - before <= 16);
  assert.equal(countSockets() - before, 16);
});

test('a service that stops ends requests first, and then every socket', { timeout }, async (context) => {
  const waiting = Promise.withResolvers<Exchange>();
  const never = 600_000;
  const handle = (exchange: Exchange): void =>
    connections.length === 1 ? respond(exchange) : waiting.resolve(exchange);
  const served = await serve(context, handle, { bounds: { closeTimeoutMs: never } });
  const { socketPath, ingress, connections } = served;
  const idle = openClient(bridgeTo(socketPath));
  await idle.stream.ended.promise;
  idle.bridged.onClosed();
  const { stream, closed } = openClient(bridgeTo(socketPath));
  const exchange = await waiting.promise;
  const ended = ingress.close();
  await untilQuiet(countSockets);
  respond(exchange);
  await stream.ended.promise;
  // The client does not confirm it.
  await Promise.all([closed, ended]);
});
