/** The tables of all limits by key, in memory that all threads share. */
import { type RateName, windowSeconds } from '../../../core/limits.ts';
import type { Settings } from '../../../core/settings.ts';
import type { Bounds } from './bounds.ts';
import { limitsOf } from './limiter.ts';
import type { RateTable } from './rate-table.ts';
import { countWords, createSharedCounts, type SharedCounts } from './shared-counts.ts';
import { allocateTable, type TableSize } from './shared-table.ts';
import { createSlidingWindow, windowWords } from './sliding-window.ts';
import { createTokenBuckets } from './token-buckets.ts';

/** A rate for clients, and one with a larger budget for IPv6 networks. */
export interface RatePair {
  readonly client: RateTable;
  readonly network: RateTable;
}

/** One thread's view of the tables. */
export interface LimitTables {
  readonly rates: Readonly<Record<RateName, RatePair>>;
  readonly connectionRate: RatePair;
  /** Open connections of each client and network. */
  readonly connections: SharedCounts;
  /** Open connections of each port, and outbound requests: a few keys, so that none is ever discarded. */
  readonly totals: SharedCounts;
  /** Discards what no limit needs any more. */
  prune(nowMs: number): void;
  /** Removes what a thread had open, and frees its locks, when it has ended. */
  removeThread(thread: number): void;
}

/** Memory of the tables, to be passed to each thread. */
export interface LimitMemory {
  readonly threads: number;
  readonly tables: Readonly<Record<TableName, SharedArrayBuffer>>;
}

type TableName = RateName | `${RateName | 'connectionRate'}Network` | 'connectionRate' | 'connections' | 'totals';

const windowMs = windowSeconds * 1000;

/** The supervising thread has the number after those of `threads`. */
export const supervisorOf = ({ threads }: LimitMemory): number => threads + 1;

export function allocateLimits(settings: Settings, bounds: Bounds, threads: number): LimitMemory {
  const { general, lookup, tools } = limitsOf(settings);
  const { maxRateKeys: keys } = bounds;
  const rate = (perWindow: number): TableSize => ({
    keys,
    valueWordsPerKey: isStored(perWindow, bounds) ? windowWords(perWindow) : 0,
  });
  const bucket: TableSize = { keys, valueWordsPerKey: 0 };
  const sizes: Readonly<Record<TableName, TableSize>> = {
    general: rate(general),
    lookup: rate(lookup),
    tools: rate(tools),
    generalNetwork: bucket,
    lookupNetwork: bucket,
    toolsNetwork: bucket,
    connectionRate: bucket,
    connectionRateNetwork: bucket,
    connections: { keys: bounds.maxConnectionKeys, valueWordsPerKey: countWords(threads) },
    totals: { keys: 1, valueWordsPerKey: countWords(threads) },
  };
  const tables = Object.entries(sizes).map(([name, size]) => [name, allocateTable(size)]);
  return { threads, tables: Object.fromEntries(tables) };
}

/** `thread` is from 1 to `threads`, or the supervisor's number. */
export function openLimits(
  { threads, tables: memory }: LimitMemory,
  settings: Settings,
  bounds: Bounds,
  thread: number,
): LimitTables {
  const { connectionRate } = settings;
  const perWindows = limitsOf(settings);
  const { networkBudget, connectionBurstSeconds } = bounds;
  // Exact for a client; the budget of a /48 is too large to keep the time of every request.
  const rate = (name: RateName): RatePair => {
    const perWindow = perWindows[name];
    const bucket = (of: SharedArrayBuffer, budget: number): RateTable =>
      createTokenBuckets(of, (perWindow * budget) / windowSeconds, perWindow * budget, thread);
    return {
      client: isStored(perWindow, bounds)
        ? createSlidingWindow(memory[name], perWindow, windowMs, thread)
        : bucket(memory[name], 1),
      network: bucket(memory[`${name}Network`], networkBudget),
    };
  };
  const connectionBuckets = (of: SharedArrayBuffer, budget: number): RateTable =>
    createTokenBuckets(of, connectionRate * budget, connectionRate * budget * connectionBurstSeconds, thread);
  const rates = {
    general: rate('general'),
    lookup: rate('lookup'),
    tools: rate('tools'),
  };
  const connectionRates: RatePair = {
    client: connectionBuckets(memory.connectionRate, 1),
    network: connectionBuckets(memory.connectionRateNetwork, networkBudget),
  };
  const connections = createSharedCounts(memory.connections, threads, thread);
  const totals = createSharedCounts(memory.totals, threads, thread);
  const rateTables = [...Object.values(rates), connectionRates].flatMap(({ client, network }) => [client, network]);
  return {
    rates,
    connectionRate: connectionRates,
    connections,
    totals,
    prune(nowMs) {
      for (const { table } of rateTables) table.prune(nowMs);
    },
    removeThread(ended) {
      for (const { table } of [...rateTables, connections, totals]) table.releaseLocksOf(ended);
      for (const counts of [connections, totals]) counts.removeThread(ended);
    },
  };
}

/** Whether the time of every event of a client is stored. */
function isStored(perWindow: number, { maxStoredEvents }: Bounds): boolean {
  return perWindow <= maxStoredEvents;
}
