/** Limits on what is in progress at the same time in all threads: for one client, one network, and all. */
import type { Identify } from '../../../ingress/limits/identity.ts';
import type { Key } from '../../../ingress/limits/sip-hash.ts';
import { type SharedCounts, type Total, totalKeyOf } from './counters.ts';

/** The stores of the counts. */
export interface ConcurrencyCounts {
  /** Counts of all clients together. */
  readonly totals: SharedCounts;
  /** Counts of each client and network: a large table, shared with connections. */
  readonly clients: SharedCounts;
  readonly identify: Identify;
}

/** 0: no limit. */
interface ConcurrencyLimits {
  readonly of: Total;
  readonly max: number;
  readonly perClient: number;
  /** IPv4: /24, IPv6: /48. */
  readonly perNetwork: number;
}

/** Makes the keys of what a client has in progress differ from those of its connections, which the same table counts. */
export const keyFor = (of: Total | 'id', { high, low }: Key): Key => ({
  high,
  low: low ^ (of === 'id' ? -1 : totalKeyOf(of).low),
});

/** Returns a function that counts one item of a client, and returns what removes it; null, counting nothing, if a limit is reached. */
export function limitConcurrent(
  { totals, clients, identify }: ConcurrencyCounts,
  { of, max, perClient, perNetwork }: ConcurrencyLimits,
) {
  const all = { counts: totals, key: totalKeyOf(of), limit: max };
  const countersOf = (ip: string | null) => {
    if (ip === null) return [all];
    const { key, networkKey } = identify(ip);
    return [
      { counts: clients, key: keyFor(of, key), limit: perClient },
      { counts: clients, key: keyFor(of, networkKey), limit: perNetwork },
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
