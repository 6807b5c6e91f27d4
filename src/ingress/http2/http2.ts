/** Requests over HTTP/2: the bounded streams of one connection. */
import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { resumeReading, stopReading } from '../../native/socket.ts';
import type { ClosingReason } from '../bounds.ts';
import type { Connection, Protocol } from '../connection.ts';
import type { ReadPort } from '../scheduler.ts';
import { Http2Exchange } from './exchange.ts';

/** Costs of a DATA frame, of a PING or SETTINGS frame, and of a name or value of more than 100 headers, in those of a stream. */
const dataShare = 0.5;
const frameShare = 0.25;
const headerShare = 0.05;

/** Last stream of a GOAWAY that only announces the end: every request in transit is still handled (RFC 9113 §6.8). */
const anyStream = 2 ** 31 - 1;

/**
 * A read of 16 KB contains 600 requests, which Node hands out in one iteration of the event loop. The first few start immediately; the
 * others wait for a step of the scheduler, where those that were reset in the meantime cost nothing.
 */
export class Http2 implements Protocol, ReadPort {
  readonly name = 'h2';
  readonly #connection: Connection;
  readonly #session: ServerHttp2Session;
  readonly #start: (exchange: Http2Exchange) => void;
  readonly #maxInFlight: number;
  readonly #inFlight = new Set<Http2Exchange>();
  readonly #waiting: Http2Exchange[] = [];
  /** Requests so far; those of a reset stream too. */
  #opened = 0;
  /** End of the latest request (`performance.now`). */
  #idleSinceMs = performance.now();
  iterationBytes = 0;
  #countedBytes = 0;
  #uselessBytes = 0;
  #checkedBytes = 0;
  #checkedOpened = 0;

  constructor(connection: Connection, session: ServerHttp2Session, start: (exchange: Http2Exchange) => void) {
    const { bounds, scheduler } = connection.shared;
    this.#connection = connection;
    this.#session = session;
    this.#start = start;
    // The streams of a trusted proxy are the requests of many clients.
    this.#maxInFlight = connection.client.trusted ? bounds.maxConcurrentStreams : bounds.maxRequestsInFlight;
    connection.socket.once('close', scheduler.track(this));
    const countClosing = (): void => this.#count(this.#inFlight.size + this.#waiting.length);
    connection.tlsSocket?.once('end', countClosing).once('error', countClosing);
    session.on('ping', () => this.#count(frameShare)).on('remoteSettings', () => this.#count(frameShare));
    session.on('stream', (...[stream, headers, , rawHeaders]) => this.#open(stream, headers, rawHeaders));
  }

  stopReading(): void {
    stopReading(this.#connection.socket);
  }

  resumeReading(): void {
    resumeReading(this.#connection.socket);
  }

  /** Counts streams, and the bytes that have been received since the previous call. */
  #count(streams: number): void {
    const bytes = this.#connection.socket.bytesRead - this.#countedBytes;
    this.#countedBytes += bytes;
    this.#connection.shared.scheduler.count(this, streams, bytes);
  }

  #open(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]): void {
    const { bounds, scheduler, waitingBodies, heldHeaders } = this.#connection.shared;
    const exchange = new Http2Exchange(this.#connection, stream, {
      headers,
      rawHeaders,
      onData: this.#onData,
      onClose: this.#onClose,
    });
    // Too many headers are as useless as frames of no request; a trusted proxy only passes them on.
    if (!exchange.isTooLarge || this.#connection.client.trusted) this.#opened += 1;
    const manyParts = Math.max(0, rawHeaders.length - bounds.ordinaryHeaderParts);
    this.#count(1 + manyParts * headerShare);
    // Node hands out a stream after it has parsed what was read, which may contain its reset.
    if (this.#countIfClosed(exchange)) return;
    if (manyParts > 0) heldHeaders.add(exchange, rawHeaders.length);
    const mayStart = this.#waiting.length === 0 && !this.#isFull() && scheduler.takeStart();
    // Too many headers are rejected immediately, because they would take memory while they wait.
    if (exchange.isTooLarge || mayStart) {
      this.#begin(exchange);
      return;
    }
    this.#waiting.push(exchange);
    if (!stream.endAfterHeaders) waitingBodies.add(exchange, 1);
    scheduler.add(this.#step, this.#connection.share);
  }

  #begin(exchange: Http2Exchange): void {
    this.#inFlight.add(exchange);
    this.#start(exchange);
  }

  readonly #onData = (): void => this.#count(dataShare);

  readonly #onClose = (exchange: Http2Exchange): void => {
    const { waitingBodies, scheduler } = this.#connection.shared;
    waitingBodies.delete(exchange);
    if (this.#inFlight.delete(exchange)) {
      this.#idleSinceMs = performance.now();
      if (this.#waiting.length > 0) scheduler.add(this.#step, this.#connection.share);
      return;
    }
    // Until its step, it would only use memory.
    const at = this.#waiting.indexOf(exchange);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    this.#countIfClosed(exchange);
  };

  /** Returns whether a request was closed before it started, and counts it, unless a bound has counted it already. */
  #countIfClosed({ isClosed, isRefused }: Http2Exchange): boolean {
    if (isClosed && !isRefused) this.#connection.shared.onClosed('reset_stream');
    return isClosed;
  }

  #isFull(): boolean {
    const { client, bufferedBytes, shared } = this.#connection;
    return (
      this.#inFlight.size >= this.#maxInFlight ||
      (!client.trusted && bufferedBytes >= shared.bounds.maxConnectionSendBufferBytes)
    );
  }

  readonly #step = (): boolean => {
    while (!this.#isFull()) {
      const next = this.#waiting.shift();
      if (next === undefined) return false;
      this.#connection.shared.waitingBodies.delete(next);
      if (this.#countIfClosed(next)) continue;
      this.#begin(next);
      return this.#waiting.length > 0;
    }
    return false;
  };

  check(nowMs: number): ClosingReason | 'idle' | null {
    // What Node stopped while bytes waited for the client, it starts again only if reading was not stopped before.
    this.#connection.shared.scheduler.resume(this);
    this.#countUselessBytes();
    const { maxUselessBytes, idleTimeoutMs } = this.#connection.shared.bounds;
    if (this.#uselessBytes > maxUselessBytes) return 'useless_frames';
    // Node's own timeout counts PING as activity.
    const isIdle = this.#inFlight.size === 0 && this.#waiting.length === 0;
    return isIdle && nowMs - this.#idleSinceMs > idleTimeoutMs ? 'idle' : null;
  }

  drain(): void {
    if (!this.#session.destroyed) this.#session.goaway(constants.NGHTTP2_NO_ERROR, anyStream);
  }

  /** Counts bytes that are no part of a request: PING, WINDOW_UPDATE, SETTINGS, PRIORITY, empty DATA. */
  #countUselessBytes(): void {
    const { uselessBytesPerSecond, connectionCheckMs, maxHeaderBytes } = this.#connection.shared.bounds;
    const received = this.#connection.socket.bytesRead - this.#checkedBytes;
    const requests = this.#opened - this.#checkedOpened;
    this.#checkedBytes += received;
    this.#checkedOpened += requests;
    // While a request body may arrive, its bytes cannot be distinguished; the timeout of the body bounds that.
    const isReceiving = this.#waiting.length > 0 || this.#inFlight.values().some(({ isReceived }) => !isReceived);
    const useless = isReceiving ? 0 : Math.max(0, received - requests * maxHeaderBytes);
    const granted = (uselessBytesPerSecond * connectionCheckMs) / 1000;
    this.#uselessBytes = Math.max(0, this.#uselessBytes - granted + useless);
  }
}
