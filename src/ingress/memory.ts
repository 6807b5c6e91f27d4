/** Bounds the memory that requests hold: bodies that arrive, requests that wait, and responses that clients have not read. */
import type { Readable, Writable } from 'node:stream';
import type { ClosingReason, IngressBounds } from './bounds.ts';

/** Smallest allocation for a body: a client that declares much and sends little takes no more. */
const firstBytes = 1_024;

/** Why a body is not handed out: its own size, the memory for the bodies of all requests, or the time it takes. */
export type BodyProblem = 'too_large' | 'overloaded' | 'request_timeout';

/** The memory for the bodies of all requests that have no response yet. */
export class BodyMemory {
  readonly #bounds: IngressBounds;
  readonly #onClosed: (reason: ClosingReason) => void;
  #allocatedBytes = 0;
  // Rejects a body that is still arriving; in the order in which they began.
  readonly #arriving = new Set<() => void>();

  constructor(bounds: IngressBounds, onClosed: (reason: ClosingReason) => void) {
    this.#bounds = bounds;
    this.#onClosed = onClosed;
  }

  /**
   * Reads a body of at most `maxBytes`; `declaredBytes` is the Content-Length, 0 if the client declares none. A client that is still sending
   * may not read, and closing a socket with unread bytes resets it, so the rest of a larger body is discarded first, up to a bound; beyond
   * it, the connection's own timeout applies.
   *
   * If the bodies of all requests exceed `maxBodyBytes`, those that have been arriving for the longest time are rejected, because an attacker
   * holds them and an ordinary client does not.
   *
   * `onEnd(release)` registers `release` for the end of the request; it frees the body.
   */
  read(
    source: Readable,
    { declaredBytes, maxBytes }: { readonly declaredBytes: number; readonly maxBytes: number },
    onEnd: (release: () => void) => void,
  ): Promise<Uint8Array | BodyProblem> {
    const { bodyTimeoutMs, discardTimeoutMs, maxDiscardedBytes, maxBodyBytes } = this.#bounds;
    const { promise, resolve } = Promise.withResolvers<Uint8Array | BodyProblem>();
    // One buffer that grows: thousands of small chunks would take many times their bytes. `transfer` frees it immediately; V8 would do so
    // late, because bodies often live long enough for the old generation.
    let buffer = new Uint8Array(0);
    let bytes = 0;
    let problem: 'too_large' | 'overloaded' | null = declaredBytes > maxBytes ? 'too_large' : null;
    let isSettled = false;
    const allocate = (size: number): void => {
      this.#allocatedBytes += size - buffer.length;
      buffer = new Uint8Array(buffer.buffer.transfer(size));
    };
    const settle = (): void => {
      if (isSettled) return;
      isSettled = true;
      this.#arriving.delete(evict);
      clearTimeout(timer);
      resolve(problem ?? (source.readableEnded ? buffer.subarray(0, bytes) : 'request_timeout'));
    };
    const discard = (reason: 'too_large' | 'overloaded'): void => {
      problem = reason;
      allocate(0);
      this.#arriving.delete(evict);
      clearTimeout(timer);
      timer = setTimeout(settle, discardTimeoutMs);
    };
    const evict = (): void => {
      this.#onClosed('body_bytes');
      discard('overloaded');
    };
    const makeRoom = (): void => {
      const size = Math.min(maxBytes, Math.max(bytes, 2 * buffer.length, firstBytes));
      this.#arriving.add(evict);
      for (const evictOldest of this.#arriving) {
        if (this.#allocatedBytes + size - buffer.length <= maxBodyBytes) break;
        evictOldest();
        // Complete bodies are not evicted, so it may be this one.
        if (problem !== null) return;
      }
      allocate(size);
    };
    let timer = setTimeout(settle, problem === null ? bodyTimeoutMs : discardTimeoutMs);
    onEnd(() => {
      // A response that ended before the body: what still arrives is not stored.
      if (isSettled) allocate(0);
      else discard('too_large');
    });
    source.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // After a timeout, nothing is stored.
      if (isSettled && problem === null) return;
      if (problem === null && bytes > maxBytes) discard('too_large');
      if (problem === null && bytes > buffer.length) makeRoom();
      if (problem === null) buffer.set(chunk, bytes - chunk.length);
      else if (bytes > maxDiscardedBytes) {
        source.pause();
        settle();
      }
    });
    source.once('end', settle).once('close', settle).on('error', settle);
    return promise;
  }
}

