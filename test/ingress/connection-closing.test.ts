/** Connections that are due to be closed together are closed in steps: thousands would take one iteration of the event loop for 0.2 s. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { type ClosingReason, ingressBounds } from '../../src/ingress/bounds.ts';
import { Connections, type Protocol } from '../../src/ingress/connection.ts';
import type { Exchange } from '../../src/ingress/exchange.ts';
import { createIdentify } from '../../src/ingress/limits/identity.ts';
import type { Sending } from '../../src/ingress/send-buffer.ts';
import { hasTcpOptions } from '../../src/native/tcp.ts';
import { until } from '../until.ts';
import { serve } from './serve.ts';

const count = 40;
/** One step takes all the time of an iteration. */
const iterationMs = 1e-6;

/** Counts calls, and the most of them in an event-loop iteration. */
function countCalls() {
  const calls = { all: 0, most: 0, ofIteration: 0 };
  return {
    calls,
    add(): void {
      if (calls.ofIteration === 0)
        setImmediate(() => {
          calls.ofIteration = 0;
        });
      calls.all += 1;
      calls.ofIteration += 1;
      calls.most = Math.max(calls.most, calls.ofIteration);
    },
  };
}

const idle: Protocol = { name: 'http/1.1', hasRequest: false, sweep: () => null, drain() {} };

/** Connections without a network, whose sockets call `onDestroy`. */
function createConnections(maxConnections: number, onDestroy: () => void) {
  const closed: ClosingReason[] = [];
  const connections = new Connections({
    bounds: { ...ingressBounds, iterationMs, closeGraceMs: 0, stallTimeoutMs: 0 },
    maxConnections,
    peers: null,
    identify: createIdentify(),
    proxyProtocol: false,
    isTrusted: () => false,
    admit: () => true,
    onClosed: (reason) => closed.push(reason),
    onHandshake() {},
  });
  const limit = connections.createLimit('http');
  const add = (protocol: Protocol) => {
    const events = Object.assign(new EventEmitter(), { destroyed: false });
    const destroy = (): void => {
      events.destroyed = true;
      onDestroy();
      events.emit('close');
    };
    const socket = Object.assign(events, { destroy }) as unknown as Socket;
    const client = { ip: '192.0.2.1', port: 1, trusted: false, relayed: false };
    const connection = connections.add(socket, client, limit);
    connection.protocol = protocol;
    connections.admit(connection, limit);
    return connection;
  };
  return { connections, closed, add };
}

/** Waits until all are closed, each once, and checks that no iteration closes more than `most`. */
async function assertInSteps(calls: ReturnType<typeof countCalls>['calls'], most = 1): Promise<void> {
  await until(() => calls.all >= count);
  for (let further = 0; further < count; further += 1) await nextIteration();
  assert.equal(calls.all, count);
  assert.ok(calls.most <= most, `${calls.most} in an iteration`);
}

test('those that their protocol gives a reason to close, each once', async () => {
  const { calls, add: onDestroy } = countCalls();
  const { connections, closed, add } = createConnections(0, onDestroy);
  let checks = 0;
  const sweep = (): ClosingReason => {
    checks += 1;
    return 'useless_frames';
  };
  for (let each = 0; each < count; each += 1) add({ ...idle, sweep });
  connections.sweep();
  connections.sweep();
  await assertInSteps(calls);
  assert.deepEqual([closed.length, checks], [count, count]);
});

test('those that were asked to leave', async () => {
  const { calls, add: onDestroy } = countCalls();
  const max = 10 * count;
  const { connections, closed, add } = createConnections(max, onDestroy);
  // One for each above four fifths, and another for each above nine tenths.
  for (let each = 0; each < 0.9 * max; each += 1) add(idle);
  assert.deepEqual([closed.length, calls.all], [count, 0]);
  connections.sweep();
  connections.sweep();
  await assertInSteps(calls);
});

