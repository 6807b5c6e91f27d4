/** Bounds on the streams of one HTTP/2 connection; the attacks in test/abuse/ measure what such bounds prevent. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2';
import { after, before, test } from 'node:test';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import type { Exchange } from '../../src/ingress/exchange.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { initialWindowSize, openHttp2, requestFrame, resetFrame, settingsFrame } from '../abuse/http2-attacker.ts';
import { frame } from '../client/fingerprint/http2-frames.ts';
import { startNode } from '../node-service.ts';
import { closed } from '../sockets.ts';
import { untilQuiet } from '../until.ts';
import { connectRawHttp2, fingerprintRequest, plainOpening, requestFrame as requestOf } from './raw-http2.ts';
import { serve } from './serve.ts';

/** No other bound closes a connection meanwhile. */
const never = 3_600_000;
const timeout = 30_000;

let service: Service;
before(async () => {
  const changed = { maxRequestsInFlight: 1, maxWaitingBodies: 2, stallTimeoutMs: never, idleTimeoutMs: never };
  service = await startNode({ host: '127.0.0.1' }, changed);
});
after(() => service.close());

/** Sends frames for each of many streams, without a window for any response, and waits until the service closes the connection. */
async function sendUntilClosed(
  streams: number,
  framesOf: (stream: number, isFirst: boolean) => Buffer[],
): Promise<void> {
  const port = Number(new URL(service.https ?? '').port);
  const socket = await openHttp2(port, '127.0.0.1', settingsFrame([initialWindowSize, 0]));
  assert.ok(socket);
  socket
    .resume()
    .write(Buffer.concat(Array.from({ length: streams }, (_, at) => framesOf(2 * at + 1, at === 0)).flat()));
  await closed(socket);
}

test('a connection ends when it opens more streams than permitted at the same time', { timeout }, () =>
  sendUntilClosed(bounds.maxConcurrentStreams + 1, (stream, isFirst) => [requestFrame(stream, '/ip', isFirst)]),
);

// Node's library itself ends a connection only after 1,000 or more.
test('a connection ends when it resets more streams than permitted', { timeout }, () =>
  sendUntilClosed(bounds.streamResetBurst + 100, (stream, isFirst) => [
    requestFrame(stream, '/ip', isFirst),
    resetFrame(stream),
  ]),
);

test('requests that wait with a body are refused when too many do, the oldest first', { timeout }, async () => {
  const session = connectHttp2(service.https ?? '', { rejectUnauthorized: false });
  const fields = { ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json' };
  const streams: ClientHttp2Stream[] = [];
  for (let each = 0; each < 5; each += 1) {
    const stream = session.request(fields).on('error', () => {});
    stream.write('{');
    streams.push(stream);
  }
  // The first one does not wait, and two may.
  await Promise.all(streams.slice(1, 3).map((stream) => new Promise((resolve) => stream.once('close', resolve))));
  const { NGHTTP2_REFUSED_STREAM: refused } = constants;
  assert.deepEqual(
    streams.map(({ closed: isClosed, rstCode }) => isClosed && rstCode === refused),
    [false, true, true, false, false],
  );
  session.destroy();
});

/** Headers in as many bytes: an entry of the table, and references to it (RFC 7541 §6.1). */
function references(count: number): Buffer {
  return Buffer.concat([Buffer.from('\x40\x01a\x01b', 'latin1'), Buffer.alloc(count - 1, 0xbe)]);
}

const requestBlock = requestOf(fingerprintRequest).subarray(9);
const requestWithReferences = (count: number): Buffer =>
  frame(1, 0x05, 1, Buffer.concat([requestBlock, references(count)]));
const requestWithTrailers = (count: number): Buffer =>
  Buffer.concat([frame(1, 0x04, 1, requestBlock), frame(1, 0x05, 1, references(count))]);

test('a stream with more headers than permitted is reset, and the next one is served', { timeout }, async (context) => {
  const handle = (exchange: Exchange): void => exchange.respond({ status: 200, headers: {}, body: 'a' });
  const { httpsPort } = await serve(context, handle, {});
  const most = bounds.maxHeaderFields - fingerprintRequest.length;
  for (const [count, type] of [
    [most, 1],
    [most + 1, 3],
  ] as const) {
    const client = await connectRawHttp2(`https://127.0.0.1:${httpsPort}`);
    client.socket.write(Buffer.concat([plainOpening, requestWithReferences(count)]));
    await client.frameOf(type);
    client.socket.destroy();
  }
});

for (const [name, request, expected] of [
  ['with few headers of all connections', requestOf(fingerprintRequest), 5],
  ['with 500 headers of one connection', requestWithReferences(500), 1],
  ['with 500 trailers of one connection', requestWithTrailers(500), 1],
] as const)
  test(`an event-loop iteration reads requests ${name}`, { timeout }, async (context) => {
    let iteration = 0;
    const requests: number[] = [];
    // No other bound applies.
    const unlimited = { maxBytesPerIteration: never, maxConnectionBytesPerIteration: never, maxImmediateStarts: never };
    const changed = { ...unlimited, maxStreamsPerIteration: 40, iterationMs: never };
    const handle = (exchange: Exchange): void => {
      requests[iteration] = (requests[iteration] ?? 0) + 1;
      exchange.respond({ status: 200, headers: {}, body: 'a' });
    };
    const { httpsPort } = await serve(context, handle, { bounds: changed });
    const clients = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const client = await connectRawHttp2(`https://127.0.0.1:${httpsPort}`);
        client.socket.write(plainOpening);
        await client.frameOf(4);
        return client;
      }),
    );
    const countIteration = (): void => {
      iteration += 1;
      counting = setImmediate(countIteration);
    };
    let counting = setImmediate(countIteration);
    for (const { socket } of clients) socket.write(request);
    await Promise.all(clients.map(({ frameOf }) => frameOf(1)));
    clearImmediate(counting);
    for (const { socket } of clients) socket.destroy();
    assert.equal(Math.max(...requests.filter((each) => each !== undefined)), expected);
  });

