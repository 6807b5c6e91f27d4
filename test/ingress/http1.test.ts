/** The input of HTTP/1 connections, with and without Node's undocumented way to read into a given buffer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { ingressBounds as bounds } from '../../src/ingress/bounds.ts';
import type { Connection } from '../../src/ingress/connection.ts';
import type { Exchange } from '../../src/ingress/exchange.ts';
import { Http1, type Http1Exchange } from '../../src/ingress/http1.ts';
import type { Handler } from '../../src/ingress/requests.ts';
import { until, untilQuiet } from '../until.ts';
import { serve } from './serve.ts';

interface Opened {
  readonly client: Socket;
  readonly connection: Connection;
}

const headers = {};

/** Opens a connection to a server with this handler. */
async function open(context: TestContext, hasUserBuffer: boolean, handle: Handler['handle']): Promise<Opened> {
  const admitted = Promise.withResolvers<Connection>();
  const admit = (connection: Connection): boolean => {
    const { _handle: handle } = connection.socket as Socket & { _handle?: { useUserBuffer?: unknown } };
    if (!hasUserBuffer && handle) handle.useUserBuffer = undefined;
    admitted.resolve(connection);
    return true;
  };
  const { httpPort } = await serve(context, handle, { options: { admit } });
  const client = connect(httpPort, '127.0.0.1').on('error', () => {});
  context.after(() => client.destroy());
  return { client, connection: await admitted.promise };
}

/** The latest request of a connection that has not ended. */
function latestOf({ protocol }: Connection): Http1Exchange | null {
  assert.ok(protocol instanceof Http1);
  return protocol.latest;
}

