/** When a certificate is due for renewal, and when an attempt follows a failed one. */
import { X509Certificate } from 'node:crypto';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import type { Certificate } from '../certificate.ts';
import { isCovered } from '../certificate-chain.ts';
import { readClocks } from '../clocks.ts';

type Validity = ReturnType<typeof validityOf>;

/** Part of the lifetime over which renewals are spread, so that certificates issued together are not renewed together. */
const spread = 1 / 30;

/** Two thirds of the lifetime after its start, and up to `spread` of it more. */
export function renewalMs({ fromMs, toMs }: Validity): number {
  return fromMs + (toMs - fromMs) * (2 / 3 + spread * Math.random());
}

/** Milliseconds since the Unix epoch. */
export function validityOf({ validFromDate, validToDate }: X509Certificate) {
  return { fromMs: validFromDate.getTime(), toMs: validToDate.getTime() };
}

/**
 * Returns a certificate of ACME_DOMAIN that the servers use, with the time at which it is due for renewal; one that lacks a domain is
 * always due. `isNew`: it was issued a moment ago, so it is due only after a part of its lifetime, even if the system clock is wrong.
 */
export function useCertificate(certificate: Certificate, domains: readonly string[], isNew: boolean) {
  const leaf = new X509Certificate(certificate.cert);
  const validity = validityOf(leaf);
  const isComplete = domains.every((domain) => isCovered(leaf, domain));
  const dueMs = renewalMs(validity);
  const { wallMs, monotonicMs } = readClocks();
  // A certificate that is due earlier after its issue shows a wrong system clock; another order would not help.
  const firstMs = monotonicMs + (isNew ? (validity.toMs - validity.fromMs) / 3 : 0);
  const lastMs = Math.max(firstMs, monotonicMs + dueMs - wallMs);
  return {
    certificate,
    validity,
    /** Milliseconds since the Unix epoch. */
    renewalMs: dueMs,
    isDue(): boolean {
      const { wallMs, monotonicMs } = readClocks();
      return monotonicMs >= firstMs && (!isComplete || wallMs >= dueMs || monotonicMs >= lastMs);
    },
  };
}

interface Retry {
  /** Consecutive failures. */
  readonly failures: number;
  /** The CA's Retry-After. */
  readonly demandedMs: number;
  /** That of the certificate that is due; null if there is none. */
  readonly validity: Validity | null;
}

/** Backoff after consecutive failures: doubles, at most lifetime/24, at least the CA's Retry-After. */
export function retryMs(
  { failures, demandedMs, validity }: Retry,
  { acmeRetryMs, acmeMaxRetryMs, acmeMaxRetryAfterMs }: Bounds,
): number {
  const lifetimeMs = validity === null ? Number.POSITIVE_INFINITY : validity.toMs - validity.fromMs;
  const maxMs = Math.max(acmeRetryMs, Math.min(acmeMaxRetryMs, lifetimeMs / 24));
  const pauseMs = Math.min(maxMs, acmeRetryMs * 2 ** Math.min(failures - 1, 30));
  return Math.max(pauseMs, Math.min(demandedMs, acmeMaxRetryAfterMs)) * (1 + Math.random() / 10);
}
