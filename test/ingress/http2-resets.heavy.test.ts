/** The resets of an HTTP/2 client, which the library counts by a clock of its own, in whole seconds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openHttp2, requestFrame, resetFrame, settingsFrame } from '../abuse/http2-attacker.ts';
import { serve } from './serve.ts';

test('a connection ends when it resets more streams each second than are restored', async (context) => {
  const { httpsPort } = await serve(context, (exchange) => exchange.respond({ status: 200, headers: {}, body: 'a' }));
  const socket = await openHttp2(httpsPort, '127.0.0.1', settingsFrame());
  assert.ok(socket);
  socket.resume();
  // The burst permits so many, and again if it is restored in a second.
  const resets = 150;
  let streams = 0;
  while (!socket.closed && streams < 10 * resets) {
    const frames = Array.from({ length: resets }, (_, at) => {
      const stream = 2 * (streams + at) + 1;
      return [requestFrame(stream, '/', stream === 1), resetFrame(stream)];
    });
    socket.write(Buffer.concat(frames.flat()));
    streams += resets;
    await delay(1_100);
  }
  assert.ok(socket.closed, `open after ${streams} resets`);
});
