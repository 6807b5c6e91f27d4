/** HTTP/3 behind the process that ends QUIC: requests, and every error with its code (RFC 9114 §8.1). */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Exchange } from '../../../src/ingress/exchange.ts';
import { errorCodes, frameTypes } from '../../../src/ingress/http3/data/registries.ts';
import { encodeVarints } from '../../../src/ingress/http3/frames.ts';
import { messageTypes } from '../../../src/runtime/http3/channel-socket.ts';
import {
  type ChannelClient,
  connectChannel,
  frame,
  getFields,
  headersFrame,
  type Message,
  type Pair,
} from '../../runtime/http3/channel-client.ts';
import { until } from '../../until.ts';
import { type Changes, serve } from '../serve.ts';

const timeout = 20_000;
const control = 2;
const settings = frame(frameTypes.settings, encodeVarints(1, 65_536, 7, 100));
const opened = Buffer.concat([encodeVarints(0), settings]);

const echo = async (exchange: Exchange): Promise<void> => {
  const body = exchange.method === 'POST' ? await exchange.readBody(65_536) : null;
  exchange.respond({
    status: 200,
    headers: { 'Content-Type': 'text/plain' },
    ownHeaders: { 'X-Own': 'a' },
    body: body ?? `${exchange.protocol} ${exchange.target.path}`,
  });
};

async function connect(
  context: TestContext,
  changes?: Changes,
  handle: (exchange: Exchange) => Promise<void> | void = echo,
) {
  const served = await serve(context, handle, changes);
  const client = await connectChannel(served.socketPath);
  return { ...served, client };
}

const postFields = (more: readonly Pair[] = []): readonly Pair[] => [
  [':method', 'POST'],
  ...getFields('/', more).slice(1),
];

test('responds to requests with the values of the connection', { timeout }, async (context) => {
  const { client, connections } = await connect(context);
  client.send(control, opened);
  const { status, headers, body } = await client.request(0, getFields('/path?a=b'));
  assert.equal(body, 'HTTP/3 /path');
  assert.equal(status, 200);
  assert.deepEqual([headers['content-type'], headers['x-own']], ['text/plain', 'a']);
  assert.equal(headers['content-length'], '12');
  assert.ok(Date.parse(headers.date ?? '') > 0);
  const [connection] = connections;
  assert.deepEqual(connection?.client, { ip: '192.0.2.1', port: 40_000, trusted: false, relayed: false });
  assert.equal(connection?.quic?.rttMs(), 5);
  assert.deepEqual(Buffer.from(connection?.http3Frames ?? []), settings);
  assert.equal(connection?.clientHello?.length, 41);
});

test('reports what it has taken of a body in pieces of some size', { timeout }, async (context) => {
  const { client } = await connect(context);
  client.send(control, opened);
  const isReport = ({ type }: Message): boolean => type === messageTypes.passed;
  const head = headersFrame(postFields());
  client.send(0, Buffer.concat([head, frame(frameTypes.data, Buffer.alloc(1_000))]));
  await client.request(4, getFields());
  assert.equal(client.messages.some(isReport), false);
  client.send(0, frame(frameTypes.data, Buffer.alloc(1_500)));
  const { stream, value } = await client.waitFor(isReport);
  assert.deepEqual([stream, value], [0, head.length + 2 * frame(frameTypes.data).length + 2_500]);
});

test('announces no dynamic table on its control stream', { timeout }, async (context) => {
  const { client } = await connect(context);
  const { payload } = await client.waitFor(({ stream }) => stream === 3);
  assert.deepEqual(Buffer.from(payload), Buffer.from('0004090100068000400007 00'.replaceAll(' ', ''), 'hex'));
});

test('takes a request in single bytes, with reserved frames and streams between', { timeout }, async (context) => {
  const { client } = await connect(context);
  const reserved = frame(0x21, Buffer.from('ignored'));
  const request = Buffer.concat([
    reserved,
    headersFrame(postFields()),
    reserved,
    frame(0, Buffer.from('abc')),
    reserved,
  ]);
  client.send(6, Buffer.from('4021616263', 'hex'));
  for (const byte of request) client.send(0, Buffer.from([byte]));
  client.send(0, frame(0, Buffer.from('def')));
  client.send(0, headersFrame([['x-trailer', 'a']]), true);
  assert.equal((await client.response(0)).body, 'abcdef');
  assert.equal(await client.reset(6), errorCodes.streamCreationError);
});

