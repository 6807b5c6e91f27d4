/**
 * The QUIC server: routes datagrams to connections, decides about new ones, and closes those that exceed a bound.
 *
 * Relies on the handle of `dgram.Socket`, behind a symbol, for the descriptor through which OpenSSL sends. Checked in Node 26.10. Without
 * it, there is no HTTP/3, and the start says why.
 */
import { createSocket, type RemoteInfo, type Socket, type SocketType } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectionServices, OpenSslConnection } from './connection.ts';
import { type Listener, Listeners, maxDatagramBytes } from './listeners.ts';
import { loadOpenSsl } from './openssl.ts';
import { type Packet, readPacket } from './packets.ts';
import type { QuicCertificate, QuicEndpoint, QuicOptions } from './quic.ts';
import { RequestsInFlight } from './requests-in-flight.ts';
import { createServerContext, setCertificate } from './server-context.ts';

/** Interval in which a server that closes checks whether everything was sent. */
const closingCheckMs = 20;
/** H3_NO_ERROR (RFC 9114 §8.1). */
const noError = 0x100;
/** After a rejection, further attempts of the address cost no handshake for this long. */
const rejectionMs = 1_000;
const maxRejected = 10_000;
/** Handshakes between their first packet and the one with a token. */
const maxFirst = 1_024;
/** Datagrams of a handshake that are kept: clients need one or two for a ClientHello, and send them again if they are lost. */
const maxDatagrams = 16;
/** For bursts while the event loop is busy; the kernel takes less if net.core.rmem_max or wmem_max is smaller. */
const bufferBytes = 4_194_304;

/** Returns the server; the reason if this Node cannot have one. Throws the system's error if the port cannot be opened. */
export async function listenQuic(options: QuicOptions): Promise<QuicEndpoint | { readonly obstacle: string }> {
  const obstacle = await loadOpenSsl();
  if (obstacle !== null) return { obstacle };
  const socket = await openSocket(options);
  try {
    return new OpenSslEndpoint(socket, options);
  } catch (error) {
    socket.close();
    throw error;
  }
}

class OpenSslEndpoint implements QuicEndpoint, ConnectionServices {
  readonly options: QuicOptions;
  readonly listeners: Listeners;
  readonly #socket: Socket;
  readonly #context: bigint;
  readonly #all = new Map<OpenSslConnection, () => void>();
  readonly #byId = new Map<string, OpenSslConnection>();
  readonly clientHellos = new Map<bigint, Uint8Array>();
  readonly requestsInFlight: RequestsInFlight;
  /** Length of the destination id in the latest packet of a sender before its address was validated. */
  readonly #firstIdLengths = new Map<string, number>();
  readonly #rejectedUntilMs = new Map<string, number>();
  readonly #check: NodeJS.Timeout;
  #isDraining = false;

