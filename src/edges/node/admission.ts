/** Decides, before any TLS work, which connections to serve. */
import type { Metrics, RejectionReason } from '../../core/metrics.ts';
import type { Connection } from '../../ingress/connection.ts';
import type { createAddressLimits, RateKeyOf } from './limits/limits.ts';
import { ClientFacts } from './observe.ts';

interface AdmissionParts {
  readonly countAddress: ReturnType<typeof createAddressLimits>;
  readonly rateKeyOf: RateKeyOf;
  readonly metrics: Metrics;
  /** Whether the process uses more memory than it may. */
  isMemoryFull(): boolean;
}

/**
 * Returns the decision, which counts an accepted connection until it closes. Trusted proxies have no limits by address, because their
 * connections carry the requests of all clients.
 */
export function createAdmission({ countAddress, rateKeyOf, metrics, isMemoryFull }: AdmissionParts) {
  /** Counts the connection if it returns null. */
  const reasonFor = (connection: Connection, rateKey: string): RejectionReason | null => {
    if (isMemoryFull()) return 'memory';
    // The process that terminates QUIC has counted its connections.
    if (connection.client.trusted || connection.quic !== null) return null;
    const counted = countAddress(rateKey);
    if (typeof counted === 'string') return counted;
    connection.onClosed = counted;
    return null;
  };

  return (connection: Connection): boolean => {
    const facts = new ClientFacts(rateKeyOf(connection.client.ip));
    connection.facts = facts;
    const reason = reasonFor(connection, facts.rateKey);
    if (reason !== null) metrics.countRejection(reason);
    return reason === null;
  };
}
