/** OpenSSL's QUIC listeners of one socket: selects one for each new connection, and frees them. */
import type { RemoteInfo } from 'node:dgram';
import { Listener } from './listener.ts';

/** Number of listeners that validate addresses, and highest number of those that do not; each takes 16 KB from its first use. */
const listenerCount = 256;
/**
 * Connections of a listener for which no further one is created: OpenSSL visits all of them (5 µs each) whenever one receives something, and
 * a listener that is used anew finds nothing of its memory in the caches.
 */
const fewConnections = 4;
/** Time after which a listener without connections is freed, with its buffers: longer than the tokens of its Retries are valid. */
const idleMs = 15_000;

export class ListenerSet {
  readonly #all = new Set<Listener>();
  /** Listeners by the hash of a sender. */
  readonly #validating = new Map<number, Listener>();
  #notValidating: Listener[] = [];
  readonly #context: bigint;
  readonly #output: bigint;

  /** `context` is OpenSSL's, and `output` is where it sends. */
  constructor(context: bigint, output: bigint) {
    this.#context = context;
    this.#output = output;
  }

  get all(): ReadonlySet<Listener> {
    return this.#all;
  }

  /** Returns the listener that validates the address of a sender, always the same: the tokens of a listener are invalid for another one. */
  validating({ address, port }: RemoteInfo): Listener {
    let hash = port;
    for (let at = 0; at < address.length; at += 1) hash = (hash * 31 + address.charCodeAt(at)) | 0;
    const slot = (hash >>> 0) % listenerCount;
    const known = this.#validating.get(slot);
    if (known !== undefined) return known;
    const listener = this.#create(true);
    this.#validating.set(slot, listener);
    return listener;
  }

  /**
   * Returns a listener for a new connection that does not validate addresses. It must get no token: OpenSSL before 3.5.7 fails
   * (CVE-2026-42764).
   */
  notValidating(): Listener {
    const listeners = this.#notValidating;
    let [least] = listeners;
    for (const listener of listeners) {
      if (listener.connections < fewConnections) return listener;
      if (least === undefined || listener.connections < least.connections) least = listener;
    }
    if (least !== undefined && listeners.length >= listenerCount) return least;
    const created = this.#create(false);
    listeners.push(created);
    return created;
  }

  /** Frees those that have had no connection for some time, but the first one; returns them. */
  freeIdle(nowMs: number): readonly Listener[] {
    const [first] = this.#notValidating;
    const isIdle = (listener: Listener): boolean => listener.connections === 0 && nowMs - listener.usedMs > idleMs;
    const idle = [...this.#all].filter((listener) => listener !== first && isIdle(listener));
    if (idle.length === 0) return idle;
    for (const listener of idle) {
      this.#all.delete(listener);
      listener.free();
    }
    for (const [slot, listener] of this.#validating) if (!this.#all.has(listener)) this.#validating.delete(slot);
    this.#notValidating = this.#notValidating.filter((listener) => this.#all.has(listener));
    return idle;
  }

  #create(validates: boolean): Listener {
    const listener = new Listener(this.#context, this.#output, validates);
    this.#all.add(listener);
    return listener;
  }
}