test('bodies that have arrived between two checks are not useless', { timeout }, async (context) => {
  const bodies = 8;
  const bodyBytes = 60_000;
  const arrived = Promise.withResolvers<void>();
  let count = 0;
  const { httpsPort, connections } = await serve(context, async (exchange: Exchange) => {
    await exchange.readBody(bodyBytes);
    count += 1;
    if (count === bodies) arrived.resolve();
    await arrived.promise;
    exchange.respond({ status: 204, headers: {}, body: '' });
  });
  const session = connectHttp2(`https://localhost:${httpsPort}`, { rejectUnauthorized: false });
  const streams = Array.from({ length: bodies }, () =>
    session.request({ ':method': 'POST' }, { endStream: false }).end(Buffer.alloc(bodyBytes)),
  );
  await arrived.promise;
  assert.equal(connections[0]?.protocol?.sweep(performance.now()), null);
  await Promise.all(streams.map((stream) => stream.toArray()));
  session.close();
});

test('a client that ends a request without a body in a frame of its own gets the response', {
  timeout,
}, async (context) => {
  const { httpsPort } = await serve(context, (exchange) => exchange.respond({ status: 204, headers: {}, body: '' }));
  const session = connectHttp2(`https://localhost:${httpsPort}`, { rejectUnauthorized: false });
  context.after(() => session.destroy());
  for (let each = 0; each < 5; each += 1) {
    const stream = session.request({ ':method': 'OPTIONS' }, { endStream: false }).end();
    const [fields] = await once(stream, 'response');
    assert.equal(fields[':status'], 204);
    await once(stream.resume(), 'close');
    assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR);
  }
});

test('an empty body that has ended before it is read is complete', { timeout }, async (context) => {
  const { httpsPort } = await serve(
    context,
    async (exchange) => {
      await untilQuiet();
      const body = await exchange.readBody(1_000);
      exchange.respond({ status: 200, headers: {}, body: typeof body === 'string' ? body : `${body.length} bytes` });
    },
    { bounds: { bodyTimeoutMs: never } },
  );
  const session = connectHttp2(`https://localhost:${httpsPort}`, { rejectUnauthorized: false });
  context.after(() => session.destroy());
  for (const endStream of [true, false]) {
    const stream = session.request({ ':method': 'POST' }, { endStream });
    if (!endStream) stream.end();
    assert.equal(`${Buffer.concat(await stream.toArray())}`, '0 bytes');
  }
});

const protocolError = Buffer.from([0, 0, 0, 1]);
const malformed = [
  ['Upper', 'a'],
  ['connection', 'close'],
  ['transfer-encoding', 'chunked'],
  ['te', 'gzip'],
  [':unknown', 'a'],
] as const;

for (const field of malformed)
  test(`a request with the malformed header ${field.join(': ')} ends with PROTOCOL_ERROR`, {
    timeout,
  }, async (context) => {
    const { httpsPort } = await serve(context, () => assert.fail('handled'), {});
    const client = await connectRawHttp2(`https://127.0.0.1:${httpsPort}`);
    client.socket.write(Buffer.concat([plainOpening, requestOf([...fingerprintRequest, field])]));
    assert.deepEqual(await client.frameOf(3), protocolError);
    client.socket.destroy();
  });

test('malformed headers that Node drops never reach the handler (SECURITY.md, known limits)', {
  timeout,
}, async (context) => {
  const dropped = [
    ['with space', 'tag'],
    ['with:colon', 'tag'],
    ['', 'tag'],
    ['a', 'tag\0'],
    ['a', 'tag\n'],
    ['a', ' tag'],
    ['a', 'tag '],
  ] as const;
  const handle = (exchange: Exchange): void =>
    exchange.respond({ status: 200, headers: {}, body: JSON.stringify(exchange.rawHeaders) });
  const { httpsPort } = await serve(context, handle, {});
  const client = await connectRawHttp2(`https://127.0.0.1:${httpsPort}`);
  client.socket.write(Buffer.concat([plainOpening, requestOf([...fingerprintRequest, ...dropped])]));
  assert.deepEqual(JSON.parse(await client.body()), fingerprintRequest.flat());
  client.socket.destroy();
});
