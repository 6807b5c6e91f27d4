/** The QUIC server: routes datagrams to connections, decides about new ones, and closes those that exceed a bound. */

import type { RemoteInfo, Socket } from 'node:dgram';
import { setTimeout as delay } from 'node:timers/promises';
import { clientNetworkOf } from '../../wire/client-network.ts';
import { addressesOf, bindSocket, openOnAddresses } from '../local-addresses.ts';
import { runEvery } from '../ticks.ts';
import { WindowCounts } from '../window-counts.ts';
import { AddressValidation } from './address-validation.ts';
import { type ConnectionServices, OpenSslConnection } from './connection.ts';
import { maxDatagramBytes } from './listener.ts';
import { type Datagram, Listeners } from './listeners.ts';
import { loadOpenSsl } from './openssl.ts';
import { readPacket } from './packets.ts';
import { RequestsInFlight } from './requests-in-flight.ts';
import { createServerContext, setCertificate } from './server-context.ts';
import type { QuicCertificate, QuicEndpoint, QuicOptions } from './server-interface.ts';
import { descriptorOf } from './socket.ts';

/** Interval in which a server that closes checks whether everything was sent. */
const closingCheckMs = 20;
/** H3_NO_ERROR (RFC 9114 §8.1). */
const noError = 0x100;
/** After a rejection, further attempts of the client cost no handshake for this long at most. */
const rejectionMs = 1_000;
const maxRejected = 10_000;
/** Datagrams of a handshake that are kept: clients need one or two for a ClientHello, and send them again if they are lost. */
const maxDatagrams = 16;
/** Intervals in which the machine's addresses are listed, and those are tried again on which the port cannot be opened yet. */
const addressesMs = 5_000;
const retryMs = 1_000;
/** Receive buffer and send buffer of each socket, in bytes. */
const bufferBytes = 4_194_304;

/** Returns the server; the reason if this Node cannot have one. Throws the system's error if the port is not free on one of the addresses. */
export async function listenQuic(options: QuicOptions): Promise<QuicEndpoint | { readonly obstacle: string }> {
  const obstacle = await loadOpenSsl();
  if (obstacle !== null) return { obstacle };
  const endpoint = new OpenSslEndpoint(options);
  try {
    await endpoint.open();
    return endpoint;
  } catch (error) {
    await endpoint.close();
    endpoint.leaveContext();
    throw error;
  }
}

/** OpenSSL's context of a server, and what it has received. */
interface ServerContext {
  readonly pointer: bigint;
  readonly clientHellos: Map<bigint, Uint8Array>;
  readonly groups: QuicOptions['groups'];
  readonly certificate: QuicCertificate;
}

/** The context of a server whose port could not be opened, for the next attempt: nothing frees a context, and attempts may repeat for hours. */
let unused: ServerContext | null = null;

function takeContext(groups: QuicOptions['groups'], certificate: QuicCertificate): ServerContext {
  const left = unused;
  unused = null;
  // With another certificate, OpenSSL might use both.
  if (left?.groups === groups && left.certificate === certificate) return left;
  const clientHellos = new Map<bigint, Uint8Array>();
  // The first one stays: after a HelloRetryRequest, a client sends another.
  const pointer = createServerContext(groups, (connection, body) => {
    if (!clientHellos.has(connection)) clientHellos.set(connection, body);
  });
  setCertificate(pointer, certificate);
  return { pointer, clientHellos, groups, certificate };
}

/** A socket on one address, with the listeners that send through it. */
interface Path {
  readonly socket: Socket;
  readonly listeners: Listeners;
}

/** The address of a client, without `::ffff:` and zone. */
const ipOf = ({ address }: RemoteInfo): string => address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');

class OpenSslEndpoint implements QuicEndpoint, ConnectionServices {
  readonly options: QuicOptions;
  /** 0 until it is chosen. */
  port: number;
  #paths: Awaited<ReturnType<typeof openOnAddresses<Path>>> | null = null;
  /** Created with the first socket. */
  #context: ServerContext | null = null;
  #certificate: QuicCertificate;
  readonly #all = new Map<OpenSslConnection, () => void>();
  readonly #byId = new Map<string, OpenSslConnection>();
  readonly requestsInFlight: RequestsInFlight;
  readonly #validation: AddressValidation<OpenSslConnection>;
  /** Clients that were rejected. */
  readonly #rejected = new WindowCounts(rejectionMs, maxRejected);
  #endSweeps: () => void = () => {};
  #isDraining = false;

  constructor(options: QuicOptions) {
    this.options = options;
    this.port = options.port;
    this.#certificate = options.certificate;
    this.#validation = new AddressValidation(options.bounds.maxUnvalidatedHandshakes);
    this.requestsInFlight = new RequestsInFlight(options.bounds.maxAddressRequestsInFlight);
  }

  get clientHellos(): Map<bigint, Uint8Array> {
    return this.#context?.clientHellos ?? new Map();
  }

