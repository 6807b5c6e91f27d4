/** The service survives random bytes over HTTP/1, and random frames with real header blocks over HTTP/2. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { http1Client, http2Client } from '../acceptance/client.ts';
import { checkConcurrently, type Draw, drawBy, roundsOf } from '../random.ts';
import { closed } from '../sockets.ts';
import { blockByNode } from './hpack.ts';
import { converse } from './http2-conversation.ts';
import { drawConnection } from './http2-fuzz.ts';
import { type ServiceProcess, startService } from './service-process.ts';

const rounds = 4000;

let service: ServiceProcess;
before(async () => {
  service = await startService({ RATE_LIMIT_GENERAL: '0', CONNECTION_RATE: '0' });
});
after(() => service.stop());

/** Calls `run` for each round with numbers that it draws. */
async function fuzz(run: (below: Draw) => Promise<void>): Promise<void> {
  await checkConcurrently(
    rounds,
    fc.gen(),
    (draw) => run(drawBy(draw)),
    () => checkService(service),
  );
}

/** Others are served, and memory is bounded. */
async function checkService({ httpPort, httpsPort, peakMb }: ServiceProcess): Promise<void> {
  assert.equal((await http1Client(`http://127.0.0.1:${httpPort}`).request('/ip')).status, 200);
  assert.equal((await http2Client(`https://127.0.0.1:${httpsPort}`).request('/ip')).status, 200);
  assert.ok(peakMb() <= 150, `memory grew by ${peakMb()} MB`);
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

/** A connection that gets nothing done is closed; with shorter times, so that a round is short. */
const shortTimes = {
  idleTimeoutMs: 500,
  bodyTimeoutMs: 500,
  stallTimeoutMs: 500,
  connectionCheckMs: 100,
  headersTimeoutMs: 500,
  requestTimeoutMs: 1_000,
};
/** A machine with other work takes longer. */
const endedMs = 20_000;
const stackTrace = /\n\s+at |node:internal|\.ts:\d/;

test('ends every HTTP/2 connection with a response, GOAWAY or its end, whatever frames and header blocks it sends', async (context) => {
  const victim = await startService(
    { RATE_LIMIT_GENERAL: '0', RATE_LIMIT_TOOLS: '0', CONNECTION_RATE: '0' },
    shortTimes,
  );
  context.after(() => victim.stop());
  const lines = victim.lines.length;
  const headers = { ':path': '/json', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)', cookie: 'a=b; c=d' };
  const blocks = [
    await blockByNode({}),
    await blockByNode(headers),
    await blockByNode({ ...headers, ':path': '/mcp' }),
  ];
  const seed = Number(process.env.SEENBY_FUZZ_SEED ?? Date.now() % 2 ** 31);
  const endMs = performance.now() + Number(process.env.SEENBY_FUZZ_SECONDS ?? roundsOf(20, 0.3)) * 1_000;
  context.diagnostic(`seed ${seed}`);
  const endings: Record<string, number> = {};
  const count = (name: string, by = 1): void => {
    endings[name] = (endings[name] ?? 0) + by;
  };
  const run = async (draw: fc.GeneratorValue): Promise<void> => {
    const conversation = await converse(victim.httpsPort, drawConnection(drawBy(draw), blocks), endedMs);
    assert.ok(conversation !== null, 'no connection');
    const { ending, responses, text } = conversation;
    count(ending);
    count('earlier responses', responses);
    assert.notEqual(ending, 'open');
    assert.doesNotMatch(text, stackTrace);
  };
  for (let part = 0; performance.now() < endMs; part += 1)
    await checkConcurrently(200, fc.gen(), run, () => checkService(victim), seed + part);
  context.diagnostic(`${JSON.stringify(endings)}; +${victim.peakMb().toFixed(0)} MB`);
  assert.deepEqual(victim.lines.slice(lines), []);
  assert.ok((endings.response ?? 0) > 0 && (endings.goaway ?? 0) > 0);
});
