/** The server of ingress with a trivial handler: what an exchange reports and sends, over each version of HTTP. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import type { Exchange } from '../../src/ingress/exchange.ts';
import {
  frame,
  frameTypes,
  initialWindowSize,
  openHttp2,
  pingFrame,
  requestFrame,
  resetFrame,
  settingsFrame,
  windowUpdateFrame,
} from '../abuse/http2-attacker.ts';
import { type Client, http1Client, http2Client } from '../acceptance/client.ts';
import { until, untilQuiet } from '../until.ts';
import { type Served, serve } from './serve.ts';

/** Responds with what the exchange reports. */
async function echo(exchange: Exchange): Promise<void> {
  const { method, protocol, target } = exchange;
  const body = await exchange.readBody(1_000_000);
  const size = typeof body === 'string' ? body : body.length;
  exchange.respond({
    status: 200,
    headers: { 'X-Shared': 'a' },
    ownHeaders: { 'X-Size': `${size}` },
    body: `${method} ${target.path} ${target.query} ${protocol}`,
  });
}

const clients: Readonly<Record<string, (served: Served) => Client>> = {
  'HTTP/1.1': ({ httpPort }) => http1Client(`http://127.0.0.1:${httpPort}`),
  'HTTP/1.1 over TLS': ({ httpsPort }) => http1Client(`https://127.0.0.1:${httpsPort}`),
  'HTTP/2': ({ httpsPort }) => http2Client(`https://127.0.0.1:${httpsPort}`),
};

for (const [name, clientOf] of Object.entries(clients))
  describe(`over ${name}`, () => {
    test('an exchange has method, target, version and body, and its length is sent', async (context) => {
      const client = clientOf(await serve(context, echo));
      const { status, headers, body } = await client.request('/a?b=c', { method: 'POST', body: '12345' });
      assert.deepEqual([status, headers['x-size'], body], [200, '5', `POST /a b=c ${client.protocol}`]);
      assert.equal(headers['x-shared'], 'a');
      assert.equal(headers['content-length'], `${body.length}`);
    });

    test('HEAD gets the length without the body, and 204 gets neither', async (context) => {
      const client = clientOf(
        await serve(context, (exchange) =>
          exchange.respond({ status: exchange.method === 'HEAD' ? 200 : 204, headers: {}, body: 'abc' }),
        ),
      );
      const head = await client.request('/', { method: 'HEAD' });
      assert.deepEqual([head.headers['content-length'], head.body], ['3', '']);
      assert.equal((await client.request('/')).headers['content-length'], undefined);
    });

    test('HEAD gets no length of an empty body, because that of the response to GET may be unknown', async (context) => {
      const client = clientOf(
        await serve(context, (exchange) => exchange.respond({ status: 200, headers: {}, body: '' })),
      );
      assert.equal((await client.request('/', { method: 'HEAD' })).headers['content-length'], undefined);
      assert.equal((await client.request('/')).headers['content-length'], '0');
    });

    test('a body above its limit is null, and the client gets the response', async (context) => {
      const handle = async (exchange: Exchange): Promise<void> => {
        exchange.respond({ status: 200, headers: {}, body: `${await exchange.readBody(10)}` });
      };
      const client = clientOf(await serve(context, handle));
      assert.equal((await client.request('/', { method: 'POST', body: 'x'.repeat(100_000) })).body, 'too_large');
    });

    test('a body of several pieces arrives completely', async (context) => {
      const client = clientOf(
        await serve(context, (exchange) => exchange.respond({ status: 200, headers: {}, body: 'ø'.repeat(500_000) })),
      );
      assert.equal((await client.request('/')).body, 'ø'.repeat(500_000));
    });

    test('a request without a valid host is rejected', async (context) => {
      const client = clientOf(await serve(context, echo));
      assert.deepEqual((await client.request('/', { headers: { host: 'a:99999' } })).body, 'malformed_request');
    });
  });

test('only the bounds close what a handler leaves open', async (context) => {
  const bounds = { stallTimeoutMs: 100, connectionCheckMs: 20 };
  const { httpsPort, closed } = await serve(
    context,
    (exchange) => exchange.respond({ status: 200, headers: {}, body: 'x'.repeat(300_000) }),
    {
      bounds,
    },
  );
  const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { rejectUnauthorized: false });
  session.on('error', () => {});
  // Nobody reads the response, so that its window is used up.
  session.request({ ':path': '/' }).on('error', () => {});
  await once(session, 'close');
  assert.deepEqual(closed, ['stalled_reader']);
});

