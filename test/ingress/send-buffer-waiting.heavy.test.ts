/** Responses that wait for a client's window are unsent bytes, however small their bodies are. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { bounds, boundsOfThread } from '../../src/edges/node/limits/bounds.ts';
import type { Exchange } from '../../src/ingress/exchange.ts';
import { until } from '../until.ts';
import { serve } from './serve.ts';

test('small responses to clients that permit no data count as unsent bytes, and the oldest readers are closed', async (context) => {
  const streams = 10;
  const bounds = { waitingResponseBytes: 1_000, maxSendBufferBytes: 35_000 };
  const { httpsPort, closed } = await serve(
    context,
    (exchange) => exchange.respond({ status: 200, headers: {}, body: 'a' }),
    { bounds },
  );
  const open = async () => {
    const settings = { initialWindowSize: 0 };
    const session = connectHttp2(`https://localhost:${httpsPort}`, { rejectUnauthorized: false, settings });
    context.after(() => session.destroy());
    session.on('error', () => {});
    await once(session, 'remoteSettings');
    const responses = Array.from({ length: streams }, () => {
      const stream = session.request({ ':path': '/' }).on('error', () => {});
      return Promise.race([once(stream, 'response'), once(stream, 'close')]);
    });
    await Promise.all(responses);
    return session;
  };
  const first = await open();
  const end = once(first, 'close');
  const others = [await open(), await open()];
  assert.deepEqual(closed, []);
  others.push(await open());
  await end;
  assert.deepEqual(closed, ['unsent_bytes']);
  assert.ok(others.every(({ destroyed }) => !destroyed));
});

test('a reader that is closed frees the bytes of all its responses at once, so that no other one is closed for them', async (context) => {
  const streams = 10;
  const exchanges: Exchange[] = [];
  const respondInTurns = (): void => {
    const ofConnections = [...Map.groupBy(exchanges, ({ connection }) => connection).values()];
    for (let at = 0; at < streams; at += 1)
      for (const each of ofConnections) each[at]?.respond({ status: 200, headers: {}, body: 'a' });
  };
  const bounds = { waitingResponseBytes: 1_000, maxSendBufferBytes: 35_000, maxRequestsInFlight: streams };
  const { httpsPort, closed } = await serve(
    context,
    (exchange) => {
      if (exchanges.push(exchange) === 4 * streams) respondInTurns();
    },
    { bounds },
  );
  const settings = { initialWindowSize: 0 };
  const sessions = Array.from({ length: 4 }, () => {
    const session = connectHttp2(`https://localhost:${httpsPort}`, { rejectUnauthorized: false, settings });
    context.after(() => session.destroy());
    session.on('error', () => {});
    for (let each = 0; each < streams; each += 1) session.request({ ':path': '/' }).on('error', () => {});
    return session;
  });
  // Not `once`, which rejects at the error with which a session may end.
  await Promise.race(sessions.map((session) => new Promise((resolve) => session.once('close', resolve))));
  const open = sessions.filter(({ destroyed }) => !destroyed);
  for (const session of open) await promisify((done: (error: Error | null) => void) => session.ping(done))();
  assert.equal(open.length, 3);
  assert.deepEqual(closed, ['unsent_bytes']);
});

test('a connection whose client permits no data has no request any more after some time, also if it sends further ones', {
  timeout: 20_000,
}, async (context) => {
  const bounds = { unreadMs: 100 };
  const served = await serve(context, (exchange) => exchange.respond({ status: 200, headers: {}, body: 'a' }), {
    bounds,
  });
  const settings = { initialWindowSize: 0 };
  const session = connectHttp2(`https://localhost:${served.httpsPort}`, { rejectUnauthorized: false, settings });
  context.after(() => session.destroy());
  const request = () => session.request({ ':path': '/' }).on('error', () => {});
  await once(request(), 'response');
  const [connection] = served.connections;
  assert.ok(connection?.protocol?.hasRequest);
  const { progressedMs } = connection;
  await once(request(), 'response');
  assert.equal(connection.progressedMs, progressedMs);
  await until(() => !connection.protocol?.hasRequest);
  assert.ok(performance.now() - progressedMs > bounds.unreadMs && !connection.socket.destroyed);
  session.settings({ initialWindowSize: 65_535 });
  await until(() => connection.bufferedBytes === 0);
  assert.equal(connection.isUnread, false);
});

test('however many threads divide the memory for unsent bytes, no client is closed that reads', async (context) => {
  const body = 'a'.repeat(bounds.stallBytes);
  const { httpsPort, closed } = await serve(
    context,
    (exchange) => exchange.respond({ status: 200, headers: {}, body }),
    {
      bounds: { maxSendBufferBytes: boundsOfThread(bounds, { threads: 64, memoryMb: 0 }).maxSendBufferBytes },
    },
  );
  const streams = 20;
  // As many requests as may begin in one iteration.
  const sessions = Array.from({ length: bounds.maxStreamsPerIteration / streams }, () => {
    const session = connectHttp2(`https://localhost:${httpsPort}`, { rejectUnauthorized: false });
    context.after(() => session.destroy());
    return session.on('error', () => {});
  });
  await Promise.all(sessions.map((session) => once(session, 'remoteSettings')));
  const responses = sessions.flatMap((session) =>
    Array.from({ length: streams }, () => {
      const stream = session.request({ ':path': '/' }).on('error', () => {});
      return once(stream.resume(), 'close');
    }),
  );
  await Promise.all(responses);
  assert.deepEqual(closed, []);
});
