/** The ids for which requests wait: only queries for names with these ids leave the thread for datagrams, and only a bounded number. */
import type { IdQuery } from '../../core/name-server.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import type { QueryMessage, WaitMessage } from '../../edges/node/name-server.ts';

/** Where requests wait: a thread that serves, or another instance. */
export interface Waiter {
  readonly isInstance?: boolean;
  send(message: QueryMessage): void;
}

interface Watched {
  readonly waiter: Waiter;
  readonly addresses: Set<string>;
  queries: number;
  isTruncated: boolean;
}

export class WatchedIds {
  readonly #ids = new Map<string, Watched>();
  /** Ids whose waiters have not been told of a limit. */
  readonly #unreported = new Set<string>();
  readonly #bounds: Bounds;
  #countLost = (): number => 0;
  /** As last counted. */
  #lost = 0;
  /** Runs while requests wait. */
  #lossChecks: NodeJS.Timeout | undefined;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get count(): number {
    return this.#ids.size;
  }

  /** Whether a request of this process waits. */
  get hasOwn(): boolean {
    return this.#ids.values().some(({ waiter }) => !waiter.isInstance);
  }

  /** `countLost` returns the number of queries that arrived and were never read. While it grows, each request that waits learns of a limit. */
  countLossesBy(countLost: () => number): void {
    this.#countLost = countLost;
    this.#lost = countLost();
  }

  /** Handles a message of a thread that serves, or of another instance. */
  receive(waiter: Waiter, message: WaitMessage): void {
    if (message.kind === 'watch') {
      this.#ids.set(message.id, { waiter, addresses: new Set(), queries: 0, isTruncated: false });
      this.#unreported.add(message.id);
      waiter.send({ kind: 'watching', id: message.id });
      if (this.#lossChecks === undefined) this.#startLossChecks();
    } else if (message.kind === 'unwatch') this.#delete(message.id);
    // After the sockets, which the event loop reads in the same phase as this message.
    else if (message.kind === 'confirm') setImmediate(() => this.#confirm(waiter, message.id));
    // The previous thread with this number has ended, with its requests.
    else for (const [id, watched] of this.#ids) if (watched.waiter === waiter) this.#delete(id);
  }

  #delete(id: string): void {
    this.#ids.delete(id);
    this.#unreported.delete(id);
    if (this.count > 0) return;
    clearInterval(this.#lossChecks);
    this.#lossChecks = undefined;
  }

  /** What was lost before concerns no request. */
  #startLossChecks(): void {
    this.#lost = this.#countLost();
    this.#lossChecks = setInterval(() => this.#checkLosses(), this.#bounds.lostQueriesMs).unref();
  }

  #checkLosses(): void {
    const lost = this.#countLost();
    if (lost > this.#lost) this.reportLimit();
    this.#lost = lost;
  }

  #confirm(waiter: Waiter, id: string): void {
    this.#checkLosses();
    // This instance does not know that the request waits, or watches too many ids.
    if (!this.isWatched(id)) waiter.send({ kind: 'limited', id });
    waiter.send({ kind: 'confirmed', id });
  }

  isWatched(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Reports to each request that waits, once, that a query has no whole response: it may have been one with its id. */
  reportLimit(): void {
    for (const id of this.#unreported) this.#ids.get(id)?.waiter.send({ kind: 'limited', id });
    this.#unreported.clear();
  }

  /** Passes a query on to the request that waits for it; reports once that there are too many. */
  observe(id: string, query: IdQuery): void {
    const watched = this.#ids.get(id);
    if (watched === undefined) return;
    const { maxResolvers, maxIdQueries } = this.#bounds;
    const { waiter, addresses } = watched;
    const isOneTooMany = !addresses.has(query.address) && addresses.size === maxResolvers;
    if (watched.queries === maxIdQueries || isOneTooMany) {
      if (!watched.isTruncated) waiter.send({ kind: 'truncated', id });
      watched.isTruncated = true;
      return;
    }
    addresses.add(query.address);
    watched.queries += 1;
    waiter.send({ kind: 'query', id, query });
  }

  /** Handles a message of another instance for a request of this process. */
  pass(message: QueryMessage): void {
    const waiter = 'id' in message ? this.#ids.get(message.id)?.waiter : undefined;
    if (waiter === undefined || waiter.isInstance) return;
    // The bounds are those of one request, whichever instances its queries reach.
    if (message.kind === 'query') this.observe(message.id, message.query);
    else waiter.send(message);
  }
}
