/** The limit on concurrent outbound requests of all threads: lookups that hang must not exhaust sockets and memory. */
import type { OutboundFailure, OutboundRequest, OutboundResult, Platform } from '../../../core/platform.ts';
import type { SharedCounts } from '../limits/counters.ts';
import { keysOf, type RateKeyOf } from '../limits/limits.ts';

/** Each client may always have as many requests in progress, however small MAX_OUTBOUND is. */
const minShare = 4;

/** Distinguishes the keys from those of connections. */
const keyPrefix = '>';

interface OutboundLimits {
  /** For all clients; 0: no limit. */
  readonly max: number;
  /** Requests of all clients. */
  readonly totals: SharedCounts;
  /** Requests of each client and network: a large table, shared with connections. */
  readonly clients: SharedCounts;
  readonly rateKeyOf: RateKeyOf;
}

/**
 * Above `max` a request fails with `overloaded`, unsent; likewise above a tenth of it for one client, and above a quarter for one network
 * (/24 or /48), so that a few addresses cannot use up the lookups of all. `report` receives every failure.
 */
export function limitOutbound(
  { fetch, fetchPublic }: Pick<Platform, 'fetch' | 'fetchPublic'>,
  { max, totals, clients, rateKeyOf }: OutboundLimits,
  report: (failure: OutboundFailure) => void,
) {
  let active = 0;
  const share = (part: number): number => (max === 0 ? 0 : Math.max(minShare, Math.floor(max * part)));
  /** Returns the numbers of requests in progress that a request counts against, with their limits. */
  const countersOf = ({ client: ip }: OutboundRequest) => {
    const all = { counts: totals, key: 'outbound', limit: max };
    if (ip === undefined) return [all];
    const { client, network } = keysOf(rateKeyOf(ip));
    return [
      { counts: clients, key: keyPrefix + client, limit: share(1 / 10) },
      { counts: clients, key: keyPrefix + (network ?? rateKeyOf(ip.replace(/\d+$/, '0/24'))), limit: share(1 / 4) },
      all,
    ];
  };
  const limited =
    (send: Platform['fetch']): Platform['fetch'] =>
    async (request) => {
      const counters = countersOf(request);
      const exhausted = counters.findIndex(({ counts, key, limit }) => !counts.add(key, limit));
      const added = exhausted === -1 ? counters : counters.slice(0, exhausted);
      active += 1;
      try {
        const result: OutboundResult = exhausted === -1 ? await send(request) : { failure: 'overloaded' };
        if ('failure' in result) report(result.failure);
        return result;
      } finally {
        active -= 1;
        for (const { counts, key } of added) counts.remove(key);
      }
    };
  return {
    fetch: limited(fetch),
    fetchPublic: limited(fetchPublic),
    /** Requests of this thread in progress. */
    active: () => active,
  };
}
