/** Times of renewals, and of attempts after a failure. */
import { X509Certificate } from 'node:crypto';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import type { Certificate } from '../certificate.ts';
import { type Clocks, readClocks } from '../clocks.ts';

/** Milliseconds since the Unix epoch. */
export interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A certificate of ACME_DOMAIN that the servers use. */
export interface CertificateInUse {
  readonly certificate: Certificate;
  readonly validity: Validity;
  /** Milliseconds since the Unix epoch. */
  readonly renewalMs: number;
  isDue(): boolean;
}

interface UseOptions {
  /** Issued a moment ago: due only after a part of its lifetime, even if the system clock is wrong. */
  readonly isNew: boolean;
  /** From 0 to 1. */
  readonly random?: number;
  readonly now?: () => Clocks;
}

/** Part of the lifetime over which renewals are spread, so that certificates issued together are not renewed together. */
const spread = 1 / 30;

/** Two thirds of the lifetime after its start, and up to `spread` of it more; `random` is from 0 to 1. */
export function renewalMs({ fromMs, toMs }: Validity, random: number): number {
  return fromMs + (toMs - fromMs) * (2 / 3 + spread * random);
}

export function validityOf({ cert }: Certificate): Validity {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  return { fromMs: validFromDate.getTime(), toMs: validToDate.getTime() };
}

/** Decides when a certificate is due for renewal; one that lacks a domain is always due. */
export function useCertificate(
  certificate: Certificate,
  domains: readonly string[],
  { isNew, random = Math.random(), now = readClocks }: UseOptions,
): CertificateInUse {
  const leaf = new X509Certificate(certificate.cert);
  const validity = validityOf(certificate);
  const isComplete = domains.every((domain) => leaf.checkHost(domain) !== undefined);
  const dueMs = renewalMs(validity, random);
  const { wallMs, monotonicMs } = now();
  // A certificate that is due earlier after its issue shows a wrong system clock; another order would not help.
  const firstMs = monotonicMs + (isNew ? (validity.toMs - validity.fromMs) / 3 : 0);
  const lastMs = Math.max(firstMs, monotonicMs + dueMs - wallMs);
  return {
    certificate,
    validity,
    renewalMs: dueMs,
    isDue() {
      const { wallMs, monotonicMs } = now();
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
  /** From 0 to 1. */
  readonly random?: number;
}

type RetryBounds = Pick<Bounds, 'acmeRetryMs' | 'acmeMaxRetryMs' | 'acmeMaxRetryAfterMs'>;

/** Backoff after consecutive failures: doubles, at most lifetime/24, at least the CA's Retry-After. */
export function retryMs(
  { failures, demandedMs, validity, random = Math.random() }: Retry,
  { acmeRetryMs, acmeMaxRetryMs, acmeMaxRetryAfterMs }: RetryBounds,
): number {
  const lifetimeMs = validity === null ? Number.POSITIVE_INFINITY : validity.toMs - validity.fromMs;
  const maxMs = Math.max(acmeRetryMs, Math.min(acmeMaxRetryMs, lifetimeMs / 24));
  const pauseMs = Math.min(maxMs, acmeRetryMs * 2 ** Math.min(failures - 1, 30));
  return Math.max(pauseMs, Math.min(demandedMs, acmeMaxRetryAfterMs)) * (1 + random / 10);
}
