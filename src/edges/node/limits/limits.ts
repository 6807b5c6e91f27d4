/** Limits by address: the keys, the tables in memory that all threads share, and the functions that count requests and connections. */
import { hash, randomUUID } from 'node:crypto';
import { clientNetworkOf } from '../../../core/address.ts';
import { documentMegabytes, limitsOf, mapRates, type RateName, type RateSettings } from '../../../core/limits.ts';
import type { RejectionReason } from '../../../core/metrics.ts';
import { unlimited } from '../../../core/platform.ts';
import type { Settings } from '../../../core/settings.ts';
import type { Bounds } from './bounds.ts';
import {
  createRateWindows,
  createSharedCounts,
  createTokenBuckets,
  type OpenDecision,
  windowValues,
} from './counters.ts';
import { allocateReplaceable, createPortPeers } from './port-peers.ts';
import { allocateTable, monotonicMs } from './shared-table.ts';
import { createSipHash } from './sip-hash.ts';

/**
 * Returns the key that counts an address: a keyed hash, so that no table contains an address. IPv6 addresses of one /64 share it, and the
 * key of the /48 follows. Null is an unknown address.
 */
export type RateKeyOf = (ip: string | null) => string;

/** Of a hash: 6 of its 64 bits in each character. */
const keyLength = 11;

/** Processes and threads that share a secret count together. */
export function createRateKeyOf(secret: string): RateKeyOf {
  const digest = hash('sha256', secret, 'buffer');
  const sipHash = createSipHash([0, 4, 8, 12].map((at) => digest.readInt32LE(at)));
  const hashOf = (text: string): string => {
    const [low, high] = sipHash(text);
    return (
      characterOf(low) +
      characterOf(low >> 6) +
      characterOf(low >> 12) +
      characterOf(low >> 18) +
      characterOf(low >> 24) +
      characterOf((low >>> 30) | (high << 2)) +
      characterOf(high >> 4) +
      characterOf(high >> 10) +
      characterOf(high >> 16) +
      characterOf(high >> 22) +
      characterOf(high >> 28)
    );
  };
  return (ip) => {
    const key = hashOf(ip === null ? '' : clientNetworkOf(ip));
    return ip?.includes(':') ? key + hashOf(clientNetworkOf(ip, 48)) : key;
  };
}

/** One of 64 ASCII characters, by the last bits of a number. */
const characterOf = (bits: number): string => String.fromCharCode(48 + (bits & 63));

/** The groups of an address, the largest first: its network (IPv4: /24, IPv6: /48), and over IPv6 its /64. The last is itself. */
export function networksOf(ip: string): readonly string[] {
  if (ip.includes(':')) return [clientNetworkOf(ip, 48), clientNetworkOf(ip), ip];
  return [`${ip.slice(0, ip.lastIndexOf('.'))}.0/24`, ip];
}

/** Divides a key into that of the client and that of its /48, which is null for IPv4. */
export function keysOf(rateKey: string): { readonly client: string; readonly network: string | null } {
  if (rateKey.length <= keyLength) return { client: rateKey, network: null };
  return { client: rateKey.slice(0, keyLength), network: rateKey.slice(keyLength) };
}

/** A table for clients, and one for IPv6 networks (/48), whose limit is larger. */
type Pair<Table> = Readonly<Record<'client' | 'network', Table>>;

const pairOf = <Table>(create: (of: keyof Pair<Table>) => Table): Pair<Table> => ({
  client: create('client'),
  network: create('network'),
});

/** Thread number of the supervisor: after the workers'. */
export const supervisorOf = ({ threads }: LimitMemory): number => threads + 1;

/** Memory of the tables, to be passed to each thread. */
export type LimitMemory = ReturnType<typeof allocateLimits>;

