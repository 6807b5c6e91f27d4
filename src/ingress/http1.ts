/** Requests over HTTP/1: one connection's input to Node's parser, bounded, and its exchanges. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { ParserInput, type ParserInputEvents } from '../native/http1.ts';
import { acceptedBytesOf } from '../native/socket.ts';
import { hasClientLeft } from '../native/tcp.ts';
import type { Connection, Protocol } from './connection.ts';
import { Exchange, type OutgoingResponse, rawHeadersOf } from './exchange.ts';
import { blankLine, Head } from './message/head.ts';
import type { Sending } from './send-buffer.ts';

/** Bytes fed together if they contain no end of a header section: a part of headers or of a body. */
const maxPortionBytes = 4_096;

/**
 * Feeds the parser request by request, and only while few of them are in flight: bytes that it cannot take now wait, reading stops,
 * and a step of the scheduler feeds them later.
 */
export class Http1 implements Protocol, ParserInputEvents {
  readonly name = 'http/1.1';
  readonly #connection: Connection;
  readonly #input: ParserInput;
  #unparsed: Buffer | null = null;
  #acceptedBytes = 0;
  #progressedMs = performance.now();
  /** Time of the latest sweep that found no unanswered request, a new one, or progress (`performance.now`). */
  #answeredMs = 0;
  /** Requests that had begun then. */
  #begunBefore = 0;
  #isClosed = false;
  /** Whether a part of a header section has been fed. */
  #isInHead = false;
  readonly head = new Head();
  #isDraining = false;
  #inFlight = 0;
  /** Exchanges that have not ended. */
  readonly #open = new Set<Http1Exchange>();
  /** The latest request that has not ended, null on an idle connection; the responses to all others are written before its own. */
  latest: Http1Exchange | null = null;
  /** The request whose end lets the next one in. */
  #awaited: Http1Exchange | null = null;

  /** `passToNode` makes an HTTP server listen to the plain or TLS socket. */
  constructor(connection: Connection, socket: Socket, passToNode: () => void) {
    this.#connection = connection;
    this.#input = new ParserInput(socket, this, passToNode);
  }

