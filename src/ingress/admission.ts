/** Decides for each new connection, before any TLS work, whether the service accepts it. */

import type { Metrics, RejectionReason } from '../core/metrics.ts';
import type { Settings } from '../core/settings.ts';
import type { Bounds } from '../edges/node/limits/bounds.ts';
import type { LimitTables } from '../edges/node/limits/limit-tables.ts';
import { keysOf } from '../edges/node/limits/rate-key.ts';
import { monotonicMs } from '../edges/node/limits/shared-table.ts';
import type { Memory } from '../runtime/memory.ts';
import type { Connection } from './connection.ts';

export type AdmissionSettings = Pick<Settings, 'maxConnectionsPerAddress'>;

export interface Admission {
  /** Accepts and counts a connection until it closes, or closes it without a response. */
  admit(connection: Connection): boolean;
}

/** Trusted proxies have no limits by address, because their connections carry the requests of all clients. */
export function createAdmission(
  { maxConnectionsPerAddress }: AdmissionSettings,
  { networkBudget }: Bounds,
  { connections, connectionRate }: Pick<LimitTables, 'connections' | 'connectionRate'>,
  memory: Memory,
  metrics: Metrics,
): Admission {
  const add = (client: string, network: string | null): boolean => {
    if (!connections.add(client, maxConnectionsPerAddress)) return false;
    if (network === null || connections.add(network, maxConnectionsPerAddress * networkBudget)) return true;
    connections.remove(client);
    return false;
  };
  const remove = (client: string, network: string | null): void => {
    connections.remove(client);
    if (network !== null) connections.remove(network);
  };

  /** Counts the connection if it returns null. */
  const reasonFor = ({ trusted, rateKey, socket }: Connection): RejectionReason | null => {
    if (memory.isFull()) return 'memory';
    if (trusted) return null;
    const { client, network } = keysOf(rateKey);
    if (!add(client, network)) return 'connections_per_address';
    const nowMs = monotonicMs();
    const { client: clientRate, network: networkRate } = connectionRate;
    if (clientRate.take(client, nowMs) && (network === null || networkRate.take(network, nowMs))) {
      socket.once('close', () => remove(client, network));
      return null;
    }
    remove(client, network);
    return 'connection_rate';
  };

  return {
    admit(connection) {
      const reason = reasonFor(connection);
      if (reason === null) return true;
      metrics.countRejection(reason);
      connection.socket.destroy();
      return false;
    },
  };
}
