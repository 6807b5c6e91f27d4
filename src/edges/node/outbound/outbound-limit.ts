/** The limit on concurrent outbound requests of all threads: lookups that hang must not exhaust sockets and memory. */
import type { OutboundFailure, OutboundRequest, OutboundResult } from '../../../core/platform.ts';
import type { SharedCounts } from '../limits/shared-counts.ts';
import type { Outbound } from './outbound.ts';

export interface OutboundLimit extends Pick<Outbound, 'fetch' | 'fetchPublic'> {
  /** Requests of this thread in progress. */
  active(): number;
}

const key = 'outbound';
const overloaded = { failure: 'overloaded' } as const;

/** Above `max` a request fails with `overloaded`, unsent. 0: no limit. `report` receives every failure. */
export function limitOutbound(
  { fetch, fetchPublic }: Pick<Outbound, 'fetch' | 'fetchPublic'>,
  { max, totals }: { readonly max: number; readonly totals: SharedCounts },
  report: (failure: OutboundFailure) => void,
): OutboundLimit {
  let active = 0;
  const count = async (send: () => Promise<OutboundResult>): Promise<OutboundResult> => {
    active += 1;
    try {
      return await send();
    } finally {
      active -= 1;
      totals.remove(key);
    }
  };
  const limited =
    (send: Outbound['fetch']) =>
    async (request: OutboundRequest): Promise<OutboundResult> => {
      const result = totals.add(key, max) ? await count(() => send(request)) : overloaded;
      if ('failure' in result) report(result.failure);
      return result;
    };
  return { fetch: limited(fetch), fetchPublic: limited(fetchPublic), active: () => active };
}
