/** The QUIC server: routes datagrams to connections, decides about new ones, and closes those that exceed a bound. */
import type { RemoteInfo } from 'node:dgram';
import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectionServices, OpenSslConnection } from './connection.ts';
import { idOf } from './connection-calls.ts';
import { DatagramInput, Listener, maxDatagramBytes, Ticks } from './listeners.ts';
import { loadOpenSsl, type OpenSsl } from './openssl.ts';
import { HelloRecord, type Packet, readPacket } from './packets.ts';
import type { OnQuicConnection, QuicCertificate, QuicEndpoint, QuicOptions } from './quic.ts';
import { Senders } from './senders.ts';
import { createServerContext, type ServerContext } from './server-context.ts';
import { openUdpSocket, type UdpSocket } from './udp-socket.ts';

/** OpenSSL visits every connection of a listener (5 µs) whenever one of them receives something. */
const listenerCount = 256;
const leaveOpen = 0;
/** Interval in which a server that closes checks whether everything was sent. */
const closingCheckMs = 20;
/** H3_NO_ERROR (RFC 9114 §8.1). */
const noError = 0x100;

/** Returns the server; the reason if this Node cannot have one. Throws the system's error if the port cannot be opened. */
export async function listenQuic(options: QuicOptions): Promise<QuicEndpoint | { readonly obstacle: string }> {
  const openSsl = await loadOpenSsl();
  if ('obstacle' in openSsl) return openSsl;
  const udp = await openUdpSocket(options.host, options.port);
  try {
    return new OpenSslEndpoint(openSsl, udp, options);
  } catch (error) {
    udp.socket.close();
    throw error;
  }
}

class OpenSslEndpoint implements QuicEndpoint, ConnectionServices {
  readonly openSsl: OpenSsl;
  readonly maxBufferedBytes: number;
  readonly onConnection: OnQuicConnection;
  readonly ticks: Ticks;
  readonly #options: QuicOptions;
  readonly #udp: UdpSocket;
  readonly #context: ServerContext;
  readonly #output: bigint;
  readonly #listeners: readonly Listener[];
  readonly #all = new Map<OpenSslConnection, () => void>();
  readonly #byId = new Map<string, OpenSslConnection>();
  /** Those in their handshake, by OpenSSL's pointer. */
  readonly #records = new Map<bigint, HelloRecord>();
  readonly #senders = new Senders();
  readonly #check: NodeJS.Timeout;
  #isDraining = false;

  constructor(openSsl: OpenSsl, udp: UdpSocket, options: QuicOptions) {
    this.openSsl = openSsl;
    this.#udp = udp;
    this.#options = options;
    this.maxBufferedBytes = options.bounds.quicConnectionBufferBytes;
    this.onConnection = options.onConnection;
    this.#output = openSsl.BIO_new_dgram(udp.fd, leaveOpen);
    this.#context = createServerContext(openSsl, options.certificate, (message) =>
      this.#recordOf(message.ssl).addMessage(message),
    );
    const input = new DatagramInput(openSsl);
    const parts = { openSsl, context: this.#context.pointer, output: this.#output, input };
    this.#listeners = Array.from({ length: listenerCount }, () => new Listener(parts));
    this.ticks = new Ticks(this.#listeners);
    udp.socket.on('message', (bytes, sender) => this.#receive(bytes, sender));
    // A client that cannot be reached is no failure of the socket.
    udp.socket.on('error', () => {});
    this.#check = setInterval(() => this.#checkConnections(), options.bounds.connectionCheckMs);
  }

  get port(): number {
    return this.#udp.socket.address().port;
  }

  setCertificate(certificate: QuicCertificate): void {
    this.#context.setCertificate(certificate);
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
    this.ticks.end();
    this.#udp.socket.removeAllListeners('message');
    for (const connection of [...this.#all.keys()]) this.#forget(connection);
    for (const listener of this.#listeners) listener.free();
    this.openSsl.BIO_free(this.#output);
    await new Promise<void>((resolve) => this.#udp.socket.close(resolve));
  }

  #receive(bytes: Buffer, sender: RemoteInfo): void {
    const packet = bytes.length <= maxDatagramBytes ? readPacket(bytes) : null;
    if (packet === null) return;
    const connection = this.#byId.get(packet.destinationId);
    if (connection !== undefined) {
      connection.record?.addDatagram(bytes);
      this.#inject(connection.listener, bytes, sender);
      this.ticks.wake(connection);
    } else if (packet.isInitial && !this.#isDraining) this.#receiveInitial(packet, bytes, sender);
  }

  #receiveInitial(packet: Packet, bytes: Buffer, sender: RemoteInfo): void {
    const { maxConnections, onFull } = this.#options;
    const listener = this.#listenerOf(sender);
    if (!packet.hasToken) {
      this.#senders.noteFirst(packet, sender);
      this.#inject(listener, bytes, sender);
      return;
    }
    if (maxConnections !== 0 && this.#all.size >= maxConnections) {
      onFull();
      return;
    }
    if (this.#senders.isRejected(sender)) return;
    // Handled alone, so that a new connection is this sender's.
    this.#inject(listener, bytes, sender);
    this.ticks.tickNow(listener);
    const pointer = listener.accept();
    if (pointer === 0n) return;
    const record = this.#recordOf(pointer);
    record.begin(packet, bytes, this.#senders.takeFirstIdLength(packet, sender));
    const ip = sender.address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
    const connection = new OpenSslConnection(this, { pointer, listener, ip, port: sender.port }, record);
    const release = this.#options.admit(ip);
    this.#all.set(connection, release ?? (() => {}));
    if (release === null) {
      this.#forget(connection);
      this.#senders.reject(sender);
      return;
    }
    connection.routes = [packet.destinationId, idOf(this.openSsl, pointer)];
    for (const id of connection.routes) this.#byId.set(id, connection);
    this.ticks.wake(connection);
  }

  #inject(listener: Listener, bytes: Buffer, sender: RemoteInfo): void {
    const isFull = listener.inject(bytes, sender);
    if (isFull) this.ticks.tickNow(listener);
    else this.ticks.tick(listener);
  }

  /** A stable choice: the tokens of a listener are invalid for another one. */
  #listenerOf({ address, port }: RemoteInfo): Listener {
    let hash = port;
    for (let at = 0; at < address.length; at += 1) hash = (hash * 31 + address.charCodeAt(at)) | 0;
    return this.#listeners[(hash >>> 0) % listenerCount] as Listener;
  }

  #recordOf(pointer: bigint): HelloRecord {
    const known = this.#records.get(pointer);
    if (known !== undefined) return known;
    const record = new HelloRecord();
    this.#records.set(pointer, record);
    return record;
  }

  #checkConnections(): void {
    const nowMs = performance.now();
    for (const connection of this.#all.keys()) connection.check(nowMs, this.#options.bounds);
    for (const connection of [...this.#all.keys()]) if (connection.state === 'closed') this.#forget(connection);
    this.#senders.prune(nowMs);
    let excessBytes = -this.#options.bounds.maxSendBufferBytes;
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
    this.#records.delete(connection.pointer);
    this.ticks.forget(connection);
    this.#all.get(connection)?.();
    this.#all.delete(connection);
    connection.free();
  }
}