for (const hasUserBuffer of [true, false])
  describe(`a server that reads ${hasUserBuffer ? 'into its own buffer' : "the socket's data events"}`, () => {
    test('passes on pipelined requests and bodies in order', async (context) => {
      const bytesOf = new Map<string, number>();
      const { client } = await open(context, hasUserBuffer, async (exchange) => {
        const { path } = exchange.target;
        bytesOf.set(path, 0);
        bytesOf.set(path, (await exchange.readBody(100_000)).length);
        exchange.respond({ status: 200, headers, body: '' });
      });
      const body = 'x'.repeat(40_000);
      const requests = Array.from({ length: 300 }, (_, at) =>
        at % 100 === 50
          ? `POST /${at} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
          : `GET /${at} HTTP/1.1\r\nHost: a\r\n\r\n`,
      );
      let received = '';
      const all = Promise.withResolvers<void>();
      // A listener for all pieces: two of them may come before a promise of the first is noticed.
      client.on('data', (piece: Buffer) => {
        received += piece;
        if (received.split('HTTP/1.1 200').length > requests.length) all.resolve();
      });
      client.write(requests.join(''));
      await all.promise;
      assert.deepEqual(
        [...bytesOf],
        requests.map((_, at) => [`/${at}`, at % 100 === 50 ? body.length : 0]),
      );
    });

    test('keeps nothing of a request after its response', async (context) => {
      const { client, connection } = await open(context, hasUserBuffer, (exchange) => {
        assert.equal(latestOf(exchange.connection), exchange);
        exchange.respond({ status: 200, headers, body: '' });
      });
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(client, 'data');
      assert.equal(latestOf(connection), null);
    });

    test('keeps a response that ends before the body of its request', async (context) => {
      const { client, connection } = await open(context, hasUserBuffer, (exchange) =>
        exchange.respond({ status: 200, headers, body: '' }),
      );
      client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n');
      await once(client, 'data');
      assert.equal(latestOf(connection)?.isReceived, false);
    });

    test('passes on only as many requests as may be in flight', async (context) => {
      let started = 0;
      const { client } = await open(context, hasUserBuffer, () => {
        started += 1;
      });
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(bounds.maxRequestsInFlight + 100));
      await until(() => started >= bounds.maxRequestsInFlight);
      await untilQuiet(() => started);
      assert.equal(started, bounds.maxRequestsInFlight);
    });

    const smallBodies = {
      'a length': 'Content-Length: 3\r\n\r\nabc',
      chunks: `Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    };
    for (const [framing, rest] of Object.entries(smallBodies))
      for (const hasTime of [true, false])
        test(`a body with ${framing} that comes with its headers waits for ${hasTime ? 'no' : 'one'} step if there is ${hasTime ? '' : 'no '}time`, async (context) => {
          const { client, connection } = await open(context, hasUserBuffer, async (exchange) => {
            const body = await exchange.readBody(3);
            exchange.respond({ status: 200, headers, body: typeof body === 'string' ? body : Buffer.from(body) });
          });
          const { scheduler } = connection.context;
          // The first call permits to feed the parser.
          let calls = 0;
          context.mock.method(scheduler, 'hasTime', () => hasTime || calls++ === 0);
          const add = context.mock.method(scheduler, 'add');
          client.write(`POST / HTTP/1.1\r\nHost: a\r\n${rest}`);
          const [response] = await once(client, 'data');
          assert.match(`${response}`, /\r\n\r\nabc$/);
          assert.equal(add.mock.callCount(), hasTime ? 0 : 1);
        });

    test('stops reading while it has no turn for more requests', async (context) => {
      const { client, connection } = await open(context, hasUserBuffer, () => {});
      client.write(Buffer.alloc(20_000_000, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
      const { socket } = connection;
      // The kernel accepts some megabytes; the rest waits in the client.
      await until(() => socket.bytesRead !== 0);
      await untilQuiet(() => socket.bytesRead);
      assert.ok(socket.bytesRead < 1_000_000, `${socket.bytesRead} bytes read`);
      assert.ok(client.writableLength > 0);
    });
  });

for (const isTls of [false, true])
  test(`closes a connection whose request is never answered, ${isTls ? 'over TLS' : 'without TLS'}`, async (context) => {
    const bounds = { answerTimeoutMs: 50, connectionCheckMs: 10 };
    const { httpPort, httpsPort } = await serve(context, () => {}, { bounds });
    const client = isTls
      ? connectTls({ port: httpsPort, host: '127.0.0.1', rejectUnauthorized: false })
      : connect(httpPort, '127.0.0.1');
    context.after(() => client.destroy());
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    client.resume();
    await once(client, 'close', { signal: AbortSignal.timeout(5_000) });
  });

for (const isTls of [false, true])
  test(`discards what waits when a connection ends, ${isTls ? 'over TLS' : 'without TLS'}`, async (context) => {
    const posted = Promise.withResolvers<Exchange>();
    const paths: string[] = [];
    const { httpPort, httpsPort, connections } = await serve(context, (exchange) => {
      paths.push(exchange.target.path);
      if (exchange.target.path === '/post') posted.resolve(exchange);
      else exchange.respond({ status: 200, headers, body: exchange.target.path });
    });
    const openClient = () => {
      const client = isTls
        ? connectTls({ port: httpsPort, host: '127.0.0.1', rejectUnauthorized: false })
        : connect(httpPort, '127.0.0.1');
      context.after(() => client.destroy());
      return client.on('error', () => {});
    };
    // The second request waits for the response to the first.
    openClient().write(
      'POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\nGET /waits HTTP/1.1\r\nHost: a\r\n\r\n',
    );
    const { tlsSocket, socket, context: ingress } = (await posted.promise).connection;
    const steps: (() => boolean)[] = [];
    const { mock } = context.mock.method(ingress.scheduler, 'add', (step: () => boolean) => void steps.push(step));
    (tlsSocket ?? socket).destroy();
    await once(tlsSocket ?? socket, 'close');
    // Node gives the parser to the next connection.
    const other = openClient();
    await once(other, isTls ? 'secureConnect' : 'connect');
    await until(() => connections.length === 2 && connections[1]?.protocol);
    mock.restore();
    assert.ok(steps.length > 0);
    for (const step of steps) step();
    other.write('GET /other HTTP/1.1\r\nHost: a\r\n\r\n');
    const [response] = await once(other, 'data');
    assert.match(`${response}`, /\/other$/);
    assert.deepEqual(paths, ['/post', '/other']);
  });

test('small bodies count as memory until the responses to their requests', async (context) => {
  const held: Exchange[] = [];
  const respond = (exchange: Exchange, body: string): void => exchange.respond({ status: 200, headers, body });
  const handle = async (exchange: Exchange): Promise<void> => {
    const body = await exchange.readBody(10);
    if (exchange.target.path === '/held') held.push(exchange);
    else respond(exchange, typeof body === 'string' ? body : 'received');
  };
  const { httpPort, closed } = await serve(context, handle, { bounds: { maxBodyBytes: 15 } });
  const openClient = () => {
    const client = connect(httpPort, '127.0.0.1');
    context.after(() => client.destroy());
    return client;
  };
  const post = async (client: Socket, path: string, ends: string): Promise<void> => {
    client.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789`);
    const [response] = await once(client, 'data');
    assert.ok(`${response}`.endsWith(ends), `${response}`);
  };
  const client = openClient();
  for (let at = 0; at < 3; at += 1) await post(client, '/', 'received');
  const other = openClient();
  const ended = post(other, '/held', 'held');
  await until(() => held.length !== 0);
  await post(client, '/', 'overloaded');
  assert.deepEqual(closed, ['body_bytes']);
  for (const exchange of held) respond(exchange, 'held');
  await ended;
  await post(client, '/', 'received');
});

for (const reportsEnd of [true, false])
  test(`a request ends with its connection while its response waits for another one${reportsEnd ? '' : ', although Node does not report it'}`, async (context) => {
    const queued = Promise.withResolvers<Exchange>();
    const handle = async (exchange: Exchange): Promise<void> => {
      const { path } = exchange.target;
      if (path === '/held') return;
      const body = await exchange.readBody(10);
      if (path === '/queued') queued.resolve(exchange);
      else exchange.respond({ status: 200, headers, body: typeof body === 'string' ? body : 'received' });
    };
    const { httpPort } = await serve(context, handle, { bounds: { maxBodyBytes: 15 } });
    const post = (path: string): string => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789`;
    const client = connect(httpPort, '127.0.0.1').on('error', () => {});
    client.write(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${post('/queued')}`);
    const exchange = await queued.promise;
    // As in Node 22.19.
    if (!reportsEnd) context.mock.method((exchange as Http1Exchange).output, 'destroy', () => {});
    const ended = new Promise<void>((resolve) => exchange.onEnd(resolve));
    client.resetAndDestroy();
    await ended;
    const other = connect(httpPort, '127.0.0.1');
    context.after(() => other.destroy());
    other.write(post('/'));
    const [response] = await once(other, 'data');
    assert.match(`${response}`, /received$/);
  });

test('requests end with their connection after a CONNECT, too', async (context) => {
  const begun: Exchange[] = [];
  const { httpPort } = await serve(context, (exchange) => void begun.push(exchange));
  const client = connect(httpPort, '127.0.0.1').on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3));
  await until(() => begun.length >= 3);
  client.write('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n');
  await untilQuiet();
  const ended = begun.map((exchange) => new Promise<void>((resolve) => exchange.onEnd(resolve)));
  begun[0]?.connection.socket.destroy();
  await Promise.all(ended);
});

test('a response that is ready after the end of its connection takes no memory', async (context) => {
  const begun: Exchange[] = [];
  const { httpPort, connections } = await serve(context, (exchange) => void begun.push(exchange));
  const client = connect(httpPort, '127.0.0.1').on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2));
  await until(() => begun.length >= 2);
  const ended = begun.map((exchange) => new Promise<void>((resolve) => exchange.onEnd(resolve)));
  client.resetAndDestroy();
  await Promise.all(ended);
  for (const exchange of begun) exchange.respond({ status: 200, headers, body: 'x'.repeat(100_000) });
  assert.equal(connections[0]?.context.sendBuffer.isSending, false);
});

test('closes a connection that sends nothing', async (context) => {
  const bounds = { headersTimeoutMs: 50, timeoutCheckMs: 10, idleTimeoutMs: 3_600_000 };
  const { httpPort } = await serve(context, () => {}, { bounds });
  const client = connect(httpPort, '127.0.0.1');
  context.after(() => client.destroy());
  client.resume();
  await once(client, 'close', { signal: AbortSignal.timeout(5_000) });
});
