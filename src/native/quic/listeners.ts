/** OpenSSL's QUIC listeners of one socket: decides when they and their connections do their work. */
import type { RemoteInfo } from 'node:dgram';
import * as constants from './data/openssl-constants.ts';
import { initializeMessage, Listener } from './listener.ts';
import { openSsl } from './openssl.ts';

/** OpenSSL visits every connection of a listener (5 µs) whenever one of them receives something. Each takes 16 KB from its first use on. */
const listenerCount = 256;

/** A connection, as its listener sees it. */
interface Served {
  readonly listener: Listener;
  /** The client's address. */
  readonly ip: string;
  serve(): void;
}

/** The listeners of a server. They handle events, and connections are served, once in each iteration of the event loop, and on time. */
export class Listeners {
  /** By the hash of a sender. */
  readonly #all = new Map<number, Listener>();
  readonly #context: bigint;
  /** Where OpenSSL sends: the UDP socket. */
  readonly #output: bigint;
  readonly #due = new Set<Listener>();
  /** By address. */
  readonly #awake = new Map<string, Set<Served>>();
  readonly #iterationMs: number;
  #isScheduled = false;
  #hasEnded = false;
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  /** `context` is OpenSSL's, and `fd` the descriptor of the UDP socket; `iterationMs` is for connections in an iteration. */
  constructor(context: bigint, { fd, iterationMs }: { readonly fd: number; readonly iterationMs: number }) {
    this.#context = context;
    this.#iterationMs = iterationMs;
    initializeMessage();
    this.#output = openSsl.BIO_new_dgram(fd, constants.leaveOpen);
  }

  /** Returns the listener of a sender, always the same: the tokens of a listener are invalid for another one. */
  of({ address, port }: RemoteInfo): Listener {
    let hash = port;
    for (let at = 0; at < address.length; at += 1) hash = (hash * 31 + address.charCodeAt(at)) | 0;
    return this.#all.getOrInsertComputed((hash >>> 0) % listenerCount, () => new Listener(this.#context, this.#output));
  }

  /** Passes a datagram to a listener, and ticks it. */
  inject(listener: Listener, bytes: Uint8Array, sender: RemoteInfo): void {
    if (listener.inject(bytes, sender)) listener.tick();
    // Again after that tick, because only this sets the timer.
    this.tick(listener);
  }

  /** Ticks a listener after the events of this iteration. */
  tick(listener: Listener): void {
    this.#due.add(listener);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.#hasEnded) this.#run();
    });
  }

  /** Serves a connection after its listener's tick, too. */
  wake(connection: Served): void {
    this.#awake.getOrInsertComputed(connection.ip, () => new Set()).add(connection);
    this.tick(connection.listener);
  }

  /** Ticks for the last time. */
  end(): void {
    this.#tickDue();
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  /** Frees them, after their connections. */
  free(): void {
    for (const listener of this.#all.values()) listener.free();
    openSsl.BIO_free(this.#output);
  }

  #run(): void {
    this.#tickDue();
    // One that wakes itself, or another, is served in the next iteration.
    const awake = new Map(this.#awake);
    this.#awake.clear();
    this.#serve(awake);
    this.#tickDue();
    this.#setTimer();
  }

  /** Serves connections, those of each address in turn; what time does not permit, in the next iteration. */
  #serve(awake: Map<string, Set<Served>>): void {
    const endMs = performance.now() + this.#iterationMs;
    while (awake.size > 0)
      for (const [ip, connections] of awake) {
        const [next] = connections;
        if (next === undefined) awake.delete(ip);
        else if (performance.now() < endMs) {
          connections.delete(next);
          next.serve();
        } else {
          for (const each of connections) this.wake(each);
          awake.delete(ip);
        }
      }
  }

  #tickDue(): void {
    for (const listener of this.#due) listener.tick();
    this.#due.clear();
  }

  #setTimer(): void {
    const nextMs = Math.min(...this.#all.values().map(({ deadlineMs }) => deadlineMs));
    if (nextMs === this.#timerMs) return;
    this.#timerMs = nextMs;
    clearTimeout(this.#timer);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    const onTime = (): void => {
      this.#timerMs = Number.POSITIVE_INFINITY;
      const nowMs = performance.now();
      for (const listener of this.#all.values()) if (listener.deadlineMs <= nowMs) this.#due.add(listener);
      this.#run();
    };
    this.#timer = setTimeout(onTime, Math.ceil(Math.max(0, nextMs - performance.now())));
  }
}
