/** Decides for each new connection, before any TLS work, whether the service accepts it. */
import type { Metrics, RejectionReason } from '../../core/metrics.ts';
import type { Settings } from '../../core/settings.ts';
import type { Connection } from '../../ingress/connection.ts';
import { ClientFacts } from './client-facts.ts';
import type { Bounds } from './limits/bounds.ts';
import type { LimitTables } from './limits/limit-tables.ts';
import { keysOf, type RateKeyOf } from './limits/rate-key.ts';
import { monotonicMs } from './limits/shared-table.ts';

export interface AddressLimitParts {
  readonly settings: Pick<Settings, 'maxConnectionsPerAddress'>;
  readonly bounds: Pick<Bounds, 'networkBudget'>;
  readonly limits: Pick<LimitTables, 'connections' | 'connectionRate'>;
}

/** Returns what counts a new connection of an address until the returned function is called, or why it is rejected. */
export function createAddressLimits({
  settings: { maxConnectionsPerAddress },
  bounds: { networkBudget },
  limits: { connections, connectionRate },
}: AddressLimitParts): (rateKey: string) => (() => void) | RejectionReason {
  const add = (client: string, network: string | null): boolean => {
    if (!connections.add(client, maxConnectionsPerAddress)) return false;
    if (network === null || connections.add(network, maxConnectionsPerAddress * networkBudget)) return true;
    connections.remove(client);
    return false;
  };
  return (rateKey) => {
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

export interface AdmissionParts extends AddressLimitParts {
  readonly rateKeyOf: RateKeyOf;
  readonly metrics: Metrics;
  /** Whether the process uses more memory than it may. */
  isMemoryFull(): boolean;
}

/**
 * Returns the decision, which counts an accepted connection until it closes. Trusted proxies have no limits by address, because their
 * connections carry the requests of all clients.
 */
export function createAdmission(parts: AdmissionParts): (connection: Connection) => boolean {
  const { rateKeyOf, metrics, isMemoryFull } = parts;
  const countAddress = createAddressLimits(parts);

  /** Counts the connection if it returns null. */
  const reasonFor = ({ client: { trusted }, socket }: Connection, rateKey: string): RejectionReason | null => {
    if (isMemoryFull()) return 'memory';
    if (trusted) return null;
    const counted = countAddress(rateKey);
    if (typeof counted === 'string') return counted;
    socket.once('close', counted);
    return null;
  };

  return (connection) => {
    const facts = new ClientFacts(rateKeyOf(connection.client.ip));
    connection.facts = facts;
    const reason = reasonFor(connection, facts.rateKey);
    if (reason !== null) metrics.countRejection(reason);
    return reason === null;
  };
}
