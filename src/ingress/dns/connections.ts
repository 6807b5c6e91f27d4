/** DNS over TCP (RFC 7766): several queries on one connection, each with its length before it, answered in order. */
import type { Socket } from 'node:net';
import type { Identify } from '../limits/identity.ts';
import { Pool } from '../limits/pool.ts';
import type { DnsBounds } from './bounds.ts';
import type { Responder, Sender } from './responder.ts';

/** The reason why the server closed a connection before its client did. */
export type ConnectionEnd = 'connections' | 'replaced' | 'slow' | 'queries' | 'malformed';

interface ConnectionsOptions {
  readonly bounds: DnsBounds;
  readonly responder: Responder;
  readonly identify: Identify;
  onClosed(reason: ConnectionEnd): void;
}

/** Connections of the largest network are replaced, not of the largest address: few resolvers share an address. */
const clientsOfNetwork = 1;
const lengthBytes = 2;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<Socket, Connection>();
  readonly #places: Pool<Socket>;
  #isClosing = false;

  constructor(options: ConnectionsOptions) {
    const { bounds, onClosed } = options;
    this.#options = options;
    this.#places = new Pool({
      capacity: bounds.maxConnections,
      clientsOfNetwork,
      evict: (socket) => {
        onClosed('replaced');
        this.#forget(socket);
      },
    });
  }

  accept(socket: Socket): void {
    const { bounds, identify, onClosed } = this.#options;
    const { remoteAddress: address, remotePort: port } = socket;
    // It ends with the socket.
    socket.on('error', () => {});
    if (address === undefined || port === undefined || this.#isClosing) {
      socket.destroy();
      return;
    }
    const holder = identify(address);
    if (this.#places.unitsOf(holder.ip) >= bounds.maxConnectionsPerAddress) {
      onClosed('connections');
      socket.destroy();
      return;
    }
    this.#places.hold(socket, holder, 1);
    if (socket.destroyed) return;
    this.#open.set(socket, new Connection(socket, { address, port, transport: 'tcp' }, this.#options));
    socket.once('close', () => this.#forget(socket));
  }

  /** Accepts no more connections. Ends the open ones immediately, or, if a query is arriving, after at most this time. */
  async close(withinMs: number): Promise<void> {
    this.#isClosing = true;
    const sockets = [...this.#open.keys()];
    const ended = sockets.map((socket) => socket.closed || new Promise((resolve) => socket.once('close', resolve)));
    for (const connection of this.#open.values()) connection.drain();
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, withinMs);
    await Promise.all(ended);
    clearTimeout(timer);
  }

  #forget(socket: Socket): void {
    this.#places.leave(socket);
    this.#open.get(socket)?.stop();
    this.#open.delete(socket);
    socket.destroy();
  }
}

class Connection {
  readonly #socket: Socket;
  readonly #sender: Sender;
  readonly #options: ConnectionsOptions;
  readonly #timer: NodeJS.Timeout;
  /** Bytes of an incomplete query. */
  #pending: Uint8Array = new Uint8Array(0);
  #queries = 0;
  #isDraining = false;

  constructor(socket: Socket, sender: Sender, options: ConnectionsOptions) {
    this.#socket = socket;
    this.#sender = sender;
    this.#options = options;
    this.#timer = setTimeout(() => this.#endIdle(), options.bounds.idleTimeoutMs);
    socket.on('data', (piece: Uint8Array) => this.#read(piece));
  }

  /** Ends the connection after the query that is arriving. */
  drain(): void {
    this.#isDraining = true;
    if (this.#pending.length === 0) this.#socket.destroySoon();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #read(piece: Uint8Array): void {
    this.#socket.cork();
    const rest = this.#answerAll(this.#pending.length === 0 ? piece : Buffer.concat([this.#pending, piece]));
    this.#socket.uncork();
    if (rest === null) {
      this.#close('malformed');
      return;
    }
    // A copy: the piece is a view of a larger buffer.
    this.#pending = new Uint8Array(rest);
    if (this.#queries >= this.#options.bounds.maxConnectionQueries) this.#stopReading();
    else if (this.#isDraining && rest.length === 0) this.#socket.destroySoon();
  }

  /** Answers each whole query, up to the permitted number; returns what follows, null if it cannot be a query. */
  #answerAll(bytes: Uint8Array): Uint8Array | null {
    const { maxQueryBytes, maxConnectionQueries } = this.#options.bounds;
    let rest = bytes;
    while (rest.length >= lengthBytes && this.#queries < maxConnectionQueries) {
      const length = ((rest[0] ?? 0) << 8) | (rest[1] ?? 0);
      if (length > maxQueryBytes) return null;
      const end = lengthBytes + length;
      if (rest.length < end) break;
      if (!this.#answer(rest.subarray(lengthBytes, end))) return null;
      rest = rest.subarray(end);
    }
    return rest;
  }

  /** Returns whether the message is a query. */
  #answer(message: Uint8Array): boolean {
    this.#queries += 1;
    const response = this.#options.responder.respond(message, this.#sender);
    if (response === null) return false;
    const framed = new Uint8Array(lengthBytes + response.length);
    framed[0] = response.length >> 8;
    framed[1] = response.length;
    framed.set(response, lengthBytes);
    // A client that does not accept responses gets no more time by sending further queries.
    if (this.#socket.writableLength === 0) this.#timer.refresh();
    this.#socket.write(framed);
    return true;
  }

  /** Sends what is written; what the client sends more is not read, which would cost time, and the timer ends a connection that stays. */
  #stopReading(): void {
    this.#options.onClosed('queries');
    this.#pending = new Uint8Array(0);
    this.#socket.pause();
    this.#socket.end();
  }

  /** Resolvers keep a connection after its last response; one that is slow, silent or does not read is another matter. */
  #endIdle(): void {
    const isOrdinary = this.#queries > 0 && this.#pending.length === 0 && this.#socket.writableLength === 0;
    if (isOrdinary) this.#socket.destroy();
    else this.#close('slow');
  }

  #close(reason: ConnectionEnd): void {
    this.#options.onClosed(reason);
    this.#socket.destroy();
  }
}
