/** Limits on what is in progress at the same time in all threads: for one client, one network, and all. */
import type { SharedCounts } from './counters.ts';
import { keysOf, type RateKeyOf } from './limits.ts';

/** The stores of the counts. */
export interface ConcurrencyCounts {
  /** Counts of all clients together. */
  readonly totals: SharedCounts;
  /** Counts of each client and network: a large table, shared with connections. */
  readonly clients: SharedCounts;
  readonly rateKeyOf: RateKeyOf;
}

/** 0: no limit. */
interface ConcurrencyLimits {
  /** Key of the total. Its first character stands before those of clients and networks, so that they differ from the keys of connections. */
  readonly key: `${'>' | '?'}${string}`;
  readonly max: number;
  readonly perClient: number;
  /** IPv4: /24, IPv6: /48. */
  readonly perNetwork: number;
}

/** Returns a function that counts one item of a client, and returns what removes it; null, counting nothing, if a limit is reached. */
export function limitConcurrent(
  { totals, clients, rateKeyOf }: ConcurrencyCounts,
  { key, max, perClient, perNetwork }: ConcurrencyLimits,
) {
  const all = { counts: totals, key, limit: max };
  const countersOf = (ip: string | null) => {
    if (ip === null) return [all];
    const { client, network } = keysOf(rateKeyOf(ip));
    const ofNetwork = network ?? rateKeyOf(ip.replace(/\d+$/, '0/24'));
    return [
      { counts: clients, key: key[0] + client, limit: perClient },
      { counts: clients, key: key[0] + ofNetwork, limit: perNetwork },
      all,
    ];
  };
  /** `ip`: null if unknown. */
  return (ip: string | null): (() => void) | null => {
    const counters = countersOf(ip);
    const exhausted = counters.findIndex(({ counts, key: each, limit }) => !counts.add(each, limit));
    const added = exhausted === -1 ? counters : counters.slice(0, exhausted);
    const end = (): void => {
      for (const { counts, key: each } of added) counts.remove(each);
    };
    if (exhausted === -1) return end;
    end();
    return null;
  };
}