test('those of readers without progress', async () => {
  const { calls, add: abort } = countCalls();
  const { connections, add } = createConnections(0, () => {});
  for (let each = 0; each < count; each += 1) {
    const output = { destroyed: false, write() {}, end() {} };
    const sending: Sending = { connection: add(idle), output, bufferedBytes: 0, progressedMs: 0, abort };
    connections.context.sendBuffer.send(sending, 'a', 1);
  }
  connections.sweep();
  await assertInSteps(calls);
});

test('those whose request has not arrived in time', async (context: TestContext) => {
  const bounds = { iterationMs, headersTimeoutMs: 300, timeoutCheckMs: 500 };
  const { httpPort, connections } = await serve(context, () => {}, { bounds });
  const clients = Array.from({ length: count }, () =>
    connect(httpPort, '127.0.0.1')
      .on('error', () => {})
      .resume(),
  );
  for (const client of clients) client.write('GET / HTTP/1.1\r\nHost');
  await until(() => connections.length >= count);
  const { calls, add } = countCalls();
  for (const { socket } of connections) context.mock.method(socket, 'end', add);
  await assertInSteps(calls);
  for (const client of clients) client.destroy();
  await Promise.all(clients.map((client) => client.closed || once(client, 'close')));
});

test('connections that arrive together are accepted in steps, too', {
  skip: !hasTcpOptions && 'needs the options of TCP sockets',
}, async (context: TestContext) => {
  const { calls, add } = countCalls();
  const admit = (): boolean => {
    add();
    return true;
  };
  const { httpPort } = await serve(context, () => {}, { bounds: { maxAcceptsPerIteration: 1 }, options: { admit } });
  const clients = Array.from({ length: count }, () => connect(httpPort, '127.0.0.1').on('error', () => {}));
  await assertInSteps(calls, 2);
  for (const client of clients) client.destroy();
});

const respond = (exchange: Exchange): void => exchange.respond({ status: 200, headers: {}, body: 'served' });

/** Serves clients which have sent the bytes, and waits until each has had a response if `isServed`. */
async function serveClients(context: TestContext, count: number, bytes: string, isServed: boolean) {
  const served = await serve(context, respond, { bounds: { iterationMs } });
  const clients = Array.from({ length: count }, () => connect(served.httpPort, '127.0.0.1').on('error', () => {}));
  for (const client of clients) client.write(bytes);
  await until(() => served.connections.length >= count);
  if (isServed) await Promise.all(clients.map((client) => once(client, 'data')));
  return { ...served, clients };
}

test('those whose clients have left', {
  skip: !hasTcpOptions && 'needs the options of TCP sockets',
}, async (context: TestContext) => {
  const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const { clients, connections } = await serveClients(context, count, get, true);
  const { calls, add } = countCalls();
  for (const { socket } of connections) {
    const destroy = socket.destroy.bind(socket);
    context.mock.method(socket, 'destroy', () => {
      if (!socket.destroyed) add();
      return destroy();
    });
  }
  // A connection that ends 5 ms after the one before is closed immediately: a clock that counts its readings does not run while this process
  // waits for a processor.
  let nowMs = performance.now();
  context.mock.method(performance, 'now', () => {
    nowMs += 0.001;
    return nowMs;
  });
  for (const client of clients) client.resetAndDestroy();
  await assertInSteps(calls);
});

for (const [name, bytes, expected] of [
  ['a request', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', /^HTTP\/1\.1 200/],
  ['half a header', 'GET / HTTP/1.1\r\nHost', /^HTTP\/1\.1 400/],
] as const)
  test(`but not one that sends no more after ${name}: it gets its response`, async (context: TestContext) => {
    const { clients } = await serveClients(context, 1, bytes, false);
    const [client] = clients;
    client?.end();
    let received = '';
    client?.on('data', (chunk) => {
      received += chunk;
    });
    await once(client as Socket, 'close');
    assert.match(received, expected);
  });
