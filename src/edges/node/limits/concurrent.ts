/** Limits on what is in progress at the same time in all threads: for one client, one network, and all. */
import type { Identify } from '../../../ingress/limits/identity.ts';
import type { Key } from '../../../ingress/limits/sip-hash.ts';
import { addToAll, type OpenCounts, type Total, totalKeyOf } from './counters.ts';

/** The stores of the counts. */
export interface ConcurrencyCounts {
  /** Counts of all clients together. */
  readonly totals: OpenCounts;
  /** Counts of each client and network: a large table, shared with connections. */
  readonly clients: OpenCounts;
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

/** Makes the key of a client's items in progress differ from the key of its connections, which the same table counts. */
export const keyFor = (of: Total | 'id', { high, low }: Key): Key => ({
  high,
  low: low ^ (of === 'id' ? -1 : totalKeyOf(of).low),
});

/** Returns a function that counts one item of a client, as `addToAll` does; `ip` is null if unknown. */
export const limitConcurrent =
  ({ totals, clients, identify }: ConcurrencyCounts, { of, max, perClient, perNetwork }: ConcurrencyLimits) =>
  (ip: string | null): (() => void) | null => {
    const all = { counts: totals, key: totalKeyOf(of), limit: max };
    if (ip === null) return addToAll([all]);
    const { key, networkKey } = identify(ip);
    return addToAll([
      { counts: clients, key: keyFor(of, key), limit: perClient },
      { counts: clients, key: keyFor(of, networkKey), limit: perNetwork },
      all,
    ]);
  };