  constructor(socket: Socket, options: QuicOptions) {
    this.#socket = socket;
    this.options = options;
    this.requestsInFlight = new RequestsInFlight(options.bounds.maxAddressRequestsInFlight);
    // The first one stays: after a HelloRetryRequest, a client sends another.
    this.#context = createServerContext((pointer, body) => void this.clientHellos.getOrInsert(pointer, body));
    setCertificate(this.#context, options.certificate);
    this.listeners = new Listeners(this.#context, descriptorOf(socket), options.bounds.iterationMs);
    socket.on('message', (bytes, sender) => this.#receive(bytes, sender));
    // A client that cannot be reached is no failure of the socket.
    socket.on('error', () => {});
    this.#check = setInterval(() => this.#checkConnections(), options.bounds.connectionCheckMs);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  setCertificate(certificate: QuicCertificate): void {
    setCertificate(this.#context, certificate);
  }

  drain(): void {
    this.#isDraining = true;
  }

  async close(withinMs = 0): Promise<void> {
    this.#isDraining = true;
    const deadlineMs = performance.now() + withinMs;
    const connections = [...this.#all.keys()];
    if (withinMs > 0) for (const connection of connections) connection.close(noError);
    const isSending = () => connections.some(({ state }) => state !== 'closed') && performance.now() < deadlineMs;
    while (isSending()) await delay(closingCheckMs);
    clearInterval(this.#check);
    for (const connection of this.#all.keys()) connection.abort();
    this.listeners.end();
    this.#socket.removeAllListeners('message');
    for (const connection of [...this.#all.keys()]) this.#forget(connection);
    this.listeners.free();
    await new Promise<void>((resolve) => this.#socket.close(resolve));
  }

  #receive(bytes: Buffer, sender: RemoteInfo): void {
    const packet = bytes.length <= maxDatagramBytes ? readPacket(bytes) : null;
    if (packet === null) return;
    const connection = this.#byId.get(packet.destinationId);
    if (connection !== undefined) {
      const { state, pointer, handshake } = connection;
      // It may carry a part of the ClientHello.
      const isKept = state === 'handshake' && !this.clientHellos.has(pointer);
      if (isKept && handshake.datagrams.length < maxDatagrams) handshake.datagrams.push(bytes);
      this.#inject(connection.listener, bytes, sender);
      this.listeners.wake(connection);
    } else if (packet.isInitial && !this.#isDraining) this.#receiveInitial(packet, bytes, sender);
  }

  #receiveInitial(packet: Packet, bytes: Buffer, sender: RemoteInfo) {
    const { maxConnections, onFull } = this.options;
    const listener = this.listeners.of(sender);
    // A name for the client before its connection has an id.
    const key = `${sender.address} ${sender.port} ${packet.sourceIdLength}`;
    if (!packet.hasToken) {
      this.#firstIdLengths.set(key, packet.destinationId.length);
      const [oldest = key] = this.#firstIdLengths.keys();
      if (this.#firstIdLengths.size > maxFirst) this.#firstIdLengths.delete(oldest);
      return this.#inject(listener, bytes, sender);
    }
    if (maxConnections !== 0 && this.#all.size >= maxConnections) return onFull();
    if ((this.#rejectedUntilMs.get(sender.address) ?? 0) > performance.now()) return;
    // Handled alone, so that a new connection is this sender's.
    this.#inject(listener, bytes, sender);
    listener.tick();
    const pointer = listener.accept();
    if (pointer === 0n) return;
    const destinationIdLength = this.#firstIdLengths.get(key) ?? null;
    this.#firstIdLengths.delete(key);
    const handshake = { first: packet, destinationIdLength, datagrams: [bytes] };
    const ip = sender.address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
    const connection = new OpenSslConnection(this, { pointer, listener, ip, port: sender.port, handshake });
    const release = this.options.admit(ip);
    this.#all.set(connection, release ?? (() => {}));
    if (release === null) {
      this.#forget(connection);
      if (this.#rejectedUntilMs.size < maxRejected)
        this.#rejectedUntilMs.set(sender.address, performance.now() + rejectionMs);
      return;
    }
    for (const id of connection.routes) this.#byId.set(id, connection);
    this.listeners.wake(connection);
  }

  #inject(listener: Listener, bytes: Buffer, sender: RemoteInfo): void {
    if (listener.inject(bytes, sender)) listener.tick();
    // Again after that tick, because only this sets the timer.
    this.listeners.tick(listener);
  }

  #checkConnections(): void {
    const nowMs = performance.now();
    for (const connection of this.#all.keys()) connection.check(nowMs);
    for (const connection of [...this.#all.keys()]) if (connection.state === 'closed') this.#forget(connection);
    for (const [address, untilMs] of this.#rejectedUntilMs) if (untilMs <= nowMs) this.#rejectedUntilMs.delete(address);
    let excessBytes = -this.options.bounds.maxSendBufferBytes;
    for (const { bufferedBytes } of this.#all.keys()) excessBytes += bufferedBytes;
    if (excessBytes <= 0) return;
    for (const slowest of [...this.#all.keys()].toSorted((one, other) => one.progressedMs - other.progressedMs)) {
      if (excessBytes <= 0) return;
      excessBytes -= slowest.bufferedBytes;
      if (slowest.bufferedBytes > 0) slowest.abort();
    }
  }

  #forget(connection: OpenSslConnection): void {
    for (const id of connection.routes) this.#byId.delete(id);
    this.clientHellos.delete(connection.pointer);
    this.#all.get(connection)?.();
    this.#all.delete(connection);
    connection.free();
  }
}

/** Throws the system's error if it cannot bind. */
async function openSocket({ host, port }: QuicOptions): Promise<Socket> {
  const isIpv6 = host === null || host.includes(':');
  try {
    return await bind(isIpv6 ? 'udp6' : 'udp4', host ?? '::', port);
  } catch (error) {
    if (host !== null || (error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw error;
    return bind('udp4', '0.0.0.0', port);
  }
}

async function bind(type: SocketType, address: string, port: number): Promise<Socket> {
  const socket = createSocket({ type, recvBufferSize: bufferBytes, sendBufferSize: bufferBytes });
  try {
    await once(socket.bind({ address, port, exclusive: true }), 'listening');
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}

function descriptorOf(socket: Socket): number {
  for (const symbol of Object.getOwnPropertySymbols(socket)) {
    const fd: unknown = Reflect.get(socket, symbol)?.handle?.fd;
    if (typeof fd === 'number' && fd >= 0) return fd;
  }
  throw new Error(`Node ${process.versions.node} does not reveal the descriptor of a UDP socket`);
}
