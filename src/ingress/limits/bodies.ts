/** Reads the bodies of requests, and bounds the memory of all of them. */
import type { Readable } from 'node:stream';
import type { ClosingReason, IngressBounds } from '../bounds.ts';
import type { Holder } from './identity.ts';
import { Pool } from './pool.ts';

/** Smallest allocation for a body: a client that declares much and sends little takes no more. */
const firstBytes = 1_024;

/** A body that is to be read. */
interface ExpectedBody {
  readonly declaredBytes: number;
  readonly maxBytes: number;
  /** Null for a trusted proxy. */
  readonly holder: Holder | null;
}

/** Reasons why a body is not handed out: its own size, the memory for the bodies of all requests, or the time it takes. */
export type BodyProblem = 'too_large' | 'overloaded' | 'request_timeout';

/** Unit in which the memory for bodies is compared, in bytes. */
const bodyUnit = 1_024;

/** The memory for the bodies of all requests that have no response yet. */
export class Bodies {
  readonly #bounds: IngressBounds;
  readonly #onClosed: (reason: ClosingReason) => void;
  /** Members are bodies that are still arriving: each is the function that rejects it. */
  readonly #pool: Pool<() => void>;

  constructor(bounds: IngressBounds, onClosed: (reason: ClosingReason) => void) {
    const { maxBodyBytes: capacity, clientsOfNetwork } = bounds;
    this.#bounds = bounds;
    this.#onClosed = onClosed;
    this.#pool = new Pool({ capacity, unit: bodyUnit, clientsOfNetwork, evict: (reject) => reject() });
  }

  /**
   * Counts a body that has arrived completely; returns whether there is memory for it. Its holder competes with the holders of bodies that are
   * still arriving, as in `read`. If it returns true, `remove` must follow at the end of the request.
   */
  add(bytes: number, holder: Holder | null): boolean {
    if (this.#pool.reserve(bytes)) return true;
    const body = (): void => {};
    const hasRoom = this.#pool.enter(body, holder, bytes);
    if (hasRoom) this.#pool.keep(body);
    else this.#onClosed('body_bytes');
    return hasRoom;
  }

  remove(bytes: number): void {
    this.#pool.free(bytes);
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
    const { bodyTimeoutMs, discardTimeoutMs, maxDiscardedBytes } = this.#bounds;
    const { promise, resolve } = Promise.withResolvers<Uint8Array | BodyProblem>();
    // One buffer that grows: thousands of small chunks would take many times their bytes. `transfer` frees it immediately; V8 would do so
    // late, because bodies often live long enough for the old generation.
    let buffer = new Uint8Array(0);
    let bytes = 0;
    let problem: 'too_large' | 'overloaded' | null = declaredBytes > maxBytes ? 'too_large' : null;
    let isSettled = false;
    const free = (): void => {
      buffer = new Uint8Array(buffer.buffer.transfer(0));
    };
    const settle = (): void => {
      if (isSettled) return;
      isSettled = true;
      // Nothing of it is freed before the end of the request.
      this.#pool.keep(reject);
      clearTimeout(timer);
      resolve(problem ?? (source.readableEnded ? buffer.subarray(0, bytes) : 'request_timeout'));
    };
    const discard = (reason: 'too_large' | 'overloaded'): void => {
      problem = reason;
      this.#pool.leave(reject);
      free();
      clearTimeout(timer);
      timer = setTimeout(settle, discardTimeoutMs);
    };
    const reject = (): void => {
      this.#onClosed('body_bytes');
      discard('overloaded');
    };
    const makeRoom = (): void => {
      const size = Math.min(maxBytes, Math.max(bytes, 2 * buffer.length, firstBytes));
      this.#pool.hold(reject, holder, size);
      // Complete bodies do not give way, so it may be this one that did.
      if (problem === null) buffer = new Uint8Array(buffer.buffer.transfer(size));
    };
    let timer = setTimeout(settle, problem === null ? bodyTimeoutMs : discardTimeoutMs);
    onEnd(() => {
      // A response that ended before the body: what still arrives is not stored.
      if (!isSettled) discard('too_large');
      else {
        this.#pool.free(buffer.length);
        free();
      }
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