test('stores no body that is read after its client has gone', { timeout }, async (context) => {
  const begun = Promise.withResolvers<void>();
  const read = Promise.withResolvers<unknown>();
  const { client } = await connect(context, { bounds: { maxBodyBytes: 1_500 } }, async (exchange) => {
    if (exchange.target.path !== '/late') return echo(exchange);
    begun.resolve();
    await new Promise<void>((resolve) => exchange.onEnd(resolve));
    read.resolve(await exchange.readBody(1_000));
  });
  client.send(control, opened);
  const body = frame(frameTypes.data, Buffer.alloc(1_000, 'a'));
  client.send(0, headersFrame([[':method', 'POST'], ...getFields('/late').slice(1)]));
  client.send(0, body, true);
  await begun.promise;
  client.sendMessage(messageTypes.stop, 0);
  assert.equal(await read.promise, 'request_timeout');
  client.send(4, Buffer.concat([headersFrame(postFields()), body]), true);
  assert.equal((await client.response(4)).body.length, 1_000);
});

test('answers HEAD without a body, and 204 without a length', { timeout }, async (context) => {
  const { client } = await connect(context, {}, (exchange) =>
    exchange.respond({
      status: exchange.method === 'HEAD' ? 200 : 204,
      headers: {},
      body: exchange.method === 'HEAD' ? 'abc' : '',
    }),
  );
  const head = await client.request(0, [[':method', 'HEAD'], ...getFields().slice(1)]);
  assert.deepEqual([head.headers['content-length'], head.body], ['3', '']);
  assert.equal((await client.request(4, getFields())).headers['content-length'], undefined);
});

test('sends 100 to a client that expects it, and stops what it does not read', { timeout }, async (context) => {
  const { client } = await connect(context, {}, async (exchange) => {
    if (exchange.target.path === '/read') await echo(exchange);
    else exchange.respond({ status: 413, headers: {}, body: 'too large' });
  });
  const expecting = postFields([['expect', '100-continue']]).map(
    ([name, value]): Pair => [name, name === ':path' ? '/read' : value],
  );
  client.send(0, headersFrame(expecting));
  await client.waitFor(({ stream, payload }) => stream === 0 && payload.length > 0);
  client.send(0, frame(0, Buffer.from('abc')), true);
  assert.equal((await client.response(0)).body, 'abc');
  client.send(4, headersFrame(postFields()));
  assert.equal((await client.response(4)).status, 413);
  await client.waitFor(({ stream, type }) => stream === 4 && type === messageTypes.stop);
});

test('rejects headers above the limit with a response', { timeout }, async (context) => {
  const { client } = await connect(context, { bounds: { maxHeaderBytes: 1_000 } });
  assert.equal((await client.request(0, getFields('/', [['a', 'b'.repeat(2_000)]]))).body, 'headers_too_large');
  const short = Buffer.concat([Buffer.from([0, 0]), Buffer.alloc(600, 0xc1)]);
  client.send(4, frame(frameTypes.headers, short), true);
  assert.equal((await client.response(4)).body, 'headers_too_large');
  assert.equal((await client.request(8, getFields())).status, 200);
});

test('rejects CONNECT, and a request with two hosts', { timeout }, async (context) => {
  const { client } = await connect(context);
  assert.equal(
    (
      await client.request(0, [
        [':method', 'CONNECT'],
        [':authority', 'a:1'],
      ])
    ).body,
    'method_not_allowed',
  );
  assert.equal((await client.request(8, getFields('/', [['host', 'other']]))).body, 'malformed_request');
});

const malformed: Readonly<Record<string, readonly Pair[]>> = {
  'an upper-case name': getFields('/', [['Accept', '*/*']]),
  'a name with a space': getFields('/', [['a b', 'c']]),
  'a line end in a value': getFields('/', [['a', 'b\r\nc: d']]),
  'a NUL in a value': getFields('/', [['a', '\0']]),
  'a field of a connection': getFields('/', [['connection', 'close']]),
  'a transfer coding': getFields('/', [['transfer-encoding', 'chunked']]),
  'te other than trailers': getFields('/', [['te', 'gzip']]),
  'a pseudo-header after a field': getFields('/')
    .toReversed()
    .concat([
      ['a', 'b'],
      [':path', '/'],
    ]),
  'a repeated pseudo-header': [...getFields(), [':path', '/']],
  'an unknown pseudo-header': [[':status', '200'], ...getFields()],
  'no method': getFields().slice(1),
  'no scheme': getFields().filter(([name]) => name !== ':scheme'),
  'an empty path': getFields(''),
  'two lengths': getFields('/', [
    ['content-length', '1'],
    ['content-length', '2'],
  ]),
  'a length without a body': getFields('/', [['content-length', '1']]),
};