test("a stalled stream of a trusted proxy ends alone, because the others are other clients'", async (context) => {
  // Long enough for the small response on a machine that runs other tests as well.
  const bounds = { stallTimeoutMs: 1_000, connectionCheckMs: 20 };
  const handle = (exchange: Exchange): void =>
    exchange.respond({
      status: 200,
      headers: {},
      body: exchange.target.path === '/large' ? 'x'.repeat(300_000) : 'small',
    });
  const { httpsPort } = await serve(context, handle, { bounds, options: { isTrusted: () => true } });
  const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { rejectUnauthorized: false });
  context.after(() => session.destroy());
  const stalled = session.request({ ':path': '/large' }).on('error', () => {});
  await once(stalled, 'close');
  assert.equal(session.destroyed, false);
  const other = session.request({ ':path': '/small' });
  assert.equal((await other.toArray()).join(''), 'small');
});

test('an HTTP/2 client that expects 100 gets it before it sends the body', async (context) => {
  const { httpsPort } = await serve(context, echo);
  const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { rejectUnauthorized: false });
  context.after(() => session.destroy());
  const stream = session.request({ ':path': '/', ':method': 'POST', expect: '100-continue' }, { endStream: false });
  await once(stream, 'continue');
  stream.end('abc');
  const [headers] = await once(stream, 'response');
  assert.equal(headers['x-size'], '3');
  stream.resume();
});

test('HTTP/2 may send :authority or Host, but not two different ones', async (context) => {
  const { httpsPort } = await serve(context, (exchange) =>
    exchange.respond({ status: 200, headers: {}, body: exchange.target.authority }),
  );
  const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { rejectUnauthorized: false });
  context.after(() => session.destroy());
  const bodyOf = async (fields: Record<string, string>): Promise<string> =>
    (await session.request({ ':path': '/', ...fields }).toArray()).join('');
  assert.equal(await bodyOf({ ':authority': 'a:1' }), 'a:1');
  assert.equal(await bodyOf({ ':authority': 'A', host: 'a:443' }), 'A');
  assert.equal(await bodyOf({ ':authority': 'a', host: 'b' }), 'malformed_request');
});

test('a handler is not called again for a stream that was refused or reset', async (context) => {
  let handled = 0;
  const { httpsPort, closed } = await serve(
    context,
    () => {
      handled += 1;
    },
    { bounds: { maxRequestsInFlight: 1 } },
  );
  const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { rejectUnauthorized: false });
  context.after(() => session.destroy());
  await once(session, 'connect');
  const streams = Array.from({ length: 3 }, () => session.request({ ':path': '/' }).on('error', () => {}));
  await new Promise<void>((resolve) => session.ping(() => resolve()));
  const [first, second, third] = streams;
  for (const streams of [[second, third], [first]]) {
    for (const stream of streams) stream?.close(constants.NGHTTP2_CANCEL);
    await new Promise<void>((resolve) => session.ping(() => resolve()));
  }
  // Its turn comes after theirs would.
  session.request({ ':path': '/' }).on('error', () => {});
  await until(() => handled > 1);
  assert.deepEqual([handled, closed], [2, ['reset_stream', 'reset_stream']]);
});

test('HTTP/1.0 may omit the host; a later version may not', async (context) => {
  const { httpPort } = await serve(context, (exchange) =>
    exchange.respond({ status: 200, headers: {}, body: exchange.target.authority }),
  );
  const bodyOf = async (head: string): Promise<string | undefined> => {
    const socket = connect(httpPort, '127.0.0.1').end(head);
    return (await socket.toArray()).join('').split('\r\n\r\n')[1];
  };
  assert.equal(await bodyOf('GET / HTTP/1.0\r\n\r\n'), 'localhost');
  assert.equal(await bodyOf('GET / HTTP/1.1\r\nConnection: close\r\n\r\n'), 'malformed_request');
});

