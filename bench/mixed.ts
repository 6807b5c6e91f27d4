/**
 * Memory over mixed visits: `npm run bench -- mixed --minutes 60`. 150 visits a second of all kinds that come from outside over TCP:
 * answered ones over each protocol, some that are aborted, and garbage. What is never given back shows as growth from the second tenth of
 * the time, when the heap has its size, to the last.
 */
import { randomBytes } from 'node:crypto';
import { get as getPlain, request as requestPlain } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { get as getOverTls } from 'node:https';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { clientAddress as host, type ServerProcess, startServer } from './process.ts';
import { median, megabytes, printLine } from './report.ts';
import { chromeOverHttp2, fullVersions, toolCalls, toolHeaders } from './requests.ts';

const visitsPerSecond = 150;
/** A visit that takes longer is counted as failed; the server has closed garbage by then. */
const timeoutMs = 20_000;
const samples = 100;
/** After the last visit: timers of connections end, and the memory of an idle process is returned. */
const idleMs = 60_000;

/** Calls `done` once: whether the visit went as expected. */
type Visit = (ports: ServerProcess['ports'], at: number, done: (isRight: boolean) => void) => void;

const headersAt = (at: number): Readonly<Record<string, string>> => fullVersions[at % fullVersions.length] ?? {};

const getVisit =
  (get: typeof getPlain, path: string): Visit =>
  (ports, at, done) => {
    const port = get === getPlain ? ports.http : ports.https;
    const options = {
      host,
      port,
      path,
      headers: headersAt(at),
      setHost: false,
      agent: false,
      rejectUnauthorized: false,
    };
    const request = get(options, (response) => response.resume().on('close', () => done(response.statusCode === 200)));
    request.on('error', () => done(false)).setTimeout(timeoutMs, () => request.destroy());
  };

const http2Visit =
  (streams: number, isAborted: boolean): Visit =>
  (ports, _at, done) => {
    const session = connectHttp2(`https://${host}:${ports.https}`, { rejectUnauthorized: false });
    let left = streams;
    session.on('error', () => done(isAborted)).setTimeout(timeoutMs, () => session.destroy());
    session.on('close', () => done(isAborted || left === 0));
    for (let each = 0; each < streams; each += 1) {
      const stream = session.request(chromeOverHttp2(each % 2 === 0 ? '/json' : '/'));
      stream.on('error', () => {}).resume();
      if (isAborted) stream.on('response', () => session.destroy());
      stream.on('end', () => {
        left -= 1;
        if (left === 0) session.close();
      });
    }
  };

const callVisit: Visit = (ports, _at, done) => {
  const { headers, body } = toolCalls['2025-06-18'];
  const options = { host, port: ports.http, path: '/mcp', method: 'POST', headers: { ...toolHeaders, ...headers } };
  requestPlain({ ...options, agent: false }, (response) =>
    response.resume().on('close', () => done(response.statusCode === 200)),
  )
    .on('error', () => done(false))
    .end(body);
};

/** Sends the bytes, and ends the connection as soon as something comes back, or after a moment. */
function sendBytes(socket: Socket, bytes: Uint8Array, done: (isRight: boolean) => void): void {
  socket.on('error', () => {}).on('close', () => done(true));
  socket.on('data', () => socket.destroy()).setTimeout(100, () => socket.destroy());
  socket.write(bytes);
}

const garbageBytes = 300;

/** Of each kind as many as it is listed. */
const visits: readonly Visit[] = [
  getVisit(getPlain, '/ip'),
  getVisit(getPlain, '/json'),
  getVisit(getOverTls, '/ip'),
  getVisit(getOverTls, '/json'),
  getVisit(getOverTls, '/'),
  getVisit(getOverTls, '/fingerprint'),
  http2Visit(1, false),
  http2Visit(4, false),
  http2Visit(4, true),
  callVisit,
  (ports, _at, done) => sendBytes(connect(ports.http, host), randomBytes(garbageBytes), done),
  (ports, _at, done) => sendBytes(connect(ports.https, host), randomBytes(garbageBytes), done),
  // The beginning of a request, and of a handshake.
  (ports, _at, done) => sendBytes(connect(ports.http, host), Buffer.from('GET /json HTTP/1.1\r\nHost: '), done),
  (ports, _at, done) => sendBytes(connect(ports.https, host), Buffer.from([22, 3, 1, 2, 0, 1, 0]), done),
  // A page that is not read to its end.
  (ports, _at, done) => {
    const socket = connectTls({ host, port: ports.https, rejectUnauthorized: false });
    sendBytes(socket, Buffer.from('GET / HTTP/1.1\r\nHost: seenby.example\r\n\r\n'), done);
  },
];

/** Prints the memory of the service over this time; returns by how many MB it has grown from the second tenth of the time to the last. */
export async function measureMixed(minutes: number): Promise<number> {
  const server = await startServer({ role: 'service' });
  const lengthMs = minutes * 60_000;
  const resident: number[] = [];
  const counts = { right: 0, wrong: 0 };
  const began = performance.now();
  for (let at = 0; performance.now() - began < lengthMs; at += 1) {
    let isDone = false;
    visits[at % visits.length]?.(server.ports, at, (isRight) => {
      if (!isDone) counts[isRight ? 'right' : 'wrong'] += 1;
      isDone = true;
    });
    const passedMs = performance.now() - began;
    if (resident.length < (passedMs / lengthMs) * samples) resident.push(server.residentBytes());
    await delay(Math.max(0, (at * 1000) / visitsPerSecond - passedMs));
  }
  const perSecond = ((counts.right + counts.wrong) * 1000) / (performance.now() - began);
  const tenth = samples / 10;
  const parts = Array.from({ length: 10 }, (_, part) => median(resident.slice(part * tenth, (part + 1) * tenth)));
  await delay(idleMs);
  printLine(`\n${minutes} minutes of mixed visits, ${perSecond.toFixed(0)} a second, ${counts.wrong} not as expected`);
  printLine(`  resident in each tenth of the time: ${parts.map(megabytes).join(', ')} MB`);
  printLine(`  after ${idleMs / 1000} s without visits: ${megabytes(server.residentBytes())} MB`);
  server.stop();
  return ((parts.at(-1) ?? 0) - (parts[1] ?? 0)) / 1e6;
}
