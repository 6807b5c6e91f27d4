/** Many connections and requests from the process that ends QUIC: an iteration of the event loop accepts all that wait, and reads a part. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectChannel, getFields, headersFrame } from '../../runtime/http3/channel-client.ts';
import { serve } from '../serve.ts';

const timeout = 20_000;

/** Calls `count` at the end of each iteration until it returns true. */
function everyIteration(count: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const next = (): unknown => (count() ? resolve() : setImmediate(next));
    setImmediate(next);
  });
}

test('accepts all connections that wait in few iterations', { timeout }, async (context) => {
  const { connections, socketPath } = await serve(context, () => {});
  const number = 40;
  const clients = Promise.all(Array.from({ length: number }, () => connectChannel(socketPath)));
  let iterations = 0;
  await everyIteration(() => {
    if (connections.length > 0) iterations += 1;
    return connections.length === number;
  });
  for (const { socket } of await clients) socket.destroy();
  assert.ok(iterations < number / 2, `${iterations} iterations`);
});

test('reads a part of the requests of a connection in an iteration, and then the others', {
  timeout,
}, async (context) => {
  let opened = 0;
  const bounds = { maxStreamsPerIteration: 12, maxImmediateStarts: 1_000, iterationMs: 10_000 };
  const { socketPath } = await serve(
    context,
    (exchange) => {
      opened += 1;
      exchange.respond({ status: 200, headers: {}, body: 'a' });
    },
    { bounds },
  );
  const client = await connectChannel(socketPath);
  client.socket.cork();
  const request = headersFrame(getFields());
  for (let stream = 0; stream < 30; stream += 1) client.send(4 * stream, request, true);
  client.socket.uncork();
  const counts: number[] = [];
  let before = 0;
  await everyIteration(() => {
    if (opened > before) counts.push(opened - before);
    before = opened;
    return opened === 30;
  });
  // A request counts as three streams.
  assert.ok(Math.max(...counts) <= 4, counts.join());
});