for (const [what, fields] of Object.entries(malformed))
  test(`resets a stream alone for ${what}`, { timeout }, async (context) => {
    const { client } = await connect(context);
    client.send(0, headersFrame(fields), true);
    assert.equal(await client.reset(0), errorCodes.messageError);
    assert.equal((await client.request(4, getFields())).status, 200);
  });

test('resets a stream that ends without a request, or has a body of another length than declared', {
  timeout,
}, async (context) => {
  const { client } = await connect(context);
  client.send(0, Buffer.alloc(0), true);
  assert.equal(await client.reset(0), errorCodes.requestIncomplete);
  client.send(
    4,
    Buffer.concat([headersFrame(postFields([['content-length', '5']])), frame(0, Buffer.from('abc'))]),
    true,
  );
  assert.equal(await client.reset(4), errorCodes.messageError);
});

/** What a client sends on a request stream, or on streams of its own, and the code with which its connection is closed. */
const connectionErrors: Readonly<Record<string, readonly [send: (client: ChannelClient) => void, code: number]>> = {
  'DATA before HEADERS': [(client) => client.send(0, frame(0)), errorCodes.frameUnexpected],
  'HEADERS after trailers': [
    (client) => client.send(0, Buffer.concat([headersFrame(postFields()), headersFrame([]), headersFrame([])])),
    errorCodes.frameUnexpected,
  ],
  'DATA after trailers': [
    (client) => client.send(0, Buffer.concat([headersFrame(postFields()), headersFrame([]), frame(0)])),
    errorCodes.frameUnexpected,
  ],
  'SETTINGS on a request stream': [(client) => client.send(0, settings), errorCodes.frameUnexpected],
  PUSH_PROMISE: [(client) => client.send(0, frame(5)), errorCodes.frameUnexpected],
  'a frame of HTTP/2': [(client) => client.send(0, frame(8)), errorCodes.frameUnexpected],
  'a stream that ends within a frame': [
    (client) => client.send(0, headersFrame(getFields()).subarray(0, -1), true),
    errorCodes.frameError,
  ],
  'a reference to a dynamic table': [
    (client) => client.send(0, frame(1, Buffer.from('00800080', 'hex'))),
    errorCodes.decompressionFailed,
  ],
  'no SETTINGS': [
    (client) => client.send(2, Buffer.concat([encodeVarints(0), frame(7, encodeVarints(0))])),
    errorCodes.missingSettings,
  ],
  'SETTINGS twice': [(client) => client.send(2, Buffer.concat([opened, settings])), errorCodes.frameUnexpected],
  'DATA on the control stream': [
    (client) => client.send(2, Buffer.concat([opened, frame(0)])),
    errorCodes.frameUnexpected,
  ],
  'a setting of HTTP/2': [
    (client) => client.send(2, Buffer.concat([encodeVarints(0), frame(4, encodeVarints(3, 1))])),
    errorCodes.settingsError,
  ],
  'a setting twice': [
    (client) => client.send(2, Buffer.concat([encodeVarints(0), frame(4, encodeVarints(6, 1, 6, 1))])),
    errorCodes.settingsError,
  ],
  'a setting without a value': [
    (client) => client.send(2, Buffer.concat([encodeVarints(0), frame(4, encodeVarints(6))])),
    errorCodes.frameError,
  ],
  'a SETTINGS frame that is too large': [
    (client) => client.send(2, Buffer.concat([encodeVarints(0), frame(4, Buffer.alloc(5_000))])),
    errorCodes.excessiveLoad,
  ],
  CANCEL_PUSH: [(client) => client.send(2, Buffer.concat([opened, frame(3, encodeVarints(0))])), errorCodes.idError],
  'a GOAWAY that rises': [
    (client) => client.send(2, Buffer.concat([opened, frame(7, encodeVarints(4)), frame(7, encodeVarints(8))])),
    errorCodes.idError,
  ],
  'a MAX_PUSH_ID that falls': [
    (client) => client.send(2, Buffer.concat([opened, frame(0xd, encodeVarints(4)), frame(0xd, encodeVarints(3))])),
    errorCodes.idError,
  ],
  'a second control stream': [
    (client) => {
      client.send(2, opened);
      client.send(6, opened);
    },
    errorCodes.streamCreationError,
  ],
  'a push stream': [(client) => client.send(2, encodeVarints(1)), errorCodes.streamCreationError],
  'the end of the control stream': [(client) => client.send(2, opened, true), errorCodes.closedCriticalStream],
  'a reset of the control stream': [
    (client) => {
      client.send(2, opened);
      client.sendMessage(messageTypes.reset, 2);
    },
    errorCodes.closedCriticalStream,
  ],
  'an entry of a dynamic table': [
    (client) => client.send(6, Buffer.from('02c0', 'hex')),
    errorCodes.encoderStreamError,
  ],
  'an acknowledgement of one': [(client) => client.send(6, Buffer.from('0380', 'hex')), errorCodes.decoderStreamError],
};

