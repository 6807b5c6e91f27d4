/** The service survives random bytes over HTTP/1 and random frames over HTTP/2. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { http1Client, http2Client } from '../acceptance/client.ts';
import { checkConcurrently, type Draw, drawBy } from '../random.ts';
import { closed } from '../sockets.ts';
import { frame, openHttp2, requestFrame, settingsFrame } from './http2-attacker.ts';
import { type ServiceProcess, startService } from './service-process.ts';

const rounds = 4000;

let service: ServiceProcess;
before(async () => {
  service = await startService({ RATE_LIMIT_GENERAL: '0', CONNECTION_RATE: '0' });
});
after(() => service.stop());

/** Calls `run` for each round with numbers that it draws; fails if the service ends or grows. */
async function fuzz(run: (below: Draw) => Promise<void>): Promise<void> {
  const check = async () => {
    assert.equal((await http1Client(`http://127.0.0.1:${service.httpPort}`).request('/ip')).status, 200);
    assert.equal((await http2Client(`https://127.0.0.1:${service.httpsPort}`).request('/ip')).status, 200);
  };
  await checkConcurrently(rounds, fc.gen(), (draw) => run(drawBy(draw)), check);
  assert.ok(service.peakMb() <= 150, `memory grew by ${service.peakMb()} MB`);
}

/** Ends the connection, by force after 100 ms. */
async function ended(socket: Socket): Promise<void> {
  socket.end();
  setTimeout(() => socket.destroy(), 100);
  await closed(socket);
}

const parts = [
  ...['GET /ip HTTP/1.1\r\n', 'POST /mcp HTTP/1.1\r\n', 'HEAD * HTTP/1.0\r\n', 'CONNECT a:1 HTTP/1.1\r\n'],
  ...['Host: a\r\n', 'Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n', 'Expect: 100-continue\r\n'],
  ...[
    'Connection: upgrade\r\nUpgrade: h2c\r\n',
    'Connection: close\r\n',
    '\r\n',
    '\r\n',
    '\n',
    '5\r\nhello\r\n',
    '0\r\n\r\n',
  ],
  ...['hello', ':', '\0', '\xff', ' ', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
];

test('survives random HTTP/1 bytes', () =>
  fuzz(async (below) => {
    const socket = connect(service.httpPort, '127.0.0.1').on('error', () => {});
    socket.resume();
    for (let write = 1 + below(4); write > 0; write -= 1) {
      const text = Array.from({ length: 1 + below(30) }, () => parts[below(parts.length)]).join('');
      socket.write(Buffer.from(text, 'latin1'));
      await new Promise(setImmediate);
    }
    await ended(socket);
  }));

test('survives random HTTP/2 frames', () =>
  fuzz(async (below) => {
    const settings = settingsFrame(...Array.from({ length: below(4) }, () => [below(10), below(2 ** 31)] as const));
    const socket = await openHttp2(service.httpsPort, '127.0.0.1', settings);
    if (socket === null) return;
    socket.resume();
    for (let count = 1 + below(20); count > 0; count -= 1) {
      const stream = below(3) === 0 ? below(20) : 2 * below(10) + 1;
      const payload = Buffer.from(Array.from({ length: below(40) }, () => below(256)));
      socket.write(
        below(3) === 0 ? requestFrame(stream, '/json', true) : frame(below(12), below(256), stream, payload),
      );
    }
    await ended(socket);
  }));
