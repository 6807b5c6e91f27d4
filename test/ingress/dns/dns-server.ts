/** A DNS server on loopback addresses, and clients that send it bytes. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { createZone } from '../../../src/edges/dns/zone.ts';
import { type DnsBounds, dnsBounds } from '../../../src/ingress/dns/bounds.ts';
import { DnsServer, type DnsServerOptions } from '../../../src/ingress/dns/server.ts';
import { createIdentify } from '../../../src/ingress/limits/identity.ts';
import { queryOf } from '../../wire/dns/messages.ts';

export const zone = 'dns.seen.example';
export const { answer } = createZone({
  zone,
  nameServers: ['ns1.seen.example', 'ns2.seen.example'],
  addresses: ['192.0.2.1', '2001:db8::1'],
});

/** Options of a server for the zone, which counts what it reports. */
export function optionsOf(changes: Partial<DnsServerOptions> = {}, bounds: Partial<DnsBounds> = {}) {
  const counts: Record<string, number> = {};
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const options: DnsServerOptions = {
    port: 0,
    hosts: ['127.0.0.1'],
    otherPorts: [],
    bounds: { ...dnsBounds, ...bounds },
    responsesPerSecond: 0,
    identify: createIdentify(),
    answer,
    onError: (error) => count(String(error)),
    onResult: count,
    onMissing: (address, code) => count(`${address} ${code}`),
    onClosed: count,
    onWaiting: null,
    ...changes,
  };
  return { options, counts };
}

/** Starts a server that ends with the test. */
export async function openServer(
  context: TestContext,
  changes: Partial<DnsServerOptions> = {},
  bounds: Partial<DnsBounds> = {},
) {
  const { options, counts } = optionsOf(changes, bounds);
  const server = new DnsServer(options);
  await server.listen();
  context.after(() => server.close(0));
  return { server, counts, port: server.port };
}

/** The id of the query after those of a test. */
const lastId = 0xffff;

/** Sends datagrams from one socket, and then a query; returns what arrived before the response to it. */
export async function sendDatagrams(
  port: number,
  messages: readonly Uint8Array[],
  address = '127.0.0.1',
): Promise<Buffer[]> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  const received: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on('message', (message) => {
    if (message.readUInt16BE(0) === lastId) resolve();
    else received.push(message);
  });
  for (const message of [...messages, queryOf({ id: lastId, name: zone })]) socket.send(message, port, address);
  await promise;
  socket.close();
  return received;
}

/** A message as TCP carries it. */
export const framed = (message: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message]);

export async function connectTo(port: number, address = '127.0.0.1'): Promise<Socket> {
  // From the same address.
  const socket = connect({ port, host: address, localAddress: address });
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the socket has ended, also if the server resets it. */
export function endOf(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** The messages that a connection carries until it ends. */
export async function messagesOf(socket: Socket): Promise<Buffer[]> {
  const bytes = await buffer(socket);
  const messages: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 2 + bytes.readUInt16BE(at);
    messages.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return messages;
}