  /** Counts a request as in flight until its response, and all before it, are written; none follows a POST until then. */
  begin(exchange: Http1Exchange): void {
    if (this.latest === null || this.latest.isSent) this.#inFlight = 0;
    // A body may take many times its bytes while it is handled, and clients do not pipeline requests with one (RFC 9112 §9.3.2).
    this.#inFlight += exchange.method === 'POST' ? this.#connection.context.bounds.maxRequestsInFlight : 1;
    this.latest = exchange;
    this.#open.add(exchange);
    this.#connection.hasStarted = true;
    if (this.#isDraining || this.head.hasUnknownMethod) exchange.endConnection();
  }

  get hasRequest(): boolean {
    const { isUnread, context } = this.#connection;
    if (isUnread || (this.#isWaiting && performance.now() - this.#progressedMs > context.bounds.unreadMs)) return false;
    // Only the latest one can lack a part of its body.
    return this.#open.size > (this.latest?.isReceived === false ? 1 : 0);
  }

  drain(): void {
    this.#isDraining = true;
  }

  /** Lets the connection forget a request that has ended. */
  end(exchange: Http1Exchange): void {
    this.#open.delete(exchange);
    if (this.latest === exchange && exchange.isReceived) this.latest = null;
    if (this.#awaited !== exchange) return;
    this.#awaited = null;
    this.#connection.context.scheduler.add(this.#step, this.#connection.flow);
  }

  /** Node 22.19 reports no end of an exchange whose response waits for another response; after a CONNECT, no version does. */
  endRequests(): void {
    for (const exchange of this.#open) exchange.endWithConnection();
  }

  /** Discards all further bytes: the parser cannot continue. */
  close(): void {
    this.#isClosed = true;
    this.#unparsed = null;
  }

  receive(bytes: Buffer, isReused: boolean): void {
    if (this.#isClosed) return;
    const { scheduler } = this.#connection.context;
    if (this.#unparsed !== null) this.#unparsed = Buffer.concat([this.#unparsed, bytes]);
    else {
      if (this.#mustWait() || !scheduler.hasTime()) this.#unparsed = bytes;
      else this.#feedNext(bytes);
      if (this.#unparsed === null) return;
      if (isReused) this.#unparsed = Buffer.from(this.#unparsed);
    }
    this.#input.stop();
    scheduler.add(this.#step, this.#connection.flow, this.#connection.stepKind);
  }

  resume(): void {
    if (this.#unparsed === null) this.#input.start();
    else this.#connection.context.scheduler.add(this.#step, this.#connection.flow);
  }

  endOfInput(): boolean {
    const { socket, flow, context } = this.#connection;
    const isIdle = this.latest === null && this.#unparsed === null && !this.#isInHead;
    if (!isIdle || context.scheduler.hasTimeToEnd() || !hasClientLeft(socket)) return false;
    // Nobody waits for anything on it. Thousands that end in the same instant would take an iteration for 0.3 s.
    context.scheduler.defer(() => socket.destroy(), flow);
    return true;
  }

  readonly #step = (): boolean => {
    if (this.#unparsed === null || this.#mustWait()) return false;
    this.#feedNext(this.#unparsed);
    if (this.#unparsed !== null) return !this.#input.isPaused;
    if (!this.#input.isPaused) this.#input.start();
    return false;
  };

  /** Feeds the first portion, with the body of its request if that ends the bytes and is small; keeps the others. */
  #feedNext(bytes: Buffer): void {
    const portion = portionOf(bytes);
    if (portion === bytes.length) {
      this.#unparsed = null;
      this.#feed(bytes);
      return;
    }
    const rest = bytes.subarray(portion);
    this.#unparsed = rest;
    this.#feed(bytes.subarray(0, portion));
    // An error closes the connection.
    const isNext = this.#unparsed !== null && !this.#input.isPaused && this.latest?.isReceived === false;
    if (!isNext || portionOf(rest) < rest.length) return;
    this.#unparsed = null;
    this.#feed(rest);
  }

  /** Feeds a portion, whose place in the message decides what an error in it means. */
  #feed(bytes: Buffer): void {
    const isOfBody = this.latest?.isReceived === false;
    const begunBefore = this.#connection.begun;
    this.#input.feed(this.head.prepare(bytes, isOfBody));
    const hasBegun = this.#connection.begun !== begunBefore;
    this.#isInHead = !isOfBody && !hasBegun;
    this.head.note(bytes, { isOfBody, hasBegun });
  }

  #mustWait(): boolean {
    const latest = this.latest;
    if (this.#input.isPaused) return true;
    // The rest of a body belongs to a request that is in flight already.
    if (latest === null || latest.isSent || !latest.isReceived) return false;
    const { maxRequestsInFlight, maxConnectionSendBufferBytes } = this.#connection.context.bounds;
    if (this.#inFlight < maxRequestsInFlight && this.#connection.bufferedBytes < maxConnectionSendBufferBytes)
      return false;
    this.#awaited = latest;
    return true;
  }

  /** Whether the whole response is written, and the kernel has not accepted all of it. */
  get #isWaiting(): boolean {
    return this.latest?.output.writableEnded === true && !this.latest.isSent;
  }

  /**
   * Returns why to close the connection. A reader is stalled if a response waits and the client has not accepted enough of its bytes in time.
   * A request without a response is abandoned after a time, too: Node's timeout would do so, but its timer takes 7 µs of a visit that comes alone.
   */
  sweep(nowMs: number): 'stalled_reader' | 'idle' | null {
    const { stallBytes, stallTimeoutMs, answerTimeoutMs } = this.#connection.context.bounds;
    const acceptedBytes = acceptedBytesOf(this.#connection.socket);
    const newBytes = acceptedBytes - this.#acceptedBytes;
    if (this.#isWaiting && newBytes < stallBytes)
      return nowMs - this.#progressedMs > stallTimeoutMs ? 'stalled_reader' : null;
    this.#progressedMs = nowMs;
    this.#acceptedBytes = acceptedBytes;
    const isUnanswered = this.latest?.isReceived === true && !this.latest.isAnswered;
    if (isUnanswered && newBytes === 0 && this.#connection.begun === this.#begunBefore)
      return nowMs - this.#answeredMs > answerTimeoutMs ? 'idle' : null;
    this.#begunBefore = this.#connection.begun;
    this.#answeredMs = nowMs;
    return null;
  }
}

/** Length of the first part that completes at most one request; a blank line may also end with its first byte. */
function portionOf(bytes: Buffer): number {
  const end = bytes.indexOf(blankLine);
  return Math.min(bytes.length, maxPortionBytes, end === -1 ? maxPortionBytes : end + blankLine.length);
}

export class Http1Exchange extends Exchange {
  readonly output: ServerResponse;
  readonly #incoming: IncomingMessage;
  readonly #http1: Http1;

  constructor(connection: Connection, http1: Http1, output: ServerResponse) {
    super(connection, output.req.rawHeaders);
    this.#incoming = output.req;
    this.#http1 = http1;
    this.output = output;
    output.on('close', this.#onClose);
    http1.begin(this);
  }

  get method(): string {
    return this.#incoming.method ?? 'GET';
  }

  get protocol(): 'HTTP/1.0' | 'HTTP/1.1' {
    return this.#incoming.httpVersion === '1.0' ? 'HTTP/1.0' : 'HTTP/1.1';
  }

  /** Whether the request has arrived with its body. */
  get isReceived(): boolean {
    return this.#incoming.complete;
  }

  /** Whether the kernel has accepted the whole response. */
  get isSent(): boolean {
    return this.output.writableFinished;
  }

  get isAnswered(): boolean {
    return this.output.headersSent || this.output.destroyed;
  }

  protected get body(): Readable | null {
    const { 'content-length': length, 'transfer-encoding': coding } = this.#incoming.headers;
    // Node emits no end for a request without these headers (optimizeEmptyRequests).
    return length === undefined && coding === undefined ? null : this.#incoming;
  }

  protected override get arrivedBytes(): number | null {
    return this.isReceived ? this.#incoming.readableLength : null;
  }

  respond(response: OutgoingResponse): void {
    if (this.isAnswered) return;
    const { status, body } = response;
    const bytes = Buffer.byteLength(body);
    const pairs = rawHeadersOf(response).http1.slice();
    this.addOwnHeaders(pairs, response, bytes);
    this.output.writeHead(status, pairs);
    const { sendBuffer, bounds } = this.connection.context;
    if (this.method === 'HEAD') this.output.end();
    // `Http1.sweep` detects stalled readers of small bodies.
    else if (bytes <= bounds.stallBytes) this.output.end(body);
    else sendBuffer.send(this as Sending, body, bytes);
  }

  protected continue(): void {
    if (!this.isAnswered) this.output.writeContinue();
  }

  /** Lets no request follow on this connection. */
  endConnection(): void {
    this.output.shouldKeepAlive = false;
  }

  override endAfterUnreadBody(): void {
    if (!this.isReceived) this.endConnection();
  }

  destroy(): void {
    this.output.destroy();
  }

  endWithConnection(): void {
    // No response may begin afterwards.
    this.output.destroy();
    this.#onClose();
  }

  readonly #onClose = (): void => {
    this.release();
    this.#http1.end(this);
  };
}
