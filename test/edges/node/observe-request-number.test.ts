/** `http.connection`: the number of a request on its connection, over each version of HTTP. */
import assert from 'node:assert/strict';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { prefixOf } from '../../../src/core/address.ts';
import type { Service } from '../../../src/runtime/serve.ts';
import { findBun, startBun } from '../../acceptance/bun.ts';
import { startNode } from '../../node-service.ts';
import { skipBun } from '../../quic-clients.ts';

const proxy = '127.0.0.2';
let service: Service;
before(async () => {
  service = await startNode({ host: '127.0.0.1', http3Port: 0, trustProxy: [prefixOf(proxy)] });
});
after(() => service.close());

const numberIn = (body: string): unknown => JSON.parse(body).http.connection;

/** Requests that a client sends together, in one connection; the bodies of the responses. */
async function pipeline(heads: readonly string[], localAddress = '127.0.0.1'): Promise<readonly string[]> {
  const { port } = new URL(service.http ?? '');
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress });
  socket.write(heads.map((head) => `${head}\r\nHost: localhost\r\n\r\n`).join(''));
  const received = `${Buffer.concat(await socket.toArray())}`;
  return [...received.matchAll(/^\{\n[\s\S]*?^\}$/gm)].map(([body]) => body);
}

const last = 'GET /json HTTP/1.1\r\nConnection: close';

test('counts the requests of a connection over HTTP/1.1, also those with another path', async () => {
  const bodies = await pipeline(['GET /json HTTP/1.1', 'GET /ip HTTP/1.1', 'GET /json HTTP/1.1', last]);
  assert.deepEqual(bodies.map(numberIn), [1, 3, 4]);
  assert.deepEqual((await pipeline([last])).map(numberIn), [1]);
});

test('counts the streams of a connection over HTTP/2 in their order, also those that wait', async () => {
  const session = connectHttp2(service.https ?? '', { rejectUnauthorized: false });
  const count = 300;
  const streams = Array.from({ length: count }, () => session.request({ ':path': '/json' }));
  const bodies = await Promise.all(streams.map(async (stream) => `${Buffer.concat(await stream.toArray())}`));
  session.close();
  assert.deepEqual(
    bodies.map(numberIn),
    Array.from({ length: count }, (_, at) => at + 1),
  );
});

test('counts the requests of a connection over HTTP/3', { skip: skipBun }, async () => {
  const bun = startBun(findBun() ?? '');
  try {
    const numbers: unknown[] = [];
    for (let each = 0; each < 3; each += 1) numbers.push(numberIn((await bun.fetch(`${service.http3}/json`)).body));
    assert.deepEqual(numbers, [1, 2, 3]);
  } finally {
    await bun.close();
  }
});

test('is null if a proxy forwards the request of a client, and not for the own request of a proxy', async () => {
  const forwarded = `${last}\r\nX-Forwarded-For: 203.0.113.9`;
  assert.deepEqual((await pipeline([forwarded], proxy)).map(numberIn), [null]);
  assert.deepEqual((await pipeline([last], proxy)).map(numberIn), [1]);
});
