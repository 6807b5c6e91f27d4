/** The limit on concurrent outbound requests of all threads: lookups that hang must not exhaust sockets and memory. */

import type { OutboundRequest, Platform } from '../../../core/platform.ts';
import type { HandshakeRequest } from '../../../core/tls/handshakes.ts';
import { type ConcurrencyCounts, limitConcurrent } from '../limits/concurrent.ts';
import type { createHandshakes } from './handshakes.ts';

/** Each client may always have as many requests in progress, however small MAX_OUTBOUND is. */
const minShare = 4;

const overloaded = { failure: 'overloaded' } as const;

interface OutboundLimits extends ConcurrencyCounts {
  /** For all clients; 0: no limit. */
  readonly max: number;
}

interface UnlimitedOutbound extends Pick<Platform, 'fetch' | 'fetchPublic' | 'connectBack'> {
  readonly handshakes: ReturnType<typeof createHandshakes>['handshakes'];
}

/**
 * Above `max` a request fails with `overloaded`, unsent; likewise above a tenth of it for one client, and above a quarter for one network
 * (/24 or /48), so that a few addresses cannot use up the lookups of all. `report` receives every failure.
 */
export function limitOutbound(
  { fetch, fetchPublic, handshakes, connectBack }: UnlimitedOutbound,
  { max, ...counts }: OutboundLimits,
  report: (failure: string) => void,
) {
  let active = 0;
  const share = (part: number): number => (max === 0 ? 0 : Math.max(minShare, Math.floor(max * part)));
  const begin = limitConcurrent(counts, { of: 'outbound', max, perClient: share(1 / 10), perNetwork: share(1 / 4) });
  const runWithinLimit = async <Result extends object>(
    client: string | undefined,
    run: () => Promise<Result>,
  ): Promise<Result | typeof overloaded> => {
    const end = begin(client ?? null);
    active += 1;
    try {
      const result = end === null ? overloaded : await run();
      if ('failure' in result) report(String(result.failure));
      return result;
    } finally {
      active -= 1;
      end?.();
    }
  };
  const limitConnections =
    (connectBack: NonNullable<Platform['connectBack']>): Platform['connectBack'] =>
    (client, port) =>
      runWithinLimit(client.ip ?? undefined, () => connectBack(client, port));
  return {
    fetch: (request: OutboundRequest) => runWithinLimit(request.client, () => fetch(request)),
    fetchPublic: (request: OutboundRequest) => runWithinLimit(request.client, () => fetchPublic(request)),
    // The DNS queries of the lookup count as one request, each handshake as another.
    handshakes: (request: HandshakeRequest) => handshakes(request, (part) => runWithinLimit(request.client, part)),
    connectBack: connectBack && limitConnections(connectBack),
    /** Requests of this thread in progress. */
    active: () => active,
  };
}
