/** Requests of this thread that wait for DNS queries with their ids, which another thread receives. */
import { ServiceError } from '../../core/errors.ts';
import { overloadSeconds } from '../../core/limits.ts';
import { announceMs, type IdQueries, type IdQuery, type NameServer } from '../../core/name-server.ts';
import type { Bounds } from './limits/bounds.ts';
import { type ConcurrencyCounts, keyFor, limitConcurrent } from './limits/concurrent.ts';

/**
 * A message from a serving thread. `hello`: the thread has started, so none of its requests waits yet. `confirm`: for some time, the request
 * has got no further query, which means something only if all queries that have arrived are read.
 */
export type WaitMessage =
  | { readonly kind: 'hello' }
  | { readonly kind: 'watch' | 'unwatch' | 'confirm'; readonly id: string };

/** A message to a serving thread. */
export type QueryMessage =
  /** `started`: the DNS server receives queries, and watches no id yet; also the response to `hello`. `ended`: it receives none. */
  | { readonly kind: 'started' | 'ended' }
  /** `watching`: queries with the id are passed on from now on. `confirmed`: those that had arrived before the request for it have been. */
  | { readonly kind: 'watching' | 'confirmed'; readonly id: string }
  | { readonly kind: 'query'; readonly id: string; readonly query: IdQuery }
  /** `truncated`: further queries with the id exceed a bound. `limited`: queries of the request may be missing. */
  | { readonly kind: 'truncated' | 'limited'; readonly id: string };

interface NameServerOptions {
  readonly bounds: Bounds;
  readonly counts: ConcurrencyCounts;
  /** Milliseconds of a clock that is never set back; by default, the one of the process. */
  readonly now?: () => number;
  /** Whether another process has taken over the port, and gets the queries. */
  isReplaced(): boolean;
  send(message: WaitMessage): void;
}

/** No request has it. */
export const rehearsalId = '';

const unavailable = (reason: string): ServiceError =>
  new ServiceError('overloaded', `${reason}; try again in ${overloadSeconds} seconds.`);

export function createNameServer(options: NameServerOptions) {
  const { bounds, counts, now = () => performance.now(), isReplaced, send } = options;
  const waiting = new Map<string, Wait>();
  let isListening = false;
  const begin = limitConcurrent(counts, {
    of: 'waiting',
    max: bounds.maxResolverRequests,
    perClient: bounds.maxAddressResolverRequests,
    perNetwork: bounds.maxNetworkResolverRequests,
  });
  const nameServer: NameServer = {
    async observe({ id, names, client, onDisconnect }) {
      if (!isListening || isReplaced()) throw unavailable('The DNS server is starting or stopping');
      const end = begin(client);
      if (end === null) throw unavailable('Too many requests are waiting for DNS queries');
      // The id is counted in the table of clients, as a hash, so that no two threads have requests with one id.
      const idKey = keyFor('id', counts.identify(id).key);
      try {
        if (!counts.clients.add(idKey, 1)) throw new ServiceError('id_in_use');
        const wait = new Wait(names, { bounds, now, confirm: () => send({ kind: 'confirm', id }) });
        waiting.set(id, wait);
        send({ kind: 'watch', id });
        onDisconnect(wait.end);
        const found = await wait.ended;
        waiting.delete(id);
        send({ kind: 'unwatch', id });
        counts.clients.remove(idKey);
        if (!wait.isWatched) throw unavailable('The DNS server does not respond');
        return found;
      } finally {
        end();
      }
    },
  };
  send({ kind: 'hello' });
  return {
    nameServer,
    receive(message: QueryMessage): void {
      if (message.kind === 'query') waiting.get(message.id)?.add(message.query);
      else if (message.kind === 'truncated') waiting.get(message.id)?.truncate();
      else if (message.kind === 'limited') waiting.get(message.id)?.noteLimit();
      else if (message.kind === 'watching') waiting.get(message.id)?.begin();
      else if (message.kind === 'confirmed') waiting.get(message.id)?.endIfSilent();
      else isListening = message.kind === 'started';
      // The code for the first message of both threads takes many times as long as for later ones, and a query may arrive meanwhile.
      if (message.kind === 'started') for (const kind of ['watch', 'unwatch'] as const) send({ kind, id: rehearsalId });
      if (message.kind === 'ended') for (const wait of waiting.values()) wait.abort();
    },
  };
}

interface WaitServices {
  readonly bounds: Bounds;
  now(): number;
  /** Requests that `endIfSilent` is called when the queries that have arrived are passed on. */
  confirm(): void;
}

class Wait {
  readonly ended: Promise<IdQueries>;
  readonly #names: number;
  readonly #services: WaitServices;
  readonly #startedMs: number;
  readonly #queries: IdQuery[] = [];
  readonly #numbers = new Set<number>();
  readonly #resolve: (found: IdQueries) => void;
  readonly #deadline: NodeJS.Timeout;
  /** Restarts with each query. */
  #silence: NodeJS.Timeout | undefined;
  #isTruncated = false;
  #isLimited = false;
  /** Whether queries may have arrived that the thread for datagrams is too busy to read. */
  #isUnconfirmed = false;
  #isWatched = false;

  constructor(names: number, services: WaitServices) {
    const { promise, resolve } = Promise.withResolvers<IdQueries>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#names = names;
    this.#services = services;
    this.#startedMs = services.now();
    this.#deadline = setTimeout(this.end, services.bounds.maxWaitMs);
  }

  /** Whether all queries have been passed on. Otherwise, what is missing may have arrived. */
  get isWatched(): boolean {
    return this.#isWatched;
  }

  begin(): void {
    this.#isWatched = true;
    // Queries may have come before. If it was this thread that was busy, it has probably read the request too late, as well.
    if (this.#services.now() - this.#startedMs > announceMs) this.noteLimit();
    this.#awaitSilence(this.#services.bounds.noQueryMs);
  }

  #awaitSilence(ms: number): void {
    clearTimeout(this.#silence);
    this.#isUnconfirmed = false;
    this.#silence = setTimeout(() => {
      this.#isUnconfirmed = true;
      this.#services.confirm();
    }, ms);
  }

  /** All queries that had arrived when this was requested have been passed on. */
  endIfSilent(): void {
    if (!this.#isUnconfirmed) return;
    this.#isUnconfirmed = false;
    this.end();
  }

  abort(): void {
    this.#isWatched = false;
    this.end();
  }

  add(query: IdQuery): void {
    const { noQueryMs, lastQueryMs } = this.#services.bounds;
    this.#queries.push(query);
    this.#numbers.add(query.number);
    this.#awaitSilence(this.#numbers.size < this.#names ? noQueryMs : lastQueryMs);
  }

  truncate(): void {
    this.#isTruncated = true;
  }

  noteLimit(): void {
    this.#isLimited = true;
  }

  readonly end = (): void => {
    clearTimeout(this.#deadline);
    clearTimeout(this.#silence);
    this.#resolve({
      queries: this.#queries,
      isTruncated: this.#isTruncated,
      isLimited: this.#isLimited || this.#isUnconfirmed,
    });
  };
}
