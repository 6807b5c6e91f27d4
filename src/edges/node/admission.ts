/** Decides, before any TLS work, which connections to serve. */
import type { Metrics, RejectionReason } from '../../core/metrics.ts';
import type { Connection } from '../../ingress/connection.ts';
import type { createAddressLimits } from './limits/limits.ts';
import { ClientFacts } from './observe.ts';

interface AdmissionParts {
  readonly countAddress: ReturnType<typeof createAddressLimits>;
  readonly metrics: Metrics;
  /** Whether the process uses more memory than it may. */
  isMemoryFull(): boolean;
}

/**
 * Returns the decision, which counts an accepted connection until it closes. Trusted proxies have no limits by address, because their
 * connections carry the requests of all clients.
 */
export function createAdmission({ countAddress, metrics, isMemoryFull }: AdmissionParts) {
  /** Counts the connection if it returns null. */
  const reasonFor = (connection: Connection): RejectionReason | null => {
    if (isMemoryFull()) return 'memory';
    // The process that terminates QUIC has counted its connections.
    if (connection.client.trusted || connection.quic !== null) return null;
    const counted = countAddress(connection.identity);
    if (typeof counted === 'string') return counted;
    connection.onClosed = counted;
    return null;
  };

  return (connection: Connection): boolean => {
    connection.facts = new ClientFacts();
    const reason = reasonFor(connection);
    if (reason !== null) metrics.countRejection(reason);
    return reason === null;
  };
}
