/** Bounds the requests of one HTTP/2 connection: few are in flight concurrently, and a flood of them is spread over event-loop turns. */
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Server } from 'node:net';
import type { Metrics } from '../core/metrics.ts';
import type { Bounds } from '../edges/node/limits/bounds.ts';
import { type Connection, connectionOf } from './connection.ts';
import type { Http2Reads } from './http2-reads.ts';
import type { TurnQueue } from './scheduler.ts';

interface Waiting {
  readonly stream: ServerHttp2Stream;
  readonly start: () => void;
}

/** Refuses a request whose body may arrive while it waits for its turn; in the order of their arrival, in this process. */
const receiving = new Map<Waiting, () => void>();

/**
 * A read of 16 KB contains 600 requests, which Node would all handle in one turn of the event loop. The gate lets the first few start
 * immediately; the others wait for their turn, where those that were reset in the meantime cost nothing.
 */
export class Http2Gate {
  /** Requests so far; those of a reset stream too. */
  opened = 0;
  /** End of the latest request, in ms. */
  idleSinceMs = performance.now();
  readonly #queue: TurnQueue;
  readonly #reads: Http2Reads;
  readonly #metrics: Metrics;
  readonly #maxInFlight: number;
  readonly #connection: Connection;
  readonly #bounds: Bounds;
  readonly #streams = new Set<ServerHttp2Stream>();
  #waiting: Waiting[] = [];

  constructor(connection: Connection, queue: TurnQueue, reads: Http2Reads, metrics: Metrics, bounds: Bounds) {
    this.#queue = queue;
    this.#reads = reads;
    this.#metrics = metrics;
    // The streams of a trusted proxy are the requests of many clients.
    this.#maxInFlight = connection.trusted ? bounds.maxConcurrentStreams : bounds.maxRequestsInFlight;
    this.#connection = connection;
    this.#bounds = bounds;
    reads.add(connection.socket);
    const countClosing = (): void => reads.count(connection.socket, this.#streams.size + this.#waiting.length);
    connection.tlsSocket?.once('end', countClosing).once('error', countClosing);
  }

  get isIdle(): boolean {
    return this.#streams.size === 0 && this.#waiting.length === 0;
  }

  /** Whether a request body may still arrive. */
  get isReceiving(): boolean {
    return this.#waiting.length > 0 || this.#streams.values().some((stream) => !stream.readableEnded);
  }

  /** Calls `start` now or later, or never if the stream is closed by then. */
  add(stream: ServerHttp2Stream, start: () => void): void {
    this.opened += 1;
    this.#reads.count(this.#connection.socket, 1);
    if (this.#waiting.length === 0 && !this.#isFull() && this.#queue.startsNow()) {
      this.#start(stream, start);
      return;
    }
    if (this.#waiting.length >= this.#bounds.maxConcurrentStreams) this.#dropClosed();
    const waiting = { stream, start };
    this.#waiting.push(waiting);
    if (!stream.endAfterHeaders) this.#receive(waiting);
    this.#queue.add(this.#step);
  }

  /** A client may send 64 KB of each body (RFC 9113 §6.9.2) before anything reads it. */
  #receive(waiting: Waiting): void {
    const { stream } = waiting;
    receiving.set(waiting, () => {
      receiving.delete(waiting);
      this.#waiting = this.#waiting.filter((each) => each !== waiting);
      this.#metrics.countRejection('body_bytes');
      // The client may repeat a request that was refused (RFC 9113 §8.7).
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      stream.resume();
    });
    stream.once('close', () => receiving.delete(waiting));
    if (receiving.size <= this.#bounds.maxWaitingBodies) return;
    for (const refuseOldest of receiving.values()) {
      refuseOldest();
      return;
    }
  }

  /** Limit on open streams: the others were reset, and would only use memory until their turn. */
  #dropClosed(): void {
    const open = this.#waiting.filter(({ stream }) => !stream.closed);
    for (let each = open.length; each < this.#waiting.length; each += 1) this.#metrics.countRejection('reset_stream');
    this.#waiting = open;
  }

  #isFull(): boolean {
    return (
      this.#streams.size >= this.#maxInFlight ||
      (!this.#connection.trusted && this.#connection.unsentBytes >= this.#bounds.maxUnsentBytesPerConnection)
    );
  }

  #start(stream: ServerHttp2Stream, start: () => void): void {
    this.#streams.add(stream);
    stream.once('close', () => {
      this.#streams.delete(stream);
      this.idleSinceMs = performance.now();
      if (this.#waiting.length > 0) this.#queue.add(this.#step);
    });
    start();
  }

  readonly #step = (): boolean => {
    while (!this.#isFull()) {
      const next = this.#waiting.shift();
      if (next === undefined) return false;
      receiving.delete(next);
      if (next.stream.closed || next.stream.destroyed) this.#metrics.countRejection('reset_stream');
      else {
        this.#start(next.stream, next.start);
        return this.#waiting.length > 0;
      }
    }
    return false;
  };
}

type StreamListener = (this: Server, stream: ServerHttp2Stream, ...rest: unknown[]) => void;

/** Puts the gate of each connection before the server's own listener for streams, which creates requests and responses. */
export function gateStreams(server: Server): void {
  const [own] = server.listeners('stream') as StreamListener[];
  // A server of HTTP/1 only.
  if (own === undefined) return;
  server.removeListener('stream', own as () => void);
  server.on('stream', (stream: ServerHttp2Stream, ...rest: unknown[]) => {
    // Before a listener of its own, a stream has none for its errors.
    stream.on('error', () => {});
    const socket = stream.session?.socket;
    const gate = (socket && connectionOf(socket)?.http2Gate) ?? null;
    // The client has disconnected already.
    if (gate === null) stream.destroy();
    else gate.add(stream, () => own.call(server, stream, ...rest));
  });
}