for (const [what, [send, code]] of Object.entries(connectionErrors))
  test(`closes a connection alone for ${what}`, { timeout }, async (context) => {
    const { client, socketPath } = await connect(context);
    const other = await connectChannel(socketPath);
    send(client);
    assert.equal(await client.closeCode(), code);
    assert.equal((await other.request(0, getFields())).status, 200);
  });

test('takes the instructions of QPACK that need no dynamic table', { timeout }, async (context) => {
  const { client } = await connect(context);
  client.send(6, Buffer.from('0220', 'hex'));
  client.send(10, Buffer.from('03417fff', 'hex'));
  client.send(10, Buffer.from('0042', 'hex'));
  assert.equal((await client.request(0, getFields())).status, 200);
});

test('closes a connection with too many useless bytes', { timeout }, async (context) => {
  const { client, closed } = await connect(context);
  client.send(0, frame(0x21, Buffer.alloc(100_000)));
  assert.equal(await client.closeCode(), errorCodes.excessiveLoad);
  assert.deepEqual(closed, ['useless_frames']);
});

test('forgives a number of useless bytes in each second', { timeout }, async (context) => {
  const { client, closed } = await connect(context, { bounds: { maxUselessBytes: 100, uselessBytesPerSecond: 100 } });
  const useless = frame(0x21, Buffer.alloc(60));
  let nowMs = performance.now();
  context.mock.method(performance, 'now', () => nowMs);
  for (let seconds = 0; seconds < 5; seconds += 1) {
    client.send(0, useless);
    // The response shows that the frame has been read.
    assert.equal((await client.request(4 * (seconds + 1), getFields())).status, 200);
    nowMs += 1_000;
  }
  assert.deepEqual(closed, []);
  client.send(0, Buffer.concat([useless, useless]));
  assert.equal(await client.closeCode(), errorCodes.excessiveLoad);
});

test('closes a connection whose client goes on sending a body after the response', { timeout }, async (context) => {
  const respond = (exchange: Exchange): void => exchange.respond({ status: 200, headers: {}, body: 'early' });
  const { client } = await connect(context, { bounds: { maxDiscardedBytes: 1_000 } }, respond);
  client.send(0, headersFrame(postFields()));
  await client.waitFor(({ stream }) => stream === 0);
  client.send(0, frame(frameTypes.data, Buffer.alloc(500)));
  client.send(0, frame(frameTypes.data, Buffer.alloc(1_000)));
  assert.equal(await client.closeCode(), errorCodes.excessiveLoad);
});

test('asks the client for another connection after many requests, and completes those that it has sent', {
  timeout,
}, async (context) => {
  const { client } = await connect(context, { bounds: { maxConnectionRequests: 3, closeGraceMs: 50 } });
  for (const stream of [0, 4, 8, 12]) assert.equal((await client.request(stream, getFields())).status, 200);
  assert.equal(await client.closeCode(), errorCodes.noError);
  const control = Buffer.concat(client.messages.filter(({ stream }) => stream === 3).map(({ payload }) => payload));
  assert.equal(control.at(-10), frameTypes.goaway);
});

test('resets a stream whose request does not arrive in time', { timeout }, async (context) => {
  const { client } = await connect(context, { bounds: { connectionCheckMs: 10, headersTimeoutMs: 30 } });
  client.send(0, headersFrame(getFields()).subarray(0, 9));
  assert.equal(await client.reset(0), errorCodes.requestIncomplete);
});

test('closes an idle connection', { timeout }, async (context) => {
  const { client } = await connect(context, { bounds: { connectionCheckMs: 10, idleTimeoutMs: 300 } });
  await assert.rejects(
    client.waitFor(() => false),
    /closed/,
  );
});