  /** Opens the port on every address. */
  async open(): Promise<void> {
    const { host, bounds } = this.options;
    this.#paths = await openOnAddresses({
      list: () => addressesOf(host, { hasLoopback: true }),
      open: (address) => this.#openPath(address),
      close: (path) => this.#closePath(path),
      refreshMs: addressesMs,
      retryMs,
    });
    this.#endSweeps = runEvery(bounds.connectionCheckMs, () => this.#sweepConnections());
  }

  setCertificate(certificate: QuicCertificate): void {
    this.#certificate = certificate;
    if (this.#context !== null) setCertificate(this.#context.pointer, certificate);
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
    this.#endSweeps();
    await this.#paths?.close();
  }

  /** Leaves the context, which nothing uses after `close`, to the next server. */
  leaveContext(): void {
    if (this.#context !== null) unused = this.#context;
    this.#context = null;
  }

  async #openPath(address: string): Promise<Path> {
    const socket = await bindSocket(address, this.port, bufferBytes);
    try {
      this.port = socket.address().port;
      this.#context ??= takeContext(this.options.groups, this.#certificate);
      const { bounds } = this.options;
      const handle = (datagram: Datagram): void => this.#handle(path, datagram);
      const listeners = new Listeners(this.#context.pointer, { fd: descriptorOf(socket), bounds, handle });
      const path = { socket, listeners };
      socket.on('message', (bytes, sender) => this.#receive(path, bytes, sender));
      // A client that cannot be reached is not a failure of the socket.
      socket.on('error', () => {});
      return path;
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  async #closePath({ socket, listeners }: Path): Promise<void> {
    const connections = [...this.#all.keys()].filter((connection) => connection.listeners === listeners);
    for (const connection of connections) connection.abort();
    listeners.end();
    socket.removeAllListeners('message');
    for (const connection of connections) this.forget(connection);
    listeners.free();
    await new Promise<void>((resolve) => socket.close(resolve));
  }

  #receive({ listeners }: Path, bytes: Buffer, sender: RemoteInfo): void {
    const packet = bytes.length <= maxDatagramBytes ? readPacket(bytes) : null;
    if (packet === null) return;
    const connection = this.#byId.get(packet.destinationId);
    // A sender that knows the id of a connection received it from us; others may forge their address.
    if (connection !== undefined || packet.isInitial)
      listeners.receive(connection?.flow ?? clientNetworkOf(ipOf(sender)), { bytes, packet, sender });
  }

  #handle(path: Path, datagram: Datagram): void {
    const { bytes, packet, sender } = datagram;
    const connection = this.#byId.get(packet.destinationId);
    if (connection !== undefined) {
      const { state, pointer, handshake } = connection;
      // It may carry a part of the ClientHello.
      const isKept = state === 'handshake' && !this.clientHellos.has(pointer);
      if (isKept && handshake.datagrams.length < maxDatagrams) handshake.datagrams.push(bytes);
      connection.heldDatagrams.add();
      connection.noteId(packet.destinationId);
      connection.listeners.inject(connection.listener, bytes, sender);
      connection.wake();
    } else if (packet.isInitial && !this.#isDraining) this.#handleInitial(path, datagram);
  }

  #handleInitial({ socket, listeners }: Path, { packet, bytes, sender }: Datagram): void {
    const ip = ipOf(sender);
    if (this.#rejected.size > 0 && this.#rejected.has(clientNetworkOf(ip))) return;
    const isValidated = this.#validation.isRequiredFor(packet);
    const listener = isValidated ? listeners.set.validating(sender) : listeners.set.notValidating();
    if (isValidated && !packet.hasToken) {
      this.#validation.rememberFirst(sender, packet);
      listeners.inject(listener, bytes, sender);
      return;
    }
    // Handled alone, so that a new connection is this sender's.
    listeners.inject(listener, bytes, sender);
    listener.tick();
    const pointer = listener.accept();
    if (pointer === 0n) return;
    const destinationIdLength = this.#validation.takeFirstIdLength(sender, packet);
    const handshake = { first: packet, destinationIdLength, datagrams: [bytes] };
    const send = (reply: Uint8Array): void => socket.send(reply, sender.port, sender.address);
    const accepted = { pointer, listener, listeners, handshake, isValidated, ip, port: sender.port, send };
    this.#add(new OpenSslConnection(this, accepted));
  }

  #add(connection: OpenSslConnection): void {
    this.#all.set(connection, () => {});
    if (!connection.isValidated) this.#validation.add(connection);
    else if (!this.admit(connection)) {
      this.forget(connection);
      return;
    }
    for (const id of connection.routes) this.#byId.set(id, connection);
    connection.wake();
  }

  admit(connection: OpenSslConnection): boolean {
    this.#validation.delete(connection);
    const release = this.options.admit(connection);
    if (release !== null) this.#all.set(connection, release);
    else this.#rejected.add(connection.flow);
    return release !== null;
  }

  #sweepConnections(): void {
    const nowMs = performance.now();
    for (const connection of this.#all.keys()) connection.sweep(nowMs);
    for (const connection of [...this.#all.keys()]) if (connection.state === 'closed') this.forget(connection);
    for (const { listeners } of this.#paths?.opened.values() ?? []) listeners.freeIdle(nowMs);
  }

  forget(connection: OpenSslConnection): void {
    for (const id of connection.routes) this.#byId.delete(id);
    this.clientHellos.delete(connection.pointer);
    this.#validation.delete(connection);
    this.#all.get(connection)?.();
    this.#all.delete(connection);
    connection.free();
    // Its deadlines end with it.
    connection.tick();
  }
}
