/** Bounds the memory that requests hold before their responses: bodies, requests that wait, and many headers. */
import type { Readable } from 'node:stream';
import type { ClosingReason, IngressBounds } from '../bounds.ts';

/** Smallest allocation for a body: a client that declares much and sends little takes no more. */
const firstBytes = 1_024;

/** Reasons why a body is not handed out: its own size, the memory for the bodies of all requests, or the time it takes. */
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
    // An empty body may have ended before anybody listened.
    if (source.readableEnded || source.destroyed) settle();
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
