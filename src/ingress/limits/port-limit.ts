/** The limit on the connections of one port: new connections replace others that have no request and whose client holds most. */
import type { Socket } from 'node:net';
import type { ClosingReason, IngressBounds } from '../bounds.ts';
import type { Holder } from './identity.ts';
import { NetworkShare, type PortName, type SharePeers } from './network-share.ts';
import { Pool } from './pool.ts';

/** The members of a connection that the limit uses. */
interface LimitedConnection {
  readonly socket: Pick<Socket, 'destroyed' | 'destroy'>;
  /** Null for a trusted proxy, whose connections are never replaced. */
  readonly holder: Holder | null;
  /** Requests that have begun. */
  readonly begun: number;
  /** Whether it counts as one without a request. Set by the limit, so that the end of a request costs nothing else. */
  isReplaceable: boolean;
  /** Null before the end of the handshake. */
  readonly protocol: { readonly hasRequest: boolean; drain(): void } | null;
}

/** `open`: all open connections; `retiring`: open connections whose clients were told to send no more requests (GOAWAY). */
export type CountedState = 'open' | 'retiring';

/** The same port in the other threads of the process. */
export interface PortPeers extends SharePeers {
  readonly threads: number;
  /** Counts a connection of this thread. */
  add(port: PortName, state: CountedState): void;
  remove(port: PortName, state: CountedState): void;
  /** The connections of all threads. */
  count(port: PortName, state: CountedState): number;
  /** Counts connections of this thread that may be replaced: more by `change`. */
  countReplaceable(port: PortName, change: number): void;
  /** Asks the thread that has most of them to replace one; false if none has any. */
  ask(port: PortName, isNow: boolean): boolean;
  /** Calls `replace` when another thread asks. */
  onAsk(port: PortName, replace: (isNow: boolean) => void): void;
}

interface PortOptions {
  readonly name: PortName;
  /** 0: no limit. */
  readonly max: number;
  readonly bounds: IngressBounds;
  /** Null in a process with one thread. */
  readonly peers: PortPeers | null;
  readonly scheduler: {
    /** Does work later, when its flow has a turn. */
    defer(work: () => void, flow: unknown): void;
  };
  onClosed(reason: ClosingReason): void;
}

/**
 * While a port has no more open connections, nothing is to be replaced, and who holds them is not counted: that would take 35 µs of a visit
 * that comes alone.
 */
const uncountedConnections = 64;

export class PortLimit {
  readonly #options: PortOptions;
  /** Connections that may be closed for a new one: none of a trusted proxy, and none that ends after its requests in progress. */
  readonly #pool: Pool<LimitedConnection>;
  /** All admitted connections while they are few, in the order in which they came; none of them is in `#pool`. */
  readonly #uncounted = new Set<LimitedConnection>();
  readonly #maxUncounted: number;
  /** Requests that had begun on a connection when it was last looked at. */
  readonly #seen = new WeakMap<LimitedConnection, number>();
  /** Connections whose clients were told to send no more requests, with the time of that (`performance.now`). */
  readonly #retiring = new Map<LimitedConnection, number>();
  /** Retiring connections that are to be closed when their client has a turn. */
  readonly #retired = new Set<LimitedConnection>();
  readonly #share: NetworkShare;
  #open = 0;
  /** The replaceable connections that other threads know of. */
  #counted = 0;

