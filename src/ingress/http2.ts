/** Requests over HTTP/2, on Node's stream API: the bounded streams of one connection, and its exchanges. */
import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import { resumeReading, stopReading } from '../native/socket.ts';
import type { ClosingReason } from './bounds.ts';
import type { Connection, Protocol } from './connection.ts';
import { type OutgoingResponse, rawHeadersOf } from './exchange.ts';
import type { ReadPort } from './schedule/reads.ts';
import { StreamExchange, StreamQueue } from './streams.ts';

/** Costs of a DATA frame, of a PING or SETTINGS frame, and of a name or value of many headers; a stream costs 1. */
const dataCost = 0.5;
const frameCost = 0.25;
const partCost = 0.05;
/** Names and values that the cost of a stream includes: more than those of a browser. */
const includedParts = 60;

/** Last stream of a GOAWAY that only announces the end: every request in transit is still handled (RFC 9113 §6.8). */
const anyStream = 2 ** 31 - 1;

export class Http2 implements Protocol, ReadPort {
  readonly name = 'h2';
  readonly #connection: Connection;
  readonly #session: ServerHttp2Session;
  readonly queue: StreamQueue<Http2Exchange>;
  /** Requests since the previous sweep, also of reset streams. */
  #opened = 0;
  iterationBytes = 0;
  #countedBytes = 0;
  /** State of `IngressContext.uselessBytes`. */
  #uselessMs = 0;
  #checkedBytes = 0;
  /** Bytes of bodies since the previous sweep. */
  #bodyBytes = 0;
  /** The PING that waits for its acknowledgment. */
  #ping: Promise<number | null> | null = null;

  constructor(connection: Connection, session: ServerHttp2Session, start: (exchange: Http2Exchange) => void) {
    this.#connection = connection;
    this.#session = session;
    this.queue = new StreamQueue(connection, start);
    connection.socket.once('close', connection.context.scheduler.reads.track(this));
    const countClosing = (): void => this.#count(this.queue.requests.length);
    connection.tlsSocket?.once('end', countClosing).once('error', countClosing);
    session.on('ping', () => this.#count(frameCost)).on('remoteSettings', () => this.#count(frameCost));
    const endSettings = connection.context.scheduler.stopwatch.start();
    session.once('localSettings', () => {
      connection.http2Ms = endSettings();
    });
    session.on('stream', (...[stream, headers, , rawHeaders]) => this.#open(stream, headers, rawHeaders));
  }

  get hasRequest(): boolean {
    return this.queue.hasRequest && !this.#connection.isUnread;
  }

  /** Calls share a PING until it is acknowledged: Node permits ten that are not. */
  ping(): Promise<number | null> {
    this.#ping ??= this.#sendPing().finally(() => {
      this.#ping = null;
    });
    return this.#ping;
  }

  #sendPing(): Promise<number | null> {
    const { scheduler, bounds } = this.#connection.context;
    const { promise, resolve } = Promise.withResolvers<number | null>();
    if (this.#session.destroyed) return Promise.resolve(null);
    const timer = setTimeout(() => resolve(null), bounds.pingTimeoutMs);
    const end = scheduler.stopwatch.start();
    const isSent = this.#session.ping((error) => resolve(error === null ? end() : null));
    if (!isSent) resolve(null);
    return promise.finally(() => clearTimeout(timer));
  }

  get flow(): unknown {
    return this.#connection.flow;
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
    this.#connection.context.scheduler.reads.count(this, streams, bytes);
  }

