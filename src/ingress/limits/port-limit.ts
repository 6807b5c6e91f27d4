/** The limit on the connections of one port: new ones take the place of those without a request whose client holds most. */
import type { Socket } from 'node:net';
import type { ClosingReason, IngressBounds } from '../bounds.ts';
import { Holdings, type Path } from './holdings.ts';

/** What the limit needs to know of a connection. */
export interface LimitedConnection {
  readonly socket: Pick<Socket, 'destroyed' | 'destroy' | 'once'>;
  /** Network, client and perhaps address; null for a trusted proxy, whose connections are never replaced. */
  readonly holder: Path | null;
  /** Requests that have begun. */
  readonly begun: number;
  /** Whether it counts as one without a request. Set by the limit, so that the end of a request costs nothing else. */
  isReplaceable: boolean;
  /** Null before the end of the handshake. */
  readonly protocol: { readonly hasRequest: boolean; drain(): void } | null;
}

/** All open connections; those of them that are asked to send no more requests. */
export type CountedState = 'open' | 'retiring';

/** The same port in the other threads of the process. */
export interface PortPeers {
  readonly threads: number;
  /** Counts a connection of this thread. */
  add(port: string, state: CountedState): void;
  remove(port: string, state: CountedState): void;
  /** The connections of all threads. */
  count(port: string, state: CountedState): number;
  /** Counts connections of this thread that may be replaced: more by `change`. */
  countReplaceable(port: string, change: number): void;
  /** Asks the thread that has most of them to replace one; false if none has any. */
  ask(port: string, isNow: boolean): boolean;
  /** Calls `replace` when another thread asks. */
  onAsk(port: string, replace: (isNow: boolean) => void): void;
}

export interface PortOptions {
  readonly name: string;
  /** 0: no limit. */
  readonly max: number;
  readonly bounds: IngressBounds;
  /** Null in a process with one thread. */
  readonly peers: PortPeers | null;
  onClosed(reason: ClosingReason): void;
}

/** Connections of a network above its part that are replaced in one event-loop iteration. */
const maxReplacedPerIteration = 32;

export class PortLimit {
  readonly #options: PortOptions;
  /** Connections that have no complete request, as far as known; `#take` makes sure. */
  readonly #replaceable: Holdings<LimitedConnection>;
  /** Requests that had begun on a connection when it was last looked at. */
  readonly #seen = new WeakMap<LimitedConnection, number>();
  /** Connections that are asked to send no more requests, and when they were (`performance.now`). */
  readonly #retiring = new Map<LimitedConnection, number>();
  #open = 0;
  #isTrimming = false;

