/** Requests over HTTP/3: the bounded streams of one connection. */
import type { QuicConnection, QuicConnectionHandler, QuicStream } from '../../native/quic.ts';
import type { ClosingReason, IngressBounds } from '../bounds.ts';
import type { Connection, Protocol } from '../connection.ts';
import { type Handler, handleStream } from '../requests.ts';
import type { ReadPort } from '../schedule/reads.ts';
import { StreamQueue } from '../streams.ts';
import { type ControlHandler, ControlStreams } from './control-streams.ts';
import { errorCodes, frameTypes, settingIds, streamTypes } from './data/registries.ts';
import { ConnectionError, StreamError } from './errors.ts';
import { Http3Exchange, type ReceivedRequest } from './exchange.ts';
import { encodeFrame, encodeVarints } from './frames.ts';
import { type RequestOwner, RequestStream } from './request-stream.ts';

/** A GOAWAY that only announces the end: every request in transit is still handled (RFC 9114 §5.2). */
const anyStream = 2 ** 52 - 4;

/** Cost of a request, which comes in several messages; an HTTP/2 stream costs 1. */
const requestCost = 3;

/** Bytes of the control stream that are kept for `/fingerprint`; browsers send fewer than 100. */
const maxKeptBytes = 4_096;

export class Http3 implements Protocol, ReadPort, QuicConnectionHandler, RequestOwner, ControlHandler {
  readonly name = 'h3';
  iterationBytes = 0;
  readonly bounds: IngressBounds;
  readonly #connection: Connection;
  readonly #quic: QuicConnection;
  readonly #handler: Handler;
  readonly #controlStreams = new ControlStreams(this);
  readonly #control: QuicStream | null;
  /** Streams on which no request has arrived yet, the oldest first. */
  readonly #opening = new Set<RequestStream>();
  readonly #queue: StreamQueue<Http3Exchange>;
  #hasRequest = false;
  #requests = 0;
  /** State of `IngressContext.uselessBytes`. */
  #uselessMs = 0;
  #isClosed = false;
  #drainTimer: NodeJS.Timeout | null = null;

  constructor(connection: Connection, quic: QuicConnection, handler: Handler) {
    const { bounds, scheduler } = connection.context;
    this.bounds = bounds;
    this.#connection = connection;
    this.#quic = quic;
    this.#handler = handler;
    this.#queue = new StreamQueue(connection, (exchange) => {
      this.#hasRequest = true;
      handleStream(exchange, handler);
    });
    connection.socket.once('close', scheduler.reads.track(this));
    // Without a dynamic table, no request waits for another stream.
    const { maxTableCapacity, maxFieldSectionSize, blockedStreams } = settingIds;
    const settings = encodeVarints(maxTableCapacity, 0, maxFieldSectionSize, bounds.maxHeaderBytes, blockedStreams, 0);
    this.#control = quic.openStream();
    const type = encodeVarints(streamTypes.control);
    this.#control?.write(Buffer.concat([type, encodeFrame(frameTypes.settings, settings)]));
  }

  get hasRequest(): boolean {
    return this.#queue.hasRequest && !this.#connection.isUnread;
  }

  get flow(): unknown {
    return this.#connection.flow;
  }

  stopReading(): void {
    this.#connection.socket.pause();
  }

  resumeReading(): void {
    this.#connection.socket.resume();
  }

  onStream(stream: QuicStream): void {
    if (stream.isBidirectional) {
      this.#opening.add(new RequestStream(stream, this));
      return;
    }
    const read = this.#controlStreams.createReader();
    const onData = (bytes: Uint8Array, isLast: boolean): void =>
      this.contain(stream, () => {
        if (!read(bytes, isLast)) stream.abort(errorCodes.streamCreationError);
      });
    stream.handler = { onData, onReset: () => onData(new Uint8Array(), true), onStopSending() {}, onDrain() {} };
  }

  onControl(bytes: Uint8Array): void {
    if (this.#hasRequest && this.#controlStreams.hasSettings) return;
    const { http3Frames } = this.#connection;
    const kept = http3Frames === null ? bytes : Buffer.concat([http3Frames, bytes]);
    this.#connection.http3Frames = new Uint8Array(kept.subarray(0, maxKeptBytes));
  }

  contain(stream: Pick<QuicStream, 'abort'>, work: () => void): void {
    if (this.#isClosed) return;
    try {
      work();
    } catch (error) {
      if (error instanceof StreamError) stream.abort(error.code);
      else if (error instanceof ConnectionError) this.#close(error.code);
      else {
        this.#close(errorCodes.internalError);
        this.#handler.onError(error);
      }
    }
  }

  onHeaders(stream: RequestStream): void {
    this.#opening.delete(stream);
  }

  open(request: ReceivedRequest): Http3Exchange {
    const exchange = new Http3Exchange(this.#connection, request, (closed) => this.#queue.remove(closed));
    let headerBytes = 0;
    for (const part of exchange.rawHeaders) headerBytes += part.length + 2;
    this.#connection.context.scheduler.reads.count(this, requestCost, headerBytes);
    this.#queue.add(exchange);
    this.#requests += 1;
    if (this.#requests === this.bounds.maxConnectionRequests) this.drain();
    return exchange;
  }

  countUseless(bytes: number): void {
    const { uselessBytes, onClosed } = this.#connection.context;
    const uselessMs = uselessBytes.consume(this.#uselessMs, performance.now(), bytes);
    if (uselessMs === null) {
      onClosed('useless_frames');
      throw new ConnectionError('excessiveLoad');
    }
    this.#uselessMs = uselessMs;
  }

  sweep(nowMs: number): ClosingReason | 'idle' | null {
    for (const stream of this.#opening) {
      if (nowMs - stream.openedMs <= this.bounds.headersTimeoutMs) break;
      stream.abort(errorCodes.requestIncomplete);
    }
    return this.#queue.sweep(nowMs);
  }

  drain(): void {
    if (this.#isClosed || this.#drainTimer !== null) return;
    this.#control?.write(encodeFrame(frameTypes.goaway, encodeVarints(anyStream)));
    // The next request may be in transit.
    this.#drainTimer = setInterval(() => {
      if (this.#queue.isEmpty) this.#close(errorCodes.noError);
    }, this.bounds.closeGraceMs);
  }

  #close(code: number): void {
    if (this.#isClosed) return;
    this.onClosed();
    this.#quic.close(code);
  }

  onClosed(): void {
    this.#isClosed = true;
    clearInterval(this.#drainTimer ?? undefined);
    for (const exchange of this.#queue.requests) exchange.close();
  }
}
