/** The process-wide limit on concurrent outbound requests: lookups that hang must not exhaust sockets and memory. */
import type { OutboundFailure, OutboundRequest, OutboundResult } from '../../../core/platform.ts';
import type { Outbound } from './outbound.ts';

export interface OutboundLimit extends Pick<Outbound, 'fetch' | 'fetchPublic'> {
  /** Requests in progress. */
  active(): number;
}

const overloaded = { failure: 'overloaded' } as const;

/** Above `max` a request fails with `overloaded`, unsent. 0: no limit. `report` receives every failure. */
export function limitOutbound(
  { fetch, fetchPublic }: Pick<Outbound, 'fetch' | 'fetchPublic'>,
  max: number,
  report: (failure: OutboundFailure) => void,
): OutboundLimit {
  let active = 0;
  const count = async (send: () => Promise<OutboundResult>): Promise<OutboundResult> => {
    active += 1;
    try {
      return await send();
    } finally {
      active -= 1;
    }
  };
  const limited =
    (send: Outbound['fetch']) =>
    async (request: OutboundRequest): Promise<OutboundResult> => {
      const result = max > 0 && active >= max ? overloaded : await count(() => send(request));
      if ('failure' in result) report(result.failure);
      return result;
    };
  return { fetch: limited(fetch), fetchPublic: limited(fetchPublic), active: () => active };
}
