/** Decides for each new connection, before any TLS work, whether the service accepts it. */
import type { Settings } from '../../../core/settings.ts';
import type { Bounds } from '../limits/bounds.ts';
import type { Memory } from '../limits/memory.ts';
import { keysOf } from '../limits/rate-key.ts';
import { createTokenBuckets } from '../limits/token-buckets.ts';
import type { Metrics, RejectionReason } from '../metrics.ts';
import type { Connection } from './connection.ts';

export type AdmissionSettings = Pick<Settings, 'connectionRate' | 'maxConnectionsPerAddress'>;

export interface Admission {
  /** Accepts and counts a connection until it closes, or closes it without a response. */
  admit(connection: Connection): boolean;
}

/** Trusted proxies have no limits by address, because their connections carry the requests of all clients. */
export function createAdmission(
  { connectionRate, maxConnectionsPerAddress }: AdmissionSettings,
  bounds: Bounds,
  memory: Memory,
  metrics: Metrics,
): Admission {
  const { connectionBurstSeconds, networkBudget, maxRateKeys } = bounds;
  const createRates = (budget: number) =>
    createTokenBuckets(connectionRate * budget, connectionRate * budget * connectionBurstSeconds, maxRateKeys);
  const clientRates = createRates(1);
  const networkRates = createRates(networkBudget);
  const open = new Map<string, number>();
  const isBelow = (key: string, limit: number): boolean => limit === 0 || (open.get(key) ?? 0) < limit;

  const reasonFor = ({ trusted, rateKey }: Connection): RejectionReason | null => {
    if (memory.isFull()) return 'memory';
    if (trusted) return null;
    const { client, network } = keysOf(rateKey);
    if (!isBelow(client, maxConnectionsPerAddress)) return 'connections_per_address';
    if (network !== null && !isBelow(network, maxConnectionsPerAddress * networkBudget))
      return 'connections_per_address';
    const nowMs = performance.now();
    if (!clientRates.take(client, nowMs)) return 'connection_rate';
    return network === null || networkRates.take(network, nowMs) ? null : 'connection_rate';
  };

  const add = (key: string, difference: 1 | -1): void => {
    const count = (open.get(key) ?? 0) + difference;
    if (count === 0) open.delete(key);
    else open.set(key, count);
  };

  return {
    admit(connection) {
      const { socket, rateKey } = connection;
      const reason = reasonFor(connection);
      if (reason !== null) {
        metrics.countRejection(reason);
        socket.destroy();
        return false;
      }
      const { client, network } = keysOf(rateKey);
      const count = (difference: 1 | -1): void => {
        add(client, difference);
        if (network !== null) add(network, difference);
      };
      count(1);
      socket.once('close', () => count(-1));
      return true;
    },
  };
}