test('close completes a request that has been sent, and ends the connection', async (context) => {
  const arrived = Promise.withResolvers<Exchange>();
  const { ingress, httpPort } = await serve(context, arrived.resolve, { bounds: { closeGraceMs: 20 } });
  const reply = http1Client(`http://127.0.0.1:${httpPort}`).request('/');
  const exchange = await arrived.promise;
  const closed = ingress.close();
  exchange.respond({ status: 200, headers: {}, body: 'late' });
  assert.equal((await reply).body, 'late');
  await closed;
});

test('a request that is reset in the bytes that open its connection is not handled', async (context) => {
  let handled = 0;
  const { httpsPort, closed } = await serve(context, () => {
    handled += 1;
  });
  // :method POST, :scheme https, :path /, :authority and expect, which the server would answer by 100 (Continue).
  const block = Buffer.from('\x83\x87\x84\x01\x01a\x0f\x14\x0c100-continue', 'latin1');
  const first = Buffer.concat([settingsFrame(), frame(frameTypes.headers, 0x04, 1, block), resetFrame(1)]);
  const socket = await openHttp2(httpsPort, '127.0.0.1', first);
  context.after(() => socket?.destroy());
  await until(() => closed.length > 0);
  assert.deepEqual([handled, closed], [0, ['reset_stream']]);
});

test('useless frames end a connection whose request waits for its reader', async (context) => {
  const bounds = { connectionCheckMs: 20 };
  const { httpsPort, closed } = await serve(
    context,
    (exchange) => exchange.respond({ status: 200, headers: {}, body: 'a' }),
    { bounds },
  );
  const socket = await openHttp2(httpsPort, '127.0.0.1', settingsFrame([initialWindowSize, 0]));
  assert.ok(socket);
  socket.resume().write(requestFrame(1, '/', true));
  // Node's library ends a connection with 1,000 unanswered ones.
  const pings = Buffer.concat(Array.from({ length: 200 }, pingFrame));
  for (let each = 0; !socket.destroyed && each < 500; each += 1) {
    socket.write(pings);
    await untilQuiet();
  }
  assert.deepEqual(closed, ['useless_frames']);
});

test('a client that does not acknowledge a PING is not waited for', async (context) => {
  const { httpsPort, connections } = await serve(context, () => {}, { bounds: { pingTimeoutMs: 20 } });
  const socket = await openHttp2(httpsPort, '127.0.0.1', settingsFrame());
  context.after(() => socket?.destroy());
  await until(() => connections[0]?.protocol);
  assert.equal(await connections[0]?.protocol?.ping?.(), null);
});

test('requests with many headers are refused when those without a response have too many, the oldest first', async (context) => {
  const paths: string[] = [];
  const bounds = { ordinaryHeaderParts: 20, maxHeldHeaderParts: 100, maxRequestsInFlight: 2 };
  const { httpsPort, closed } = await serve(
    context,
    (exchange) => {
      paths.push(exchange.target.path);
      if (exchange.target.path === '/answered') exchange.respond({ status: 200, headers: {}, body: 'a' });
    },
    { bounds },
  );
  const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { rejectUnauthorized: false });
  session.on('error', () => {});
  context.after(() => session.destroy());
  // With the four pseudo-headers, 38 names and values each.
  const many = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`x-${at}`, 'a']));
  const few = session.request({ ':path': '/few' }).on('error', () => {});
  const send = (path: string) => session.request({ ':path': path, ...many }).on('error', () => {});
  // Before the others are sent: until it is answered, it would be the oldest of them.
  assert.equal((await send('/answered').toArray()).join(''), 'a');
  const [first, second, third] = ['/1', '/2', '/3'].map(send);
  await new Promise((resolve) => first?.once('close', resolve));
  assert.equal(first?.rstCode, constants.NGHTTP2_REFUSED_STREAM);
  assert.deepEqual([few.closed, second?.closed, third?.closed], [false, false, false]);
  assert.deepEqual(closed, ['held_headers']);
  assert.ok(paths.includes('/few'));
});

test('too many headers are rejected although other requests wait', async (context) => {
  const { httpsPort } = await serve(context, () => {}, { bounds: { maxRequestsInFlight: 1 } });
  const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { rejectUnauthorized: false });
  session.on('error', () => {});
  context.after(() => session.destroy());
  for (let each = 0; each < 3; each += 1) session.request({ ':path': '/' }).on('error', () => {});
  const stream = session.request({ ':path': '/', 'x-large': 'a'.repeat(17_000) });
  assert.equal((await stream.toArray()).join(''), 'headers_too_large');
});

