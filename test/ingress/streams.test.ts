/** The queue of a connection's requests, over HTTP/2 and over HTTP/3. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { test } from 'node:test';
import type { Exchange } from '../../src/ingress/exchange.ts';
import { connectChannel, getFields } from '../runtime/http3/channel-client.ts';
import { until } from '../until.ts';
import { type Served, serve } from './serve.ts';

const timeout = 20_000;

/** A connection of a client: requests are sent with these headers, and the body of the response is returned. */
interface Client {
  request(headers?: Readonly<Record<string, string>>): Promise<string>;
  close(): void;
}

const protocols: Readonly<Record<string, (served: Served) => Promise<Client>>> = {
  async 'HTTP/2'({ httpsPort }) {
    const session = connect(`https://127.0.0.1:${httpsPort}`, { rejectUnauthorized: false });
    return {
      request: async (headers) => (await session.request({ ':path': '/', ...headers }).toArray()).join(''),
      close: () => session.destroy(),
    };
  },
  async 'HTTP/3'({ socketPath }) {
    const client = await connectChannel(socketPath);
    let stream = -4;
    return {
      async request(headers = {}) {
        stream += 4;
        return (await client.request(stream, getFields('/', Object.entries(headers)))).body;
      },
      close() {},
    };
  },
};

for (const [protocol, open] of Object.entries(protocols)) {
  test(`requests that wait start when others end, over ${protocol}`, { timeout }, async (context) => {
    let inFlight = 0;
    let most = 0;
    const { promise: second, resolve: onSecond } = Promise.withResolvers<void>();
    const handle = async (exchange: Exchange): Promise<void> => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      if (inFlight === 2) onSecond();
      await second;
      await new Promise(setImmediate);
      inFlight -= 1;
      exchange.respond({ status: 200, headers: {}, body: 'a' });
    };
    const served = await serve(context, handle, { bounds: { maxRequestsInFlight: 2 } });
    const client = await open(served);
    const bodies = await Promise.all(Array.from({ length: 10 }, () => client.request()));
    client.close();
    assert.deepEqual([bodies.join(''), most], ['a'.repeat(10), 2]);
  });

  test(`a request holds its headers until its response begins, over ${protocol}`, { timeout }, async (context) => {
    const exchanges: Exchange[] = [];
    const handle = (exchange: Exchange): void => {
      exchange.respond({ status: 200, headers: {}, body: 'a' });
      exchanges.push(exchange);
    };
    const served = await serve(context, handle, { bounds: { ordinaryHeaderParts: 20, maxHeldHeaderParts: 100 } });
    const client = await open(served);
    const many = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`x-${at}`, 'a']));
    for (let each = 0; each < 5; each += 1) assert.equal(await client.request(many), 'a');
    client.close();
    assert.deepEqual(
      exchanges.map(({ rawHeaders }) => rawHeaders.length),
      [0, 0, 0, 0, 0],
    );
    assert.deepEqual(served.closed, []);
  });

  test(`a request that is never answered ends and is reported, over ${protocol}`, { timeout }, async (context) => {
    const exchanges: Exchange[] = [];
    const handle = async (exchange: Exchange): Promise<void> => {
      if (exchanges.push(exchange) === 1) await new Promise(() => {});
      exchange.respond({ status: 200, headers: {}, body: 'a' });
    };
    const bounds = { answerTimeoutMs: 50, connectionCheckMs: 10, maxRequestsInFlight: 1 };
    const served = await serve(context, handle, { bounds });
    const client = await open(served);
    client.request().catch(() => {});
    // It waits for the first one to end.
    assert.equal(await client.request(), 'a');
    client.close();
    assert.deepEqual(served.closed, ['Error: A request got no response within 50 ms.']);
    assert.ok(exchanges[0]?.isAnswered);
  });
}

test('the first request of an HTTP/2 connection that waits counts against unserved connections, no other does', {
  timeout,
}, async (context) => {
  const respond = (exchange: Exchange): void => exchange.respond({ status: 200, headers: {}, body: 'a' });
  // One step in an iteration.
  const served = await serve(context, respond, { bounds: { maxUnservedConnections: 0, iterationMs: 0.001 } });
  const { scheduler } = served.ingress.connections.context;
  const session = connect(`https://127.0.0.1:${served.httpsPort}`, { rejectUnauthorized: false });
  context.after(() => session.destroy());
  // Its session has begun.
  await once(session, 'remoteSettings');
  let isBusy = true;
  context.after(() => {
    isBusy = false;
  });
  let behind = 0;
  // Of the same client: a request then waits for a step after this one.
  scheduler.add(() => {
    if (!scheduler.tryStart('handshake')) behind += 1;
    return isBusy;
  }, served.connections[0]?.flow);
  for (let each = 0; each < 3; each += 1) {
    await session.request().toArray();
    assert.equal(behind, 1, `after request ${each + 1}`);
  }
});

test('if too many requests wait, those of the client with most are refused', { timeout }, async (context) => {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const handle = async (exchange: Exchange): Promise<void> => {
    await isOver;
    exchange.respond({ status: 200, headers: {}, body: 'a' });
  };
  const served = await serve(context, handle, { bounds: { maxRequestsInFlight: 1, maxWaitingRequests: 84 } });
  const open = (localAddress: string, count: number) => {
    const options = { rejectUnauthorized: false, localAddress };
    const session = connect(`https://127.0.0.1:${served.httpsPort}`, options);
    context.after(() => session.destroy());
    return Array.from({ length: count }, () => session.request().on('error', () => {}));
  };
  const attacker = open('127.0.0.2', 60);
  // Rejected after those of two more clients, who have fewer.
  const honest = ['127.0.0.3', '127.0.0.4'].flatMap((address) => open(address, 20));
  await until(() => served.closed.includes('waiting_requests'));
  end();
  const bodies = await Promise.all(honest.map(async (request) => (await request.toArray()).join('')));
  assert.deepEqual(new Set(bodies), new Set(['a']));
  await Promise.all(attacker.map((request) => request.closed || once(request, 'close')));
  const refused = attacker.filter(({ rstCode }) => rstCode === constants.NGHTTP2_REFUSED_STREAM);
  assert.equal(refused.length, 59);
  assert.deepEqual(
    served.closed.filter((reason) => reason !== 'reset_stream'),
    ['waiting_requests'],
  );
});