  constructor(options: PortOptions) {
    this.#options = options;
    this.#replaceable = new Holdings(options.bounds.clientsOfNetwork);
    options.peers?.onAsk(options.name, (isNow) => void this.#replace(null, isNow));
  }

  /** Counts a socket until it closes. Whether it may stay is decided by `enter`, when its client is known. */
  add(socket: LimitedConnection['socket']): void {
    const { name, peers } = this.#options;
    this.#open += 1;
    peers?.add(name, 'open');
    socket.once('close', () => {
      this.#open -= 1;
      peers?.remove(name, 'open');
    });
  }

  /** Makes room for a connection that is admitted; false if all others have requests. */
  enter(connection: LimitedConnection): boolean {
    const { name, max, bounds, peers } = this.#options;
    if (max === 0) return true;
    const { holder, socket } = connection;
    if (holder !== null) {
      this.#add(connection);
      socket.once('close', () => this.#forget(connection));
    }
    const open = peers?.count(name, 'open') ?? this.#open;
    const crowd = max * bounds.crowdedShare;
    if (open <= crowd) return true;
    this.#trim(holder);
    if (open > max) return this.#replaceAnywhere(connection, true);
    const staying = open - (peers?.count(name, 'retiring') ?? this.#retiring.size);
    if (staying > crowd) this.#replaceAnywhere(connection, false);
    // Twice, so that their number falls again, and few have to be closed without notice.
    if (staying > (max + crowd) / 2) this.#replaceAnywhere(connection, false);
    return true;
  }

  /** Counts a connection again whose request has ended. */
  release(connection: LimitedConnection): void {
    if (connection.holder === null || connection.socket.destroyed || this.#retiring.has(connection)) return;
    this.#add(connection);
  }

  /** Closes those whose client had time to see that no more requests are wanted; called regularly. */
  check(nowMs: number): void {
    for (const [connection, sinceMs] of this.#retiring) {
      if (nowMs - sinceMs < this.#options.bounds.closeGraceMs) return;
      if (!connection.protocol?.hasRequest) connection.socket.destroy();
    }
  }

  #add(connection: LimitedConnection): void {
    connection.isReplaceable = true;
    this.#recount(() => this.#replaceable.set(connection, connection.holder as Path, 1));
  }

  #delete(connection: LimitedConnection): void {
    connection.isReplaceable = false;
    this.#recount(() => this.#replaceable.delete(connection));
  }

  #forget(connection: LimitedConnection): void {
    this.#delete(connection);
    if (this.#retiring.delete(connection)) this.#options.peers?.remove(this.#options.name, 'retiring');
  }

  #recount(change: () => void): void {
    const before = this.#replaceable.size;
    change();
    const { name, peers } = this.#options;
    peers?.countReplaceable(name, this.#replaceable.size - before);
  }

  #replaceAnywhere(newcomer: LimitedConnection, isNow: boolean): boolean {
    const { name, peers } = this.#options;
    return this.#replace(newcomer, isNow) || peers?.ask(name, isNow) === true;
  }

  /** Closes one connection, now or as a server does that drains; false if there is none besides `newcomer`. */
  #replace(newcomer: LimitedConnection | null, isNow: boolean): boolean {
    const victim = (isNow ? this.#takeRetiring() : null) ?? this.#take(newcomer);
    if (victim === null) return false;
    const { name, peers, onClosed } = this.#options;
    onClosed('replaced');
    if (isNow || victim.protocol === null) victim.socket.destroy();
    else {
      if (!this.#retiring.has(victim)) peers?.add(name, 'retiring');
      this.#retiring.set(victim, performance.now());
      victim.protocol.drain();
    }
    return true;
  }

  #takeRetiring(): LimitedConnection | null {
    for (const [connection, sinceMs] of this.#retiring) {
      if (!connection.protocol?.hasRequest && !connection.socket.destroyed) return connection;
      // At its end, so that the next call does not look at it again first.
      this.#retiring.delete(connection);
      this.#retiring.set(connection, sinceMs);
      return null;
    }
    return null;
  }

  /**
   * Takes the least recently used connection of the largest holder. What requests change is noticed only here, so that a request costs
   * nothing: each makes one connection be looked at once more.
   */
  #take(newcomer: LimitedConnection | null): LimitedConnection | null {
    for (;;) {
      const next = this.#replaceable.largest(this.#maxOfNetwork);
      if (next === null || next === newcomer) return null;
      const { begun, protocol } = next;
      if (protocol?.hasRequest) this.#delete(next);
      else if (begun !== (this.#seen.get(next) ?? 0)) {
        this.#seen.set(next, begun);
        this.#replaceable.touch(next);
      } else {
        this.#delete(next);
        return next;
      }
    }
  }

  get #maxOfNetwork(): number {
    const { max, bounds, peers } = this.#options;
    return Math.ceil((max * bounds.networkShare) / (peers?.threads ?? 1));
  }

  /** Reduces the largest network to its part, if a connection of another one asks for a place. */
  #trim(holder: LimitedConnection['holder']): void {
    const replaceable = this.#replaceable;
    if (this.#isTrimming || replaceable.largestNetwork <= this.#maxOfNetwork) return;
    if (holder !== null && replaceable.amountOf(holder[0]) === replaceable.largestNetwork) return;
    this.#isTrimming = true;
    const replaceSome = (): void => {
      for (let replaced = 0; replaced < maxReplacedPerIteration; replaced += 1) {
        this.#isTrimming = replaceable.largestNetwork > this.#maxOfNetwork && this.#replace(null, false);
        if (!this.#isTrimming) return;
      }
      setImmediate(replaceSome);
    };
    setImmediate(replaceSome);
  }
}
