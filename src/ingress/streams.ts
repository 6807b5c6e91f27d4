/** Requests over HTTP/2 or HTTP/3, each on a stream of its own: few of a connection are handled concurrently, the others wait. */
import type { IncomingHttpHeaders } from 'node:http2';
import type { Connection } from './connection.ts';
import { Exchange } from './exchange.ts';

/** The number of requests that wait on a connection is counted in these steps, so that the few of an ordinary one cost nothing. */
const waitingStep = 4;

export abstract class StreamExchange extends Exchange {
  /** The headers by name, with the pseudo-headers. */
  abstract readonly fields: Pick<IncomingHttpHeaders, ':authority' | ':path' | 'expect' | 'host'>;
  /** Whether the headers exceed `maxHeaderBytes`. */
  abstract readonly isTooLarge: boolean;
  /** Whether the request has arrived with its body. */
  abstract readonly isReceived: boolean;
  abstract readonly isClosed: boolean;
  /** Whether a bound has ended the request before it was handled. */
  isRefused = false;
  /** When its handling began (`performance.now`). */
  startedMs = 0;
  /** Ends the stream, and reports the error; null until the handler has been called. */
  fail: ((error: unknown) => void) | null = null;

  /** Ends the stream; the client may repeat the request (RFC 9113 §8.7, RFC 9114 §4.1.1). */
  protected abstract closeRefused(): void;

  refuse(): void {
    this.isRefused = true;
    this.closeRefused();
  }

  protected override dropHeaders(): void {
    super.dropHeaders();
    this.connection.context.heldHeaders.leave(this);
  }
}

/**
 * A read of 16 KB contains 600 requests, which arrive in one iteration of the event loop. The first few start immediately; the others wait
 * for a step of the scheduler, where requests that were reset in the meantime cost nothing.
 */
export class StreamQueue<Request extends StreamExchange> {
  readonly connection: Connection;
  readonly #start: (request: Request) => void;
  readonly #inFlight = new Set<Request>();
  readonly #waiting = new Set<Request>();
  #countedWaiting = 0;
  /** End of the latest request (`performance.now`). */
  #idleSinceMs = performance.now();

  constructor(connection: Connection, start: (request: Request) => void) {
    this.connection = connection;
    this.#start = start;
  }

  /** Requests that have not ended. */
  get requests(): readonly Request[] {
    return [...this.#waiting, ...this.#inFlight];
  }

  /** Whether a request has arrived completely and has not ended. */
  get hasRequest(): boolean {
    const isReceived = (request: Request): boolean => request.isReceived;
    return this.#inFlight.values().some(isReceived) || this.#waiting.values().some(isReceived);
  }

  get isEmpty(): boolean {
    return this.#inFlight.size === 0 && this.#waiting.size === 0;
  }

  /** Whether the body of a request may arrive. */
  get isReceiving(): boolean {
    return this.#waiting.size > 0 || this.#inFlight.values().some(({ isReceived }) => !isReceived);
  }

  /** Ends requests that the handler does not answer; returns `idle` if there has been no request for too long. */
  sweep(nowMs: number): 'idle' | null {
    const { idleTimeoutMs, answerTimeoutMs } = this.connection.context.bounds;
    for (const request of this.#inFlight) {
      if (nowMs - request.startedMs <= answerTimeoutMs) break;
      if (!request.isAnswered) request.fail?.(new Error(`A request got no response within ${answerTimeoutMs} ms.`));
    }
    return this.isEmpty && nowMs - this.#idleSinceMs > idleTimeoutMs ? 'idle' : null;
  }

  /** Starts a request that has arrived, now or later. */
  add(request: Request) {
    const { bounds, scheduler, waitingBodies, heldHeaders } = this.connection.context;
    // Node hands out a stream after it has parsed what was read, which may contain its reset.
    if (this.#countIfClosed(request)) return;
    const parts = request.rawHeaders.length;
    if (parts > bounds.ordinaryHeaderParts) heldHeaders.hold(request, this.connection.holder, parts);
    const mayStart = this.#waiting.size === 0 && !this.#isFull() && scheduler.tryStart();
    // Too many headers are rejected immediately, because they would take memory while they wait.
    if (request.isTooLarge || mayStart) return this.#begin(request);
    this.#waiting.add(request);
    this.#countWaiting();
    if (!request.isReceived) waitingBodies.hold(request, this.connection.holder, 1);
    scheduler.add(this.#step, this.connection.flow, this.connection.stepKind);
  }

  /** Removes a request whose stream is closed, and lets the next one start. */
  remove(request: Request): void {
    const { waitingBodies, scheduler } = this.connection.context;
    if (this.#waiting.delete(request)) {
      waitingBodies.leave(request);
      this.#countWaiting();
      this.#countIfClosed(request);
    } else if (this.#inFlight.delete(request)) {
      this.#idleSinceMs = performance.now();
      if (this.#waiting.size > 0) scheduler.add(this.#step, this.connection.flow);
    }
  }

  /** Ends the requests that wait, because the waiting requests of all connections need too much memory. */
  refuse(): void {
    const waiting = [...this.#waiting];
    // All together: requests that are left meanwhile would count as too many again.
    this.#waiting.clear();
    this.#countWaiting();
    for (const request of waiting) {
      this.connection.context.waitingBodies.leave(request);
      request.refuse();
    }
  }

  #countWaiting(): void {
    const { size } = this.#waiting;
    const waiting = size - (size % waitingStep);
    if (waiting === this.#countedWaiting) return;
    this.#countedWaiting = waiting;
    const { waitingRequests } = this.connection.context;
    if (waiting === 0) waitingRequests.leave(this);
    else waitingRequests.hold(this, this.connection.holder, waiting);
  }

  #begin(request: Request): void {
    // A bound may have refused it.
    if (request.isClosed) return;
    this.#inFlight.add(request);
    request.startedMs = performance.now();
    this.connection.hasStarted = true;
    this.#start(request);
  }

  /** Returns whether a request was closed before it started, and counts it, unless a bound has counted it already. */
  #countIfClosed({ isClosed, isRefused }: Request): boolean {
    if (isClosed && !isRefused) this.connection.context.onClosed('reset_stream');
    return isClosed;
  }

  #isFull(): boolean {
    const { client, bufferedBytes, context } = this.connection;
    const { maxConcurrentStreams, maxRequestsInFlight, maxConnectionSendBufferBytes } = context.bounds;
    // The streams of a trusted proxy are the requests of many clients.
    if (client.trusted) return this.#inFlight.size >= maxConcurrentStreams;
    return this.#inFlight.size >= maxRequestsInFlight || bufferedBytes >= maxConnectionSendBufferBytes;
  }

  readonly #step = (): boolean => {
    for (const next of this.#waiting) {
      if (this.#isFull()) return false;
      this.#waiting.delete(next);
      this.#countWaiting();
      this.connection.context.waitingBodies.leave(next);
      if (this.#countIfClosed(next)) continue;
      this.#begin(next);
      return this.#waiting.size > 0;
    }
    return false;
  };
}