  #open(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]): void {
    const exchange = new Http2Exchange(this.#connection, stream, { headers, rawHeaders, http2: this });
    // Too many headers are as useless as frames of no request; a trusted proxy only passes them on.
    if (!exchange.isTooLarge || this.#connection.client.trusted) this.#opened += 1;
    this.#count(1 + Math.max(0, rawHeaders.length - includedParts) * partCost);
    if (!stream.endAfterHeaders) stream.once('trailers', this.#countTrailers);
    this.queue.add(exchange);
  }

  readonly #countTrailers = (_fields: IncomingHttpHeaders, _flags: number, rawTrailers: readonly string[]): void =>
    this.#count(rawTrailers.length * partCost);

  /** Counts a piece of a body. */
  readonly onData = (bytes: Uint8Array): void => {
    this.#bodyBytes += bytes.length;
    this.#count(dataCost);
  };

  sweep(nowMs: number): ClosingReason | 'idle' | null {
    const { context, socket } = this.#connection;
    // What Node stopped while bytes waited for the client, it starts again only if reading was not stopped before.
    context.scheduler.reads.resume(this);
    // The rest is not part of a request: PING, WINDOW_UPDATE, SETTINGS, PRIORITY, empty DATA.
    const received = socket.bytesRead - this.#checkedBytes;
    const useful = this.#opened * context.bounds.maxHeaderBytes + this.#bodyBytes;
    this.#checkedBytes += received;
    this.#opened = 0;
    this.#bodyBytes = 0;
    // While a request body may arrive, bytes of it may not be counted yet; the timeout of the body bounds that.
    const useless = this.queue.isReceiving ? 0 : Math.max(0, received - useful);
    const uselessMs = context.uselessBytes.consume(this.#uselessMs, nowMs, useless);
    if (uselessMs === null) return 'useless_frames';
    this.#uselessMs = uselessMs;
    // Node's own timeout counts PING as activity.
    return this.queue.sweep(nowMs);
  }

  drain(): void {
    if (!this.#session.destroyed) this.#session.goaway(constants.NGHTTP2_NO_ERROR, anyStream);
  }
}

/** Time for the end of a request whose response is complete. */
const endOfRequestMs = 100;

function ignoreError(): void {}

const noFields: IncomingHttpHeaders = {};

interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly http2: Http2;
}

class Http2Exchange extends StreamExchange {
  readonly output: ServerHttp2Stream;
  readonly method: string;
  readonly protocol = 'HTTP/2';
  /** The parser does not bound them. */
  readonly isTooLarge: boolean;
  /** Node's form of the headers, with the pseudo-headers. */
  fields: IncomingHttpHeaders;
  protected override readonly onData: (bytes: Uint8Array) => void;
  readonly #http2: Http2;

  constructor(connection: Connection, stream: ServerHttp2Stream, { headers, rawHeaders, http2 }: ReceivedRequest) {
    super(connection, rawHeaders);
    this.output = stream;
    this.fields = headers;
    this.method = headers[':method'] ?? 'GET';
    this.#http2 = http2;
    this.onData = http2.onData;
    let headerBytes = 0;
    for (const part of rawHeaders) headerBytes += part.length + 2;
    this.isTooLarge = headerBytes > connection.context.bounds.maxHeaderBytes;
    // An error of a stream is its end, which `close` reports.
    stream.on('error', ignoreError);
    stream.on('close', this.#onClose);
  }

  get isClosed(): boolean {
    return this.output.closed || this.output.destroyed;
  }

  get isReceived(): boolean {
    return this.output.endAfterHeaders || this.output.readableEnded;
  }

  get isAnswered(): boolean {
    return this.output.headersSent || this.isClosed;
  }

  protected get body(): Readable {
    return this.output;
  }

  respond(response: OutgoingResponse): void {
    if (this.isAnswered) return;
    const { status, body } = response;
    const bytes = Buffer.byteLength(body);
    const pairs = rawHeadersOf(response).http2.slice();
    pairs[1] = `${status}`;
    this.addOwnHeaders(pairs, response, bytes);
    if (!this.isReceived) this.output.once('finish', () => this.#endUnread());
    const endStream = this.method === 'HEAD' || bytes === 0;
    this.output.respond(pairs, { endStream });
    this.dropHeaders();
    if (!endStream) this.connection.context.sendBuffer.send(this, body, bytes);
  }

  /**
   * A client need not send the rest of a body after the response (RFC 9113 §8.1); Node would keep the stream open for it. Its client loses
   * the response if the reset arrives before it has sent the frame that ends a request without a body.
   */
  #endUnread(): void {
    const { output } = this;
    const close = (): void => output.close(constants.NGHTTP2_NO_ERROR);
    const timer = setTimeout(close, endOfRequestMs);
    output.once('close', () => clearTimeout(timer));
    output.once('data', close).resume();
  }

  protected continue(): void {
    if (!this.isAnswered) this.output.additionalHeaders({ ':status': 100 });
  }

  destroy(): void {
    this.output.destroy();
  }

  protected override closeAlone(): boolean {
    // Without an error, Node would wait for the rest of the response.
    this.output.close(constants.NGHTTP2_CANCEL);
    return true;
  }

  protected closeRefused(): void {
    this.output.close(constants.NGHTTP2_REFUSED_STREAM);
    this.output.resume();
  }

  protected override dropHeaders(): void {
    super.dropHeaders();
    this.fields = noFields;
  }

  readonly #onClose = (): void => {
    this.dropHeaders();
    this.release();
    this.#http2.queue.remove(this);
  };
}
