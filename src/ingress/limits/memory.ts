/** Bounds the memory that requests hold before their responses: bodies, requests that wait, and many headers. */
import type { Readable } from 'node:stream';
import type { ClosingReason, IngressBounds } from '../bounds.ts';
import { Holdings, type Path } from './holdings.ts';

/** Smallest allocation for a body: a client that declares much and sends little takes no more. */
const firstBytes = 1_024;

/** Requests that wait on a connection are counted in this unit, so that the few of an ordinary one cost nothing. */
export const waitingUnit = 4;

/** Names and values of headers are counted in this unit: what is held is compared in steps, and a request has up to 1,000. */
export const headerPartsUnit = 10;

/** A body that is to be read. */
interface ExpectedBody {
  readonly declaredBytes: number;
  readonly maxBytes: number;
  /** Null for a trusted proxy. */
  readonly holder: Path | null;
}

/** Reasons why a body is not handed out: its own size, the memory for the bodies of all requests, or the time it takes. */
export type BodyProblem = 'too_large' | 'overloaded' | 'request_timeout';

let requests = 0;

/** Groups that each request of a trusted proxy has for itself, because it may be of any client. */
function alone(): Path {
  requests += 1;
  return [`network of request ${requests}`, `request ${requests}`];
}

/** Unit in which the memory for bodies is compared, in bytes. */
const bodyUnit = 1_024;

/** The memory for the bodies of all requests that have no response yet. */
export class BodyMemory {
  readonly #bounds: IngressBounds;
  readonly #onClosed: (reason: ClosingReason) => void;
  #allocatedBytes = 0;
  /** Bodies that are still arriving: each is the function that rejects it. */
  readonly #arriving: Holdings<() => void>;

  constructor(bounds: IngressBounds, onClosed: (reason: ClosingReason) => void) {
    this.#bounds = bounds;
    this.#onClosed = onClosed;
    this.#arriving = new Holdings(bounds.clientsOfNetwork);
  }

  /**
   * Counts a body that has arrived completely; returns whether there is memory for it. Its holder competes with those of the bodies that are
   * still arriving, as in `read`. If it returns true, `remove` must follow at the end of the request.
   */
  add(bytes: number, holder: Path | null): boolean {
    const { maxBodyBytes } = this.#bounds;
    let isRejected = false;
    if (this.#allocatedBytes + bytes > maxBodyBytes) {
      const reject = (): void => {
        this.#onClosed('body_bytes');
        isRejected = true;
      };
      this.#arriving.set(reject, holder ?? alone(), Math.ceil(bytes / bodyUnit));
      while (!isRejected && this.#allocatedBytes + bytes > maxBodyBytes) this.#arriving.largest()?.();
      this.#arriving.delete(reject);
    }
    if (!isRejected) this.#allocatedBytes += bytes;
    return !isRejected;
  }

  remove(bytes: number): void {
    this.#allocatedBytes -= bytes;
  }

  /**
   * Reads a body of at most `maxBytes`; `declaredBytes` is the Content-Length, 0 if the client declares none. A client that is still sending
   * may not read, and closing a socket with unread bytes resets it, so the rest of a larger body is discarded first, up to a bound; beyond
   * it, the connection's own timeout applies.
   *
   * If the bodies of all requests exceed `maxBodyBytes`, those of the `holder` that has the most memory for them are rejected, the oldest
   * first: an attacker has many, or renews them, and an ordinary client does not.
   *
   * `onEnd(release)` registers `release` for the end of the request; it frees the body.
   */
  read(
    source: Readable,
    { declaredBytes, maxBytes, holder }: ExpectedBody,
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
    const path = holder ?? alone();
    const makeRoom = (): void => {
      const size = Math.min(maxBytes, Math.max(bytes, 2 * buffer.length, firstBytes));
      this.#arriving.set(evict, path, Math.ceil(size / bodyUnit));
      while (this.#allocatedBytes + size - buffer.length > maxBodyBytes) {
        this.#arriving.largest()?.();
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

/** A request that may be refused before its response, or those that wait on a connection. */
interface Refusable {
  readonly connection: { readonly holder: Path | null };
  refuse(): void;
}

/**
 * Requests of all connections that hold memory which no reader of a body controls. If they hold too much, those of the largest holder are
 * refused, the oldest first.
 */
export class HeldMemory {
  readonly #max: number;
  readonly #onRefused: () => void;
  readonly #held: Holdings<Refusable>;

  constructor(max: number, clientsOfNetwork: number, onRefused: () => void) {
    this.#max = max;
    this.#onRefused = onRefused;
    this.#held = new Holdings(clientsOfNetwork);
  }

  add(request: Refusable, amount: number): void {
    this.#held.set(request, request.connection.holder ?? alone(), amount);
    for (let next = this.#held.largest(); next !== null && this.#held.total > this.#max; next = this.#held.largest()) {
      this.delete(next);
      this.#onRefused();
      next.refuse();
    }
  }

  delete(request: Refusable): void {
    this.#held.delete(request);
  }
}