test('sends a large body in pieces, and waits while the client takes none', { timeout }, async (context) => {
  const large = Buffer.alloc(1_000_000, 'a');
  const { client } = await connect(context, {}, (exchange) =>
    exchange.respond({ status: 200, headers: {}, body: large }),
  );
  client.untaken = new Map();
  client.send(0, headersFrame(getFields()), true);
  await client.waitFor(({ stream }) => stream === 0);
  const other = await client.request(4, [[':method', 'HEAD'], ...getFields().slice(1)]);
  assert.equal(other.status, 200);
  const sent = client.messages.filter(({ stream }) => stream === 0);
  assert.ok(sent.reduce((sum, { payload }) => sum + payload.length, 0) < 20_000);
  client.take();
  const { headers, body } = await client.response(0);
  assert.equal(headers['content-length'], '1000000');
  assert.ok(body === large.toString());
});

test('closes a reader without progress', { timeout }, async (context) => {
  const bounds = { connectionCheckMs: 10, stallTimeoutMs: 100 };
  const { client, closed } = await connect(context, { bounds }, (exchange) =>
    exchange.respond({ status: 200, headers: {}, body: 'a'.repeat(20_000) }),
  );
  client.untaken = new Map();
  client.send(0, headersFrame(getFields()));
  await assert.rejects(
    client.waitFor(() => false),
    /closed/,
  );
  assert.deepEqual(closed, ['stalled_reader']);
});

test('pauses a body that nobody reads yet, and takes it whole afterwards', { timeout }, async (context) => {
  const waiting = Promise.withResolvers<void>();
  const { client } = await connect(context, {}, async (exchange) => {
    if (exchange.method === 'POST') await waiting.promise;
    exchange.respond({ status: 200, headers: {}, body: `${(await exchange.readBody(300_000)).length}` });
  });
  client.send(0, Buffer.concat([headersFrame(postFields()), frame(0, Buffer.alloc(100_000))]));
  await client.request(4, getFields());
  assert.ok(!client.messages.some(({ type, stream }) => type === messageTypes.passed && stream === 0));
  waiting.resolve();
  await client.waitFor(({ type, stream }) => type === messageTypes.passed && stream === 0);
  client.send(0, frame(0, Buffer.alloc(100_000)), true);
  assert.equal((await client.response(0)).body, '200000');
});

test('serves 100 streams at once, in the order of their arrival', { timeout }, async (context) => {
  const { client } = await connect(context);
  const streams = Array.from({ length: 100 }, (_, at) => 4 * at);
  const responses = await Promise.all(streams.map((stream) => client.request(stream, getFields(`/${stream}`))));
  assert.deepEqual(
    responses.map(({ body }) => body),
    streams.map((stream) => `HTTP/3 /${stream}`),
  );
});

test('drains: announces the end, responds to what arrives until then, and closes', { timeout }, async (context) => {
  const held = Promise.withResolvers<void>();
  const { client, ingress } = await connect(context, {}, async (exchange) => {
    await held.promise;
    exchange.respond({ status: 200, headers: {}, body: 'late' });
  });
  const first = client.request(0, getFields());
  await client.waitFor(({ stream }) => stream === 3);
  const ended = ingress.close();
  await client.waitFor(({ stream, payload }) => stream === 3 && payload[0] === frameTypes.goaway);
  const second = client.request(4, getFields());
  held.resolve();
  assert.deepEqual([(await first).body, (await second).body], ['late', 'late']);
  assert.equal(await client.closeCode(), errorCodes.noError);
  client.socket.end();
  await ended;
});

test('ends a handler that throws with the error of a server', { timeout }, async (context) => {
  const { client, closed } = await connect(context, {}, () => {
    throw new Error('broken');
  });
  client.send(0, headersFrame(getFields()), true);
  assert.equal(await client.reset(0), errorCodes.internalError);
  assert.deepEqual(closed, ['Error: broken']);
});

test('rejects a connection that the owner does not admit', { timeout }, async (context) => {
  const { client } = await connect(context, { options: { admit: () => false } });
  assert.equal(await client.closeCode(), errorCodes.excessiveLoad);
});

test('keeps nothing of a request after its response', { timeout }, async (context) => {
  const requests: WeakRef<Exchange>[] = [];
  const { client } = await connect(context, {}, (exchange) => {
    requests.push(new WeakRef(exchange));
    exchange.respond({ status: 200, headers: {}, body: 'ok' });
  });
  for (const stream of [0, 4, 8]) await client.request(stream, getFields());
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // The latest may still be on the stack or in a cache.
  await until(() => {
    collect();
    return requests.slice(0, 2).every((request) => request.deref() === undefined);
  });
});