  constructor(options: PortOptions) {
    const { name, max, bounds, peers } = options;
    this.#options = options;
    const maxOfNetwork = Math.ceil((max * bounds.networkShare) / (peers?.threads ?? 1));
    const pool = new Pool<LimitedConnection>({
      // When room is needed depends on the connections of all threads: `enter`.
      capacity: 0,
      maxOfNetwork,
      clientsOfNetwork: bounds.clientsOfNetwork,
      stateOf: this.#stateOf,
      evict() {},
    });
    this.#pool = pool;
    // Other threads may ask this one to replace some at any time.
    this.#maxUncounted = peers === null ? Math.min(uncountedConnections, maxOfNetwork, max * bounds.crowdedShare) : 0;
    this.#share = new NetworkShare({
      name,
      maxOfNetwork,
      pool,
      peers,
      retire: () => this.#close(this.#take(null, true), false),
    });
    peers?.onAsk(name, (isNow) => void this.#replace(null, isNow));
  }

  /** Whether connections of some networks are not welcome. */
  get isSelective(): boolean {
    return this.#share.isEnforced;
  }

  /** Whether a connection of a network may come, before it costs anything. */
  isWelcome(network: string): boolean {
    return this.#share.admitNewcomer(network);
  }

  /** Counts a socket that has been accepted. Whether it may stay is decided by `enter`, when its client is known. */
  add(): void {
    const { name, peers } = this.#options;
    this.#open += 1;
    peers?.add(name, 'open');
  }

  /** Undoes `add`, when the socket has closed. */
  remove(): void {
    const { name, peers } = this.#options;
    this.#open -= 1;
    peers?.remove(name, 'open');
  }

  /** Makes room for a connection that is admitted; false if all others have requests. */
  enter(connection: LimitedConnection): boolean {
    const { name, max, bounds, peers } = this.#options;
    if (max === 0 || this.#letUncounted(connection)) return true;
    const { holder } = connection;
    if (holder !== null) this.#add(connection);
    const open = peers?.count(name, 'open') ?? this.#open;
    const crowd = max * bounds.crowdedShare;
    const isLarge = holder !== null && this.#share.isExceededBy(holder.network);
    if (open > crowd && !isLarge && this.#share.isExceeded) this.#share.enforce();
    // Immediately: clients that connect again would otherwise have the retiring connections besides.
    if (this.#share.isEnforced && isLarge && this.#close(this.#take(connection, true), true)) return true;
    if (open <= crowd) return true;
    if (open > max) return this.#replaceAnywhere(connection, true);
    const staying = open - (peers?.count(name, 'retiring') ?? this.#retiring.size);
    if (staying > crowd) this.#replaceAnywhere(connection, false);
    // Twice, so that their number falls again, and few have to be closed without notice.
    if (staying > (max + crowd) / 2) this.#replaceAnywhere(connection, false);
    return true;
  }

  /** Lets a connection stay without counting its holder; false if too many are open, and then counts the holders of all. */
  #letUncounted(connection: LimitedConnection): boolean {
    if (this.#open <= this.#maxUncounted && this.#pool.size === 0) {
      this.#uncounted.add(connection);
      // So that the ends of its requests do not count it.
      connection.isReplaceable = true;
      return true;
    }
    for (const each of this.#uncounted) if (each.holder !== null) this.#add(each);
    this.#uncounted.clear();
    return false;
  }

  /** Call it when the socket of a connection has closed. */
  forget(connection: LimitedConnection): void {
    if (this.#uncounted.delete(connection)) return;
    this.#pool.leave(connection);
    this.#countSince();
    if (this.#retiring.delete(connection)) this.#options.peers?.remove(this.#options.name, 'retiring');
  }

  /** Counts a connection again whose request has ended. */
  release(connection: LimitedConnection): void {
    if (connection.holder === null || connection.socket.destroyed || this.#retiring.has(connection)) return;
    this.#add(connection);
  }

  /** Closes retiring connections whose clients had time to see that no more requests are wanted, in steps; called regularly. */
  sweep(nowMs: number): void {
    const { bounds, scheduler } = this.#options;
    this.#share.sweep();
    // Their clients may have stopped reading.
    this.#pool.sweep();
    this.#countSince();
    for (const [connection, sinceMs] of this.#retiring) {
      if (nowMs - sinceMs < bounds.closeGraceMs) return;
      if (this.#retired.has(connection) || connection.protocol?.hasRequest) continue;
      this.#retired.add(connection);
      scheduler.defer(() => {
        this.#retired.delete(connection);
        if (!connection.protocol?.hasRequest) connection.socket.destroy();
      }, connection.holder?.prefix);
    }
  }

  #add(connection: LimitedConnection): void {
    connection.isReplaceable = true;
    this.#pool.add(connection, connection.holder);
    this.#countSince();
  }

  #countSince(): void {
    const { idle } = this.#pool;
    if (idle !== this.#counted) this.#options.peers?.countReplaceable(this.#options.name, idle - this.#counted);
    this.#counted = idle;
  }

  #replaceAnywhere(newcomer: LimitedConnection, isNow: boolean): boolean {
    const { name, peers } = this.#options;
    return this.#replace(newcomer, isNow) || peers?.ask(name, isNow) === true;
  }

  /** Closes one connection, now or as a server does that drains; false if there is none besides `newcomer`. */
  #replace(newcomer: LimitedConnection | null, isNow: boolean): boolean {
    const victim = (isNow ? this.#takeRetiring() : null) ?? this.#take(newcomer);
    return this.#close(victim, isNow);
  }

  #close(victim: LimitedConnection | null, isNow: boolean): boolean {
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

  /** Takes a connection of the largest holder. `isForShare`: only if its network holds more than its share. */
  #take(newcomer: LimitedConnection | null, isForShare = false): LimitedConnection | null {
    const victim = this.#pool.take(newcomer, () => !isForShare || this.#share.isExceeded);
    if (victim !== null) victim.isReplaceable = false;
    this.#countSince();
    return victim;
  }

  /** What requests change is noticed only when a connection is to be replaced; each request causes one more look at its connection. */
  readonly #stateOf = (connection: LimitedConnection): 'idle' | 'used' | 'busy' => {
    const { begun, protocol } = connection;
    if (protocol?.hasRequest) {
      connection.isReplaceable = false;
      return 'busy';
    }
    if (begun === (this.#seen.get(connection) ?? 0)) return 'idle';
    this.#seen.set(connection, begun);
    return 'used';
  };
}