export function allocateLimits({ maxRateKeys, maxConnectionKeys }: Bounds, threads: number) {
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
    channel: randomUUID(),
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

export function openLimits(memory: LimitMemory, { settings, bounds, thread }: ThreadOptions) {
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
  const connections = createSharedCounts(memory.connections, memory.threads, thread);
  const totals = createSharedCounts(memory.totals, memory.threads, thread);
  const { threads, channel, replaceable } = memory;
  const hasPeers = threads > 1 && thread <= threads;
  const pairs = [...Object.values(rates), documents, connectionRate];
  const rateTables = pairs.flatMap(({ client, network }) => [client.table, network.table]);
  let prunings = 0;
  return {
    rates,
    documents,
    connectionRate,
    /** Connections, outbound requests and waiting requests of each client and network, and the ids of the latter. */
    connections,
    /**
     * The numbers of open connections and of retiring ones, by port, of outbound requests, and of requests that wait for DNS queries. These are
     * eight keys, fewer than the table has places, so none is ever evicted.
     */
    totals,
    /** Null in a process with one thread, and for the supervisor. */
    peers: hasPeers ? createPortPeers({ channel, replaceable, totals, threads, thread }) : null,
    /** Removes the keys that have expired from one of the tables, each in turn: all together would take 10 ms. */
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
  const refund = (rates: readonly RateName[], rateKey: string): void => {
    const { client, network } = keysOf(rateKey);
    for (const rate of rates) {
      windows[rate].client.refund(client);
      if (network !== null) windows[rate].network.refund(network);
    }
  };
  const limit = (rates: readonly RateName[], rateKey: string): OpenDecision => {
    const nowMs = now();
    const { client, network } = keysOf(rateKey);
    const decision: OpenDecision = { ...unlimited };
    const take = (rate: RateName): boolean => {
      if (!windows[rate].client.take(client, nowMs, decision)) return false;
      if (network === null || windows[rate].network.take(network, nowMs, decision)) return true;
      windows[rate].client.refund(client);
      return false;
    };
    const exhausted = rates.findIndex((rate) => !take(rate));
    if (exhausted > 0) refund(rates.slice(0, exhausted), rateKey);
    return decision;
  };
  /** Returns the rest of a rate on this machine, without counting a request. */
  const left = (rate: RateName, rateKey: string): OpenDecision => {
    const nowMs = now();
    const { client, network } = keysOf(rateKey);
    const decision: OpenDecision = { ...unlimited };
    windows[rate].client.read(client, nowMs, decision);
    if (network !== null) windows[rate].network.read(network, nowMs, decision);
    return decision;
  };
  return { limit, refund, left };
}

/** Bytes of documents are counted in units of 1 KB, because a table has numbers of 32 bits. */
const unitBytes = 1024;
const unitsPerMegabyte = 2 ** 20 / unitBytes;

/** Returns whether a client may get this many bytes of documents, and counts them: the last ones may exceed what is left. */
export function createDocumentLimit({ documents }: Pick<LimitTables, 'documents'>, now = monotonicMs) {
  return (rateKey: string, bytes: number): boolean => {
    const { client, network } = keysOf(rateKey);
    const nowMs = now();
    const units = Math.ceil(bytes / unitBytes);
    if (!documents.client.spend(client, nowMs, units)) return false;
    if (network === null || documents.network.spend(network, nowMs, units)) return true;
    documents.client.refund(client, units);
    return false;
  };
}

/** Returns what counts a new connection of an address until the returned function is called, or why it is rejected. */
export function createAddressLimits(
  { connections, connectionRate }: Pick<LimitTables, 'connections' | 'connectionRate'>,
  maxPerAddress: number,
  networkBudget: number,
) {
  const add = (client: string, network: string | null): boolean => {
    if (!connections.add(client, maxPerAddress)) return false;
    if (network === null || connections.add(network, maxPerAddress * networkBudget)) return true;
    connections.remove(client);
    return false;
  };
  return (rateKey: string): (() => void) | RejectionReason => {
    const { client, network } = keysOf(rateKey);
    if (!add(client, network)) return 'connections_per_address';
    const remove = (): void => {
      connections.remove(client);
      if (network !== null) connections.remove(network);
    };
    const nowMs = monotonicMs();
    const { client: clientRate, network: networkRate } = connectionRate;
    if (clientRate.take(client, nowMs) && (network === null || networkRate.take(network, nowMs))) return remove;
    remove();
    return 'connection_rate';
  };
}
