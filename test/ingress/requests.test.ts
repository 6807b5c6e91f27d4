/** What is rejected over HTTP/1 before it reaches the handler, and when: never before the responses to the requests before it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { Exchange } from '../../src/ingress/exchange.ts';
import { until, untilQuiet } from '../until.ts';
import { type Served, serve } from './serve.ts';

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const rejected = {
  'a faulty header': ['GET / HTTP/1.1\r\nfaulty header\r\n\r\n', 'malformed_request'],
  CONNECT: ['CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 'method_not_allowed'],
} as const;

const respond = (exchange: Exchange, body = exchange.target.path): void =>
  exchange.respond({ status: 200, headers: {}, body });

/** Serves, and opens a connection; responses to `/held` wait in `held`. */
async function open(context: TestContext, isTls = false, large = '') {
  const held: Exchange[] = [];
  const bounds = { maxConnectionSendBufferBytes: 16_777_216 };
  const handle = (exchange: Exchange): void => {
    const { path } = exchange.target;
    if (path === '/held') held.push(exchange);
    else respond(exchange, path === '/large' ? large : path);
  };
  const served = await serve(context, handle, { bounds });
  return { ...served, held, client: openClient(context, served, isTls) };
}

function openClient(context: TestContext, { httpPort, httpsPort }: Served, isTls = false): Socket {
  const client = isTls
    ? connectTls({ port: httpsPort, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(httpPort, '127.0.0.1');
  context.after(() => client.destroy());
  return client.on('error', () => {});
}

/** The bodies of all responses, until the server closes the connection. */
async function bodiesOf(client: Socket): Promise<(string | undefined)[]> {
  const received = (await client.toArray()).join('');
  return received.split(/(?=HTTP\/1\.1 \d{3} )/).map((response) => response.slice(response.indexOf('\r\n\r\n') + 4));
}

for (const isTls of [false, true])
  describe(`rejected bytes ${isTls ? 'over TLS' : 'without TLS'}`, () => {
    for (const [name, [bytes, problem]] of Object.entries(rejected)) {
      test(`${name}: the response follows those that wait`, async (context) => {
        const { client, held } = await open(context, isTls);
        // The second response is ready, and waits for the first.
        client.write(`${get('/held')}${get('/ready')}${bytes}`);
        await until(() => held.length !== 0);
        await untilQuiet();
        respond(held[0] as Exchange);
        assert.deepEqual(await bodiesOf(client), ['/held', '/ready', problem]);
      });

      test(`${name}: the response is not within a body that is being sent`, async (context) => {
        const large = 'x'.repeat(6_000_000);
        const { client, connections } = await open(context, isTls, large);
        client.write(get('/large'));
        await until(() => connections[0]?.bufferedBytes);
        client.write(bytes);
        await untilQuiet();
        const [first, second, ...more] = await bodiesOf(client);
        assert.deepEqual([first?.length, second, more], [large.length, problem, []]);
      });

      test(`${name}: what follows is not read while a response waits`, async (context) => {
        const { client, held, connections } = await open(context, isTls);
        client.write(get('/held'));
        await until(() => held.length !== 0);
        client.write(Buffer.concat([Buffer.from(bytes), Buffer.alloc(20_000_000)]));
        await untilQuiet(() => connections[0]?.socket.bytesRead);
        assert.ok((connections[0]?.socket.bytesRead ?? 0) < 1_000_000);
        respond(held[0] as Exchange);
        // Its own bytes may not arrive before the connection is closed.
        await new Promise((resolve) => client.resume().once('close', resolve));
      });
    }

    test('within a body whose request has a response: the one before it is sent', async (context) => {
      const { client, held } = await open(context, isTls);
      client.write(`${get('/held')}POST /early HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
      await until(() => held.length !== 0);
      await untilQuiet();
      client.write('zz\r\n');
      await untilQuiet();
      respond(held[0] as Exchange);
      assert.deepEqual(await bodiesOf(client), ['/held', '/early']);
    });

    test('none is sent after a response that ends the connection', async (context) => {
      const { client, held, closed } = await open(context, isTls);
      client.write('GET /held HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      await until(() => held.length !== 0);
      client.write('faulty\r\n\r\n');
      await untilQuiet();
      respond(held[0] as Exchange);
      assert.deepEqual(await bodiesOf(client), ['/held']);
      assert.deepEqual(closed, []);
    });

    for (const coding of ['gzip', 'chunked, gzip', 'xchunked'])
      test(`a transfer coding without a known end, ${coding}: the request is malformed, and not handled`, async (context) => {
        for (const method of ['GET', 'POST']) {
          const { client } = await open(context, isTls);
          client.write(`${method} / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${coding}\r\n\r\n`);
          assert.deepEqual(await bodiesOf(client), ['malformed_request']);
        }
      });
  });

test("the response to rejected bytes that waits names their host, and not another client's", async (context) => {
  const served = await open(context);
  const { client, held } = served;
  const other = openClient(context, served);
  const bytesFor = (host: string, header: string): string => `GET / HTTP/1.1\r\nHost: ${host}\r\n${header}\r\n\r\n`;
  client.write(get('/held'));
  await until(() => held.length !== 0);
  client.write(bytesFor('a.example', 'faulty'));
  await untilQuiet();
  // As many bytes: they are read into the same buffer.
  other.write(bytesFor('b.example', 'x: abc'));
  await once(other, 'data');
  respond(held[0] as Exchange);
  assert.match((await client.toArray()).join(''), /\r\nX-Authority: a\.example\r\n/);
});
