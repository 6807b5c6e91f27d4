/** Limits each network to its share of the connections without a request, once others have needed room. */
import type { Pool } from './pool.ts';

/** Connections of networks above their share that are closed in one event-loop iteration. */
const maxReplacedPerIteration = 32;

/**
 * Connections that a network with its full share may still open in an event-loop iteration, each in place of another of its own, for 0.3 ms. Or
 * clients that connect again and again would fill the queue in which all wait.
 */
const maxNewcomersPerIteration = 4;

export const ports = ['http', 'https'] as const;
export type PortName = (typeof ports)[number];

/** The same port in the other threads of the process. */
export interface SharePeers {
  /** Tells every thread that other clients than the largest holders need room. */
  countShortage(port: PortName): void;
  /** How often that has happened. */
  shortages(port: PortName): number;
}

interface ShareOptions {
  /** The port's name. */
  readonly name: PortName;
  /** Number that one network may hold in this thread. */
  readonly maxOfNetwork: number;
  readonly pool: Pick<Pool<object>, 'unitsOf' | 'largestNetwork'>;
  readonly peers: SharePeers | null;
  /** Asks the client of one of a network above its share to close it; false if there is none. */
  readonly retire: () => boolean;
}

export class NetworkShare {
  readonly #options: ShareOptions;
  /** The shortages of all threads when they were last looked at. */
  #seenShortages = 0;
  #isEnforced = false;
  #isTrimming = false;
  /** New connections in this iteration, by network: only as many networks as can have their full share. */
  readonly #newcomers = new Map<string, number>();

  constructor(options: ShareOptions) {
    this.#options = options;
  }

  /** Whether each network is limited to its share: from a shortage until the largest network holds less than half of its share. */
  get isEnforced(): boolean {
    return this.#isEnforced;
  }

  /** Whether a network holds more than its share. */
  get isExceeded(): boolean {
    return this.#options.pool.largestNetwork > this.#options.maxOfNetwork;
  }

  isExceededBy(network: string): boolean {
    const { pool, maxOfNetwork } = this.#options;
    return pool.unitsOf(network) > maxOfNetwork;
  }

  /** Whether one more connection of a network may come in this iteration: few, if the network has its share. */
  admitNewcomer(network: string): boolean {
    const { pool, maxOfNetwork } = this.#options;
    if (!this.#isEnforced || pool.unitsOf(network) < maxOfNetwork) return true;
    if (this.#newcomers.size === 0) setImmediate(this.#forgetNewcomers);
    const newcomers = (this.#newcomers.get(network) ?? 0) + 1;
    this.#newcomers.set(network, newcomers);
    return newcomers <= maxNewcomersPerIteration;
  }

  readonly #forgetNewcomers = (): void => {
    this.#newcomers.clear();
  };

  /** A client of another network needs room: limits each network to its share from now on, in every thread. */
  enforce(): void {
    const { name, peers } = this.#options;
    peers?.countShortage(name);
    this.#isEnforced = true;
    this.#trim();
  }

  /** Notices the shortages of other threads, and the end of one; called regularly. */
  sweep(): void {
    const { name, peers, pool, maxOfNetwork } = this.#options;
    const shortages = peers?.shortages(name) ?? 0;
    if (shortages !== this.#seenShortages) this.#isEnforced = true;
    else if (pool.largestNetwork < maxOfNetwork / 2) this.#isEnforced = false;
    this.#seenShortages = shortages;
    if (this.#isEnforced) this.#trim();
  }

  /** Reduces each network to its share, some connections in each event-loop iteration. */
  #trim(): void {
    if (this.#isTrimming || !this.isExceeded) return;
    this.#isTrimming = true;
    const replaceSome = (): void => {
      for (let replaced = 0; replaced < maxReplacedPerIteration; replaced += 1) {
        this.#isTrimming = this.#options.retire();
        if (!this.#isTrimming) return;
      }
      setImmediate(replaceSome);
    };
    setImmediate(replaceSome);
  }
}
