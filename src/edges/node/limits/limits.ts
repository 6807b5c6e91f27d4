/** Limits by client: the tables in memory that all threads share, and the functions that count requests and connections. */
import { randomUUID } from 'node:crypto';
import { documentMegabytes, limitsOf, mapRates, type RateName, type RateSettings } from '../../../core/limits.ts';
import type { RejectionReason } from '../../../core/metrics.ts';
import { unlimited } from '../../../core/platform.ts';
import type { Settings } from '../../../core/settings.ts';
import type { Identity } from '../../../ingress/limits/identity.ts';
import type { Key } from '../../../ingress/limits/sip-hash.ts';
import type { Bounds } from './bounds.ts';
import {
  addToAll,
  createOpenCounts,
  createRateWindows,
  createTokenBuckets,
  type OpenDecision,
  type RateWindows,
  windowValues,
} from './counters.ts';
import { allocateReplaceable, createPortPeers } from './port-peers.ts';
import { allocateTable, monotonicMs } from './shared-table.ts';

/** A table for clients, and one for IPv6 networks (/48), whose limit is larger. */
type Pair<Table> = Readonly<Record<'client' | 'network', Table>>;

const pairOf = <Table>(create: (of: keyof Pair<Table>) => Table): Pair<Table> => ({
  client: create('client'),
  network: create('network'),
});

/** Consumes from the table of a client and, over IPv6, from that of its network; from neither if one of them has nothing left. */
function consumeFrom<Table>(
  { client, network }: Pair<Table>,
  identity: Identity,
  { consume, refund }: { consume(table: Table, key: Key): boolean; refund(table: Table, key: Key): void },
): boolean {
  if (!consume(client, identity.key)) return false;
  if (!identity.isIpv6 || consume(network, identity.networkKey)) return true;
  refund(client, identity.key);
  return false;
}

/** Does the same to both tables. */
function forBoth<Table>({ client, network }: Pair<Table>, identity: Identity, run: (table: Table, key: Key) => void) {
  run(client, identity.key);
  if (identity.isIpv6) run(network, identity.networkKey);
}

/** Thread number of the supervisor: after the workers'. */
export const supervisorOf = ({ threads }: SharedMemory): number => threads + 1;

/** Memory that all threads share, with the tables of the limits; passed to each thread. */
export type SharedMemory = ReturnType<typeof allocateSharedMemory>;

export function allocateSharedMemory({ maxRateKeys, maxConnectionKeys }: Bounds, threads: number) {
  const pair = (valuesPerKey: number) => pairOf(() => allocateTable(maxRateKeys, valuesPerKey));
  return {
    threads,
    rates: mapRates(() => pair(windowValues)),
    documents: pair(windowValues),
    connectionRate: pair(0),
    connections: allocateTable(maxConnectionKeys, threads),
    totals: allocateTable(1, threads),
    replaceable: allocateReplaceable(threads),
    /** Name of the channel between the threads. */
    channelName: randomUUID(),
  };
}

/** Values that one thread needs to open the tables. Its number is from 1 to `threads`, or the supervisor's. */
interface ThreadOptions {
  readonly settings: RateSettings & Pick<Settings, 'connectionRate'>;
  readonly bounds: Bounds;
  readonly thread: number;
}

/** One thread's view of the tables. */
type LimitTables = ReturnType<typeof openLimits>;

