/** Decides when the QUIC listeners of one socket and their connections do their work. */
import type { RemoteInfo } from 'node:dgram';
import { Turns } from '../turns.ts';
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
/** Numbers of datagrams and of connections after which the listeners send. */
const datagramsPerTick = 32;
const connectionsPerTick = 8;
/** Datagrams that take as long as a handshake with X25519: 1.5 ms. */
const handshakeTurns = 16;

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
  /** Its client's network: clients take turns. */
  readonly flow: string;
  serve(): void;
}

/** The listeners of a server. They handle events, and connections are served, once in each iteration of the event loop, and on time. */
export class Listeners {
  readonly set: ListenerSet;
  /** The UDP socket to which OpenSSL sends. */
  readonly #output: bigint;
  readonly #due = new Set<Listener>();
  /** Connections with work to do. */
  readonly #awake = new Turns<Served>();
  readonly #waiting: DatagramQueue<Datagram>;
  readonly #options: ListenersOptions;
  /** Datagrams that have arrived in this iteration, and in those before in which none was handled. */
  #arrivals = 0;
  #earlierArrivals = 0;
  #isScheduled = false;
  #hasEnded = false;
  #timer: NodeJS.Timeout | undefined;
  /** Time of the timer: the earliest deadline, or an earlier time. */
  #timerMs = Number.POSITIVE_INFINITY;

  /** `context` is OpenSSL's. */
  constructor(context: bigint, options: ListenersOptions) {
    this.#options = options;
    this.#waiting = new DatagramQueue(options.bounds.maxWaitingDatagrams, handshakeTurns);
    initializeMessage();
    this.#output = openSsl.BIO_new_dgram(options.fd, constants.leaveOpen);
    this.set = new ListenerSet(context, this.#output);
  }

  /** Takes a datagram of a client, which is handled in its turn. */
  receive(flow: string, datagram: Datagram): void {
    this.#arrivals += 1;
    this.#waiting.add(datagram, flow);
    this.#schedule();
  }

  /** Makes the next datagrams of a client leave turns to the others for a handshake, which costs as much as so many with X25519. */
  chargeHandshake(flow: string, cost: number): void {
    this.#waiting.charge(flow, handshakeTurns * cost);
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
    this.#awake.add(connection, connection.flow);
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
      // What is done in this iteration needs no other one.
      const isDone = this.#hasEnded || this.#run();
      this.#isScheduled = false;
      if (!isDone) this.#schedule();
    });
  }

  /** Returns whether nothing is left for the next iteration. */
  #run(): boolean {
    const isReading = this.#arrivals >= manyArrivals && this.#earlierArrivals < maxArrivals;
    this.#earlierArrivals = isReading ? this.#earlierArrivals + this.#arrivals : 0;
    this.#arrivals = 0;
    if (isReading) return false;
    const { iterationMs } = this.#options.bounds;
    const nowMs = performance.now();
    for (const turns of [this.#waiting, this.#awake]) turns.forgetRecent(nowMs);
    this.#handleWaiting(nowMs + iterationMs);
    this.#serve(performance.now() + iterationMs);
    this.#tickDue();
    this.#setTimer();
    return this.#waiting.size === 0 && this.#awake.size === 0;
  }

  /** Handles the datagrams that wait; what time does not permit, in the next iteration. */
  #handleWaiting(endMs: number): void {
    let hasTime = true;
    while (this.#waiting.size > 0 && hasTime) {
      for (let handled = 0; handled < datagramsPerTick && hasTime; handled += 1) {
        const next = this.#waiting.take();
        if (next === null) break;
        const [datagram] = next;
        this.#options.handle(datagram);
        hasTime = performance.now() < endMs;
      }
      this.#tickDue();
    }
  }

  /** Serves connections, each once; what time does not permit, in the next iteration. */
  #serve(endMs: number): void {
    let hasTime = true;
    // One that wakes itself, or another, is usually served in the next iteration.
    for (let left = this.#awake.size; left > 0 && hasTime; left -= 1) {
      const next = this.#awake.take();
      if (next === null) return;
      const [connection] = next;
      connection.serve();
      // What they send takes time, too.
      if (left % connectionsPerTick === 0) this.#tickDue();
      hasTime = performance.now() < endMs;
    }
  }

  #tickDue(): void {
    for (const listener of this.#due) listener.tick();
    this.#due.clear();
  }

  /** Deadlines usually become later before they are reached: the timer then finds nothing due, and takes the next one. */
  #setTimer(): void {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { deadlineMs } of this.set.all) nextMs = Math.min(nextMs, deadlineMs);
    if (nextMs >= this.#timerMs) return;
    this.#timerMs = nextMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTime, Math.ceil(Math.max(0, nextMs - performance.now())));
  }

  readonly #onTime = (): void => {
    this.#timerMs = Number.POSITIVE_INFINITY;
    const nowMs = performance.now();
    for (const listener of this.set.all) if (listener.deadlineMs <= nowMs) this.#due.add(listener);
    if (this.#due.size > 0) this.#schedule();
    else this.#setTimer();
  };
}
