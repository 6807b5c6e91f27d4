/** Floods of UDP datagrams to the ports of HTTP/3, DNS and STUN. */
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { initialWithHello } from '../quic-initials.ts';
import { queryOf } from '../wire/dns/messages.ts';
import { stunMessage } from '../wire/stun-messages.ts';
import type { Target } from './attacks.ts';
import { addressOf } from './attacks.ts';

/** An Initial packet that no client sends: its content is random. */
function initial(version: number, tokenLength: number): Buffer {
  const bytes = randomBytes(1_200);
  bytes[0] = 0xc0;
  bytes.writeUInt32BE(version, 1);
  bytes[5] = 8;
  bytes[14] = 0;
  bytes[15] = tokenLength;
  return bytes;
}

/** The zone of the DNS server under attack. */
export const floodedZone = 'dns.seen.example';

/** A DNS query for a name with an id for which no request waits, or a response that claims to be for one. */
const dnsMessage = (bits: number): Uint8Array =>
  queryOf({ bits, name: `1-${randomBytes(8).toString('hex')}.${floodedZone}`, edns: {} });

const datagrams = {
  garbage: () => randomBytes(1_200),
  initials: () => initial(1, 0),
  /** Initial packets of as many clients, with a valid ClientHello. */
  hellos: initialWithHello,
  tokens: () => initial(1, 60),
  unknownVersions: () => initial(0x1a2a3a4a, 0),
  dnsQueries: () => dnsMessage(0),
  dnsResponses: () => dnsMessage(0x8000),
  stunRequests: () => stunMessage({}),
} as const;
export type DatagramKind = keyof typeof datagrams;

interface DatagramFlood extends Target {
  readonly port: number;
  readonly kind: DatagramKind;
  readonly perSecond: number;
  readonly durationMs: number;
}

/** Sends from many addresses and ports; returns datagrams and bytes in both directions. */
export async function floodDatagrams({ port, kind, perSecond, durationMs }: DatagramFlood) {
  // A client has an id of its own.
  const packets = Array.from({ length: kind === 'hellos' ? (perSecond * durationMs) / 1000 : 64 }, datagrams[kind]);
  const sockets: Socket[] = [];
  let received = 0;
  let receivedBytes = 0;
  for (let at = 0; at < 50; at += 1) {
    const socket = createSocket({ type: 'udp4', sendBufferSize: 4_194_304 });
    socket.on('message', ({ length }) => {
      received += 1;
      receivedBytes += length;
    });
    await once(socket.bind(0, addressOf(at)), 'listening');
    sockets.push(socket);
  }
  const startedMs = performance.now();
  let sent = 0;
  let sentBytes = 0;
  for (let elapsedMs = 0; elapsedMs < durationMs; elapsedMs = performance.now() - startedMs) {
    for (; sent < (elapsedMs / 1000) * perSecond; sent += 1) {
      const packet = packets[sent % packets.length] as Uint8Array;
      sockets[sent % sockets.length]?.send(packet, port, '127.0.0.1');
      sentBytes += packet.length;
    }
    await delay(1);
  }
  for (const socket of sockets) socket.close();
  return { sent, sentBytes, received, receivedBytes };
}
