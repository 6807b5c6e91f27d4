/** The tables of all limits by key, in memory that all threads share. */
import { limitsOf, mapRates, type RateName, type RateSettings } from '../../../core/limits.ts';
import type { Settings } from '../../../core/settings.ts';
import type { Bounds } from './bounds.ts';
import { createRateWindows, type RateWindows, windowValues } from './rate-windows.ts';
import { createSharedCounts, type SharedCounts } from './shared-counts.ts';
import { allocateTable } from './shared-table.ts';
import { createTokenBuckets, type TokenBuckets } from './token-buckets.ts';

/** A table for clients, and one for IPv6 networks (/48), whose limit is larger. */
interface Pair<Table> {
  readonly client: Table;
  readonly network: Table;
}

/** One thread's view of the tables. */
export interface LimitTables {
  readonly rates: Readonly<Record<RateName, Pair<RateWindows>>>;
  readonly connectionRate: Pair<TokenBuckets>;
  /** Open connections of each client and network. */
  readonly connections: SharedCounts;
  /** Open connections of each port, and outbound requests: a few keys, so that none is ever evicted. */
  readonly totals: SharedCounts;
  /** Removes the keys that have expired from one of the tables, each in turn: all together would take 10 ms. */
  prune(nowMs: number): void;
  /** Removes what a thread had open, and unlocks what it had locked, when it has ended. */
  removeThread(thread: number): void;
}

export type LimitSettings = RateSettings & Pick<Settings, 'connectionRate'>;

/** Thread number of the supervisor: after the workers'. */
export const supervisorOf = ({ threads }: LimitMemory): number => threads + 1;

/** Memory of the tables, to be passed to each thread. */
export type LimitMemory = ReturnType<typeof allocateLimits>;

export function allocateLimits({ maxRateKeys, maxConnectionKeys }: Bounds, threads: number) {
  const pair = (valuesPerKey: number): Pair<SharedArrayBuffer> => ({
    client: allocateTable(maxRateKeys, valuesPerKey),
    network: allocateTable(maxRateKeys, valuesPerKey),
  });
  return {
    threads,
    rates: mapRates(() => pair(windowValues)),
    connectionRate: pair(0),
    connections: allocateTable(maxConnectionKeys, threads),
    totals: allocateTable(1, threads),
  };
}

/** Values that one thread needs to open the tables. Its number is from 1 to `threads`, or the supervisor's. */
interface ThreadOptions {
  readonly settings: LimitSettings;
  readonly bounds: Bounds;
  readonly thread: number;
}

export function openLimits(memory: LimitMemory, { settings, bounds, thread }: ThreadOptions): LimitTables {
  const { networkBudget, connectionBurstSeconds } = bounds;
  const limits = limitsOf(settings);
  const windows = (name: RateName): Pair<RateWindows> => ({
    client: createRateWindows(memory.rates[name].client, limits[name], thread),
    network: createRateWindows(memory.rates[name].network, limits[name] * networkBudget, thread),
  });
  const buckets = (buffer: SharedArrayBuffer, budget: number): TokenBuckets => {
    const perSecond = settings.connectionRate * budget;
    return createTokenBuckets(buffer, { perSecond, burst: perSecond * connectionBurstSeconds }, thread);
  };
  const rates = mapRates(windows);
  const connectionRate = {
    client: buckets(memory.connectionRate.client, 1),
    network: buckets(memory.connectionRate.network, networkBudget),
  };
  const connections = createSharedCounts(memory.connections, memory.threads, thread);
  const totals = createSharedCounts(memory.totals, memory.threads, thread);
  const pairs = [...Object.values(rates), connectionRate];
  const rateTables = pairs.flatMap(({ client, network }) => [client.table, network.table]);
  let prunings = 0;
  return {
    rates,
    connectionRate,
    connections,
    totals,
    prune(nowMs) {
      rateTables[prunings % rateTables.length]?.prune(nowMs);
      prunings += 1;
    },
    removeThread(ended) {
      for (const table of [...rateTables, connections.table, totals.table]) table.unlockThread(ended);
      for (const counts of [connections, totals]) counts.removeThread(ended);
    },
  };
}