/** A request that may be refused before its response. */
interface Refusable {
  refuse(): void;
}

/** Requests of all connections that hold memory which no reader of a body controls; if they hold too much, the oldest ones are refused. */
export class HeldMemory {
  readonly #max: number;
  readonly #onRefused: () => void;
  // In the order of their arrival.
  readonly #held = new Map<Refusable, number>();
  #sum = 0;

  constructor(max: number, onRefused: () => void) {
    this.#max = max;
    this.#onRefused = onRefused;
  }

  add(request: Refusable, amount: number): void {
    this.#held.set(request, amount);
    this.#sum += amount;
    for (const [oldest] of this.#held) {
      if (this.#sum <= this.#max) return;
      this.delete(oldest);
      this.#onRefused();
      oldest.refuse();
    }
  }

  delete(request: Refusable): void {
    this.#sum -= this.#held.get(request) ?? 0;
    this.#held.delete(request);
  }
}

/** A response whose body is being sent. */
export interface Sending {
  readonly connection: { bufferedBytes: number };
  /** The rest of the response: a stream of HTTP/2, or Node's response over HTTP/1, which is no `Writable` by its type only. */
  readonly output: Pick<Writable, 'destroyed'> & {
    write(piece: Uint8Array, done: (error?: Error | null) => void): unknown;
    end(piece: Uint8Array | string): unknown;
  };
  /** Bytes of the body while it is being sent, else 0. */
  bufferedBytes: number;
  /** Time of the latest progress (`performance.now`). */
  progressedMs: number;
  /** Closes the connection, or only this response if the connection carries the requests of several clients. */
  abort(reason: ClosingReason): void;
}

/** Sends large bodies in pieces, bounds the bytes that wait for slow readers, and closes readers without progress. */
export class SendBuffer {
  readonly #bounds: IngressBounds;
  // In the order of their latest progress.
  readonly #sendings = new Set<Sending>();
  #bufferedBytes = 0;

  constructor(bounds: IngressBounds) {
    this.#bounds = bounds;
  }

  /** Writes a body and ends the response; `release` must be called when the response is closed. `bytes` is the body's length. */
  send(sending: Sending, body: string | Uint8Array, bytes: number): void {
    this.#sendings.add(sending);
    sending.bufferedBytes = bytes;
    sending.connection.bufferedBytes += bytes;
    this.#bufferedBytes += bytes;
    sending.progressedMs = performance.now();
    if (bytes <= this.#bounds.stallBytes) sending.output.end(body);
    else this.#sendInPieces(sending, typeof body === 'string' ? Buffer.from(body) : body);
    if (this.#bufferedBytes <= this.#bounds.maxSendBufferBytes) return;
    for (const oldest of this.#sendings) {
      this.#abort(oldest, 'unsent_bytes');
      if (this.#bufferedBytes <= this.#bounds.maxSendBufferBytes) return;
    }
  }

  #sendInPieces(sending: Sending, body: Uint8Array): void {
    const { output } = sending;
    let at = 0;
    const writeNext = (error?: Error | null): void => {
      if (error || output.destroyed) return;
      sending.progressedMs = performance.now();
      if (this.#sendings.delete(sending)) this.#sendings.add(sending);
      const piece = body.subarray(at, at + this.#bounds.stallBytes);
      at += piece.length;
      // The callback of a piece means that the client has accepted it, the only sign of progress over HTTP/2.
      if (at < body.length) output.write(piece, writeNext);
      else output.end(piece);
    };
    writeNext();
  }

  /** Forgets a response that has been sent or closed. */
  release(sending: Sending): void {
    if (!this.#sendings.delete(sending)) return;
    this.#bufferedBytes -= sending.bufferedBytes;
    sending.connection.bufferedBytes -= sending.bufferedBytes;
    sending.bufferedBytes = 0;
  }

  /** Aborts the responses whose readers made no progress in time. */
  closeStalled(nowMs: number): void {
    for (const sending of this.#sendings) {
      if (nowMs - sending.progressedMs < this.#bounds.stallTimeoutMs) return;
      this.#abort(sending, 'stalled_reader');
    }
  }

  #abort(sending: Sending, reason: ClosingReason): void {
    // Release now: 'close' fires later, and until then each new response would abort this one again.
    this.release(sending);
    sending.abort(reason);
  }
}