test('a handler that fails, immediately or later, ends its exchange alone', async (context) => {
  const handle = (exchange: Exchange): Promise<void> | void => {
    if (exchange.target.path === '/now') throw new Error('now');
    if (exchange.target.path === '/later') return Promise.reject(new Error('later'));
    exchange.respond({ status: 200, headers: {}, body: 'a' });
  };
  const { httpsPort, closed } = await serve(context, handle);
  const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { rejectUnauthorized: false });
  context.after(() => session.destroy());
  for (const path of ['/now', '/later']) await once(session.request({ ':path': path }).resume(), 'close');
  assert.equal((await session.request({ ':path': '/' }).toArray()).join(''), 'a');
  assert.deepEqual(closed, ['Error: now', 'Error: later']);
});

test('the first responses of a connection may take longer than the time between two checks', async (context) => {
  const bounds = { connectionCheckMs: 10, stallTimeoutMs: 2_000 };
  const untilChecked = async ({ connection }: Exchange): Promise<void> => {
    assert.ok(connection.protocol);
    const { mock } = context.mock.method(connection.protocol, 'sweep');
    await until(() => mock.callCount() > 1);
  };
  const handle = async (exchange: Exchange): Promise<void> => {
    // The second response is ready first, and waits.
    if (exchange.target.path === '/slow') await untilChecked(exchange);
    exchange.respond({ status: 200, headers: {}, body: exchange.target.path });
  };
  // As if the process had run for longer than the stall timeout.
  await until(() => performance.now() >= bounds.stallTimeoutMs + 100);
  const { httpPort, closed } = await serve(context, handle, { bounds });
  const socket = connect(httpPort, '127.0.0.1');
  const head = ' HTTP/1.1\r\nHost: a\r\n';
  socket.write(`GET /slow${head}\r\nGET /fast${head}Connection: close\r\n\r\n`);
  assert.match((await socket.toArray()).join(''), /\/slow(?:.|\s)*\/fast/);
  assert.deepEqual(closed, []);
});

test('a stream ends with its response although the body of its request does not', async (context) => {
  const { httpsPort } = await serve(context, (exchange) => {
    void exchange.readBody(1_000);
    exchange.respond({ status: 200, headers: {}, body: 'a' });
  });
  const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { rejectUnauthorized: false });
  session.on('error', () => {});
  context.after(() => session.destroy());
  const stream = session.request({ ':path': '/', ':method': 'POST' }, { endStream: false });
  stream.write('abc');
  stream.resume();
  await once(stream, 'close');
  assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR);
});

test('a connection is read again after all were stopped while its client did not read', async (context) => {
  const bounds = { maxBytesPerIteration: 100, connectionCheckMs: 50 };
  const large = 'x'.repeat(6_000_000);
  const handle = (exchange: Exchange): void =>
    exchange.respond({ status: 200, headers: {}, body: exchange.target.path === '/large' ? large : 'a' });
  const { httpsPort, connections } = await serve(context, handle, { bounds });
  const reader = await openHttp2(httpsPort, '127.0.0.1', settingsFrame([initialWindowSize, 10_000_000]));
  assert.ok(reader);
  context.after(() => reader.destroy());
  const pong = frame(frameTypes.ping, 1, 0, Buffer.alloc(8));
  let rest = Buffer.alloc(0);
  let hasPong = false;
  reader.on('data', (chunk: Buffer) => {
    const bytes = Buffer.concat([rest, chunk]);
    hasPong ||= bytes.includes(pong);
    rest = bytes.subarray(-pong.length);
  });
  reader.write(Buffer.concat([windowUpdateFrame(0, 10_000_000), requestFrame(1, '/large', true)]));
  await once(reader, 'data');
  reader.pause();
  const [connection] = connections;
  await untilQuiet(() => connection?.socket.bytesWritten);
  const others = connectHttp2(`https://127.0.0.1:${httpsPort}`, { rejectUnauthorized: false });
  context.after(() => others.destroy());
  await Promise.all(Array.from({ length: 20 }, () => others.request({ ':path': '/' }).toArray()));
  reader.resume();
  // Without reading, the service cannot answer a PING.
  reader.write(pingFrame());
  await until(() => hasPong);
});