export function openLimits(memory: SharedMemory, { settings, bounds, thread }: ThreadOptions) {
  const budgets: Pair<number> = { client: 1, network: bounds.networkBudget };
  const limits = limitsOf(settings);
  const rates = mapRates((name) =>
    pairOf((of) => createRateWindows(memory.rates[name][of], limits[name] * budgets[of], thread)),
  );
  const { rateLimitDocuments = documentMegabytes } = settings;
  const documents = pairOf((of) =>
    createRateWindows(memory.documents[of], rateLimitDocuments * unitsPerMegabyte * budgets[of], thread),
  );
  const connectionRate = pairOf((of) => {
    const perSecond = settings.connectionRate * budgets[of];
    const burst = perSecond * bounds.connectionBurstSeconds;
    return createTokenBuckets(memory.connectionRate[of], { perSecond, burst }, thread);
  });
  const connections = createOpenCounts(memory.connections, memory.threads, thread);
  const totals = createOpenCounts(memory.totals, memory.threads, thread);
  const { threads, channelName, replaceable } = memory;
  const hasPeers = threads > 1 && thread <= threads;
  const pairs = [...Object.values(rates), documents, connectionRate];
  const rateTables = pairs.flatMap(({ client, network }) => [client.table, network.table]);
  let prunings = 0;
  return {
    rates,
    documents,
    connectionRate,
    /** Connections, outbound requests and waiting requests of each client and network, and the ids for which requests wait. */
    connections,
    /**
     * The numbers of open connections and of retiring ones, by port, of outbound requests, and of requests that wait for DNS queries. These are
     * six keys, fewer than the table has places, so none is ever evicted.
     */
    totals,
    /** Null in a process with one thread, and for the supervisor. */
    peers: hasPeers ? createPortPeers({ channelName, replaceable, totals, threads, thread }) : null,
    /** Removes the keys that have expired from one of the tables, the next one in each call: all together would take 10 ms. */
    prune(nowMs: number): void {
      rateTables[prunings % rateTables.length]?.prune(nowMs);
      prunings += 1;
    },
    /** Removes what a thread had open, and unlocks what it had locked, when it has ended. */
    removeThread(ended: number): void {
      for (const table of [...rateTables, connections.table, totals.table]) table.unlockThread(ended);
      for (const counts of [connections, totals]) counts.removeThread(ended);
    },
  };
}

export type Limiter = ReturnType<typeof createLimiter>;

export function createLimiter({ rates: windows }: Pick<LimitTables, 'rates'>, now = monotonicMs) {
  /** Undoes a successful `limit` with the same arguments. */
  const refund = (rates: readonly RateName[], client: Identity): void => {
    for (const rate of rates) forBoth(windows[rate], client, (window, key) => window.refund(key));
  };
  const limit = (rates: readonly RateName[], client: Identity): OpenDecision => {
    const nowMs = now();
    const decision: OpenDecision = { ...unlimited };
    const consuming = {
      consume: (window: RateWindows, key: Key) => window.consume(key, nowMs, decision),
      refund: (window: RateWindows, key: Key) => window.refund(key),
    };
    const exhausted = rates.findIndex((rate) => !consumeFrom(windows[rate], client, consuming));
    if (exhausted > 0) refund(rates.slice(0, exhausted), client);
    return decision;
  };
  /** Returns the rest of a rate on this machine, without counting a request. */
  const left = (rate: RateName, client: Identity): OpenDecision => {
    const nowMs = now();
    const decision: OpenDecision = { ...unlimited };
    forBoth(windows[rate], client, (window, key) => window.read(key, nowMs, decision));
    return decision;
  };
  return { limit, refund, left };
}

/** Bytes of documents are counted in units of 1 KB, because a table has numbers of 32 bits. */
const unitBytes = 1024;
const unitsPerMegabyte = 2 ** 20 / unitBytes;

/** Returns whether a client may get this many bytes of documents, and counts them: the last ones may exceed what is left. */
export function createDocumentLimit({ documents }: Pick<LimitTables, 'documents'>, now = monotonicMs) {
  return (client: Identity, bytes: number): boolean => {
    const nowMs = now();
    const units = Math.ceil(bytes / unitBytes);
    return consumeFrom(documents, client, {
      consume: (window, key) => window.spend(key, nowMs, units),
      refund: (window, key) => window.refund(key, units),
    });
  };
}

/** Returns what counts a new connection of a client until the returned function is called, or why it is rejected. */
export function createAddressLimits(
  { connections, connectionRate }: Pick<LimitTables, 'connections' | 'connectionRate'>,
  maxPerAddress: number,
  networkBudget: number,
) {
  const ofClient = { counts: connections, limit: maxPerAddress };
  const ofNetwork = { counts: connections, limit: maxPerAddress * networkBudget };
  return (client: Identity): (() => void) | RejectionReason => {
    const counter = { ...ofClient, key: client.key };
    const remove = addToAll(client.isIpv6 ? [counter, { ...ofNetwork, key: client.networkKey }] : [counter]);
    if (remove === null) return 'connections_per_address';
    const nowMs = monotonicMs();
    if (consumeFrom(connectionRate, client, { consume: (rate, key) => rate.consume(key, nowMs), refund() {} }))
      return remove;
    remove();
    return 'connection_rate';
  };
}
