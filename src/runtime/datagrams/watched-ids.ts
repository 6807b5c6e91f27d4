/** The ids for which requests wait: only queries for names with these ids leave the thread for datagrams, and only a bounded number. */
import type { IdQuery } from '../../core/name-server.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import type { QueryMessage, WaitMessage } from '../../edges/node/name-server.ts';

interface Watched {
  /** The thread that serves the request. */
  readonly thread: number;
  readonly addresses: Set<string>;
  queries: number;
  isTruncated: boolean;
}

export class WatchedIds {
  readonly #ids = new Map<string, Watched>();
  /** Ids whose threads have not been told of a limit. */
  readonly #unlimited = new Set<string>();
  readonly #bounds: Bounds;
  readonly #send: (thread: number, message: QueryMessage) => void;

  constructor(bounds: Bounds, send: (thread: number, message: QueryMessage) => void) {
    this.#bounds = bounds;
    this.#send = send;
  }

  get count(): number {
    return this.#ids.size;
  }

  /** Handles a message of a thread that serves. */
  receive(thread: number, message: WaitMessage): void {
    if (message.kind === 'watch') {
      this.#ids.set(message.id, { thread, addresses: new Set(), queries: 0, isTruncated: false });
      this.#unlimited.add(message.id);
      this.#send(thread, { kind: 'watching', id: message.id });
    } else if (message.kind === 'unwatch') this.#delete(message.id);
    // After the sockets, which the event loop reads in the same phase as this message.
    else if (message.kind === 'confirm') setImmediate(() => this.#send(thread, { kind: 'confirmed', id: message.id }));
    // The previous thread with this number has ended, with its requests.
    else for (const [id, watched] of this.#ids) if (watched.thread === thread) this.#delete(id);
  }

  #delete(id: string): void {
    this.#ids.delete(id);
    this.#unlimited.delete(id);
  }

  isWatched(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Reports to each request that waits, once, that a query has no whole response: it may have been one with its id. */
  limit(): void {
    for (const id of this.#unlimited) {
      const thread = this.#ids.get(id)?.thread;
      if (thread !== undefined) this.#send(thread, { kind: 'limited', id });
    }
    this.#unlimited.clear();
  }

  /** Passes a query on to the thread that waits for it; reports once that there are too many. */
  observe(id: string, query: IdQuery): void {
    const watched = this.#ids.get(id);
    if (watched === undefined) return;
    const { maxResolvers, maxIdQueries } = this.#bounds;
    const { thread, addresses } = watched;
    const isOneTooMany = !addresses.has(query.address) && addresses.size === maxResolvers;
    if (watched.queries === maxIdQueries || isOneTooMany) {
      if (!watched.isTruncated) this.#send(thread, { kind: 'truncated', id });
      watched.isTruncated = true;
      return;
    }
    addresses.add(query.address);
    watched.queries += 1;
    this.#send(thread, { kind: 'query', id, query });
  }
}
