/** Decides when the QUIC listeners of one socket and their connections do their work. */
import type { RemoteInfo } from 'node:dgram';
import * as constants from './data/openssl-constants.ts';
import { DatagramQueue } from './datagram-queue.ts';
import { initializeMessage, type Listener } from './listener.ts';
import { ListenerSet } from './listener-set.ts';
import { openSsl } from './openssl.ts';
import type { Packet } from './packets.ts';

/**
 * After this many datagrams in one iteration, the next ones are read before any is handled: libuv reads no more than 32, and those of everybody
 * else would wait in the kernel behind a flood.
 */
const manyArrivals = 16;
/** Datagrams that are read before some are handled: 7 µs each. */
const maxArrivals = 1_024;
/** Numbers of datagrams and of connections after which the time is checked. */
const datagramsInTurn = 32;
const connectionsInTurn = 8;

/** A datagram that has arrived. */
export interface Datagram {
  readonly bytes: Buffer;
  /** Its first packet. */
  readonly packet: Packet;
  readonly sender: RemoteInfo;
}

interface ListenersOptions {
  /** Descriptor of the UDP socket. */
  readonly fd: number;
  readonly bounds: {
    /** Time in an iteration for reading, for datagrams, and for connections. */
    readonly iterationMs: number;
    /** Datagrams that wait. */
    readonly maxWaitingDatagrams: number;
  };
  /** Passes a datagram to its connection, or to a new one. */
  handle(datagram: Datagram): void;
}

/** A connection, as its listener sees it. */
interface Served {
  readonly listener: Listener;
  /** The client's address. */
  readonly ip: string;
  serve(): void;
}

/** The listeners of a server. They handle events, and connections are served, once in each iteration of the event loop, and on time. */
export class Listeners {
  readonly set: ListenerSet;
  /** The UDP socket to which OpenSSL sends. */
  readonly #output: bigint;
  readonly #due = new Set<Listener>();
  /** Connections and listeners with work to do, by client address. */
  readonly #awake = new Map<string, Set<Served>>();
  readonly #waiting: DatagramQueue<Datagram>;
  readonly #options: ListenersOptions;
  /** Datagrams that have arrived in this iteration, and in those before in which none was handled. */
  #arrivals = 0;
  #earlierArrivals = 0;
  #isScheduled = false;
  #hasEnded = false;
  /** The earliest deadline of a listener, or an earlier time; and the time of the timer. */
  #nextMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  /** `context` is OpenSSL's. */
  constructor(context: bigint, options: ListenersOptions) {
    this.#options = options;
    this.#waiting = new DatagramQueue(options.bounds.maxWaitingDatagrams);
    initializeMessage();
    this.#output = openSsl.BIO_new_dgram(options.fd, constants.leaveOpen);
    this.set = new ListenerSet(context, this.#output);
  }

  /** Takes a datagram of a client with this address, which is handled in its turn. */
  receive(ip: string, datagram: Datagram): void {
    this.#arrivals += 1;
    this.#waiting.push(ip, datagram);
    this.#schedule();
  }

  /** Makes the next datagrams of an address wait for this many turns of the others. */
  charge(ip: string, turns: number): void {
    this.#waiting.charge(ip, turns);
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
    this.#schedule();
  }

  /** Serves a connection after its listener's tick, too. */
  wake(connection: Served): void {
    this.#awake.getOrInsertComputed(connection.ip, () => new Set()).add(connection);
    this.tick(connection.listener);
  }

  /** Frees what bursts of connections have left. Called regularly. */
  freeIdle(nowMs: number): void {
    for (const listener of this.set.freeIdle(nowMs)) this.#due.delete(listener);
  }

  /** Ticks for the last time. */
  end(): void {
    this.#tickDue();
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  /** Frees them, after their connections. */
  free(): void {
    for (const listener of this.set.all) listener.free();
    openSsl.BIO_free(this.#output);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.#hasEnded) this.#run();
    });
  }

  #run(): void {
    const isReading = this.#arrivals >= manyArrivals && this.#earlierArrivals < maxArrivals;
    this.#earlierArrivals = isReading ? this.#earlierArrivals + this.#arrivals : 0;
    this.#arrivals = 0;
    if (isReading) {
      this.#schedule();
      return;
    }
    const { iterationMs } = this.#options.bounds;
    this.#handleWaiting(performance.now() + iterationMs);
    // One that wakes itself, or another, is served in the next iteration.
    const awake = new Map(this.#awake);
    this.#awake.clear();
    this.#serve(awake, performance.now() + iterationMs);
    this.#tickDue();
    this.#setTimer();
    if (this.#waiting.size > 0) this.#schedule();
  }

  /** Handles the datagrams that wait, those of each address in turn; what time does not permit, in the next iteration. */
  #handleWaiting(endMs: number): void {
    let next: Datagram | null = null;
    do {
      let handled = 0;
      for (
        next = this.#waiting.shift();
        next !== null;
        next = handled < datagramsInTurn ? this.#waiting.shift() : null
      ) {
        this.#options.handle(next);
        handled += 1;
      }
      this.#tickDue();
    } while (this.#waiting.size > 0 && performance.now() < endMs);
  }

  /** Serves connections, those of each address in turn; what time does not permit, in the next iteration. */
  #serve(awake: Map<string, Set<Served>>, endMs: number): void {
    let hasTime = true;
    let served = 0;
    while (awake.size > 0)
      for (const [ip, connections] of awake) {
        const [next] = connections;
        if (next === undefined) awake.delete(ip);
        else if (hasTime) {
          connections.delete(next);
          next.serve();
          // It may have asked for credit.
          this.#nextMs = Math.min(this.#nextMs, next.listener.deadlineMs);
          served += 1;
          if (served % connectionsInTurn > 0) continue;
          // What they send takes time, too.
          this.#tickDue();
          hasTime = performance.now() < endMs;
        } else {
          for (const each of connections) this.wake(each);
          awake.delete(ip);
        }
      }
  }

  #tickDue(): void {
    for (const listener of this.#due) {
      listener.tick();
      this.#nextMs = Math.min(this.#nextMs, listener.deadlineMs);
    }
    this.#due.clear();
  }

  /** Deadlines usually become later before they are reached: the timer then finds nothing due, and takes the next one. */
  #setTimer(): void {
    if (this.#nextMs >= this.#timerMs) return;
    this.#timerMs = this.#nextMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTime, Math.ceil(Math.max(0, this.#nextMs - performance.now())));
  }

  readonly #onTime = (): void => {
    this.#timerMs = Number.POSITIVE_INFINITY;
    this.#nextMs = Number.POSITIVE_INFINITY;
    const nowMs = performance.now();
    for (const listener of this.set.all)
      if (listener.deadlineMs <= nowMs) this.#due.add(listener);
      else this.#nextMs = Math.min(this.#nextMs, listener.deadlineMs);
    // It runs even if none is due, because a timer may be early: the run sets the next timer.
    this.#schedule();
  };
}
