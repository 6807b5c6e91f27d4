/** When a certificate is due for renewal, and when an attempt follows a failed one. */
import { X509Certificate } from 'node:crypto';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { pauseAfter, spreadPause } from '../../edges/node/pauses.ts';
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

/** Times between which the CA suggests to renew a certificate, in milliseconds since the Unix epoch. */
export interface Suggestion {
  readonly fromMs: number;
  readonly toMs: number;
}

/** After nine tenths of the lifetime, a certificate is renewed whatever the CA suggests, so that time is left for further attempts. */
const latestMs = ({ fromMs, toMs }: Validity): number => fromMs + (toMs - fromMs) * 0.9;

/** Age below which the CA cannot make us renew: otherwise, a CA that always demands renewal would cause endless orders. */
const minAgeMs = (lifetimeMs: number): number => Math.min(86_400_000, lifetimeMs / 24);

/** The time after this part of the suggested window, within our bounds. */
function suggestedMs({ fromMs, toMs }: Suggestion, validity: Validity, part: number): number {
  const earliestMs = validity.fromMs + minAgeMs(validity.toMs - validity.fromMs);
  const chosenMs = fromMs + (toMs - fromMs) * part;
  return Math.max(earliestMs, Math.min(chosenMs, latestMs(validity)));
}

/**
 * Returns a certificate of ACME_DOMAIN that the servers use, with the time at which it is due for renewal; one that lacks a domain is
 * always due. `isNew`: it was issued a moment ago, so it is due only after half of the time from issue to renewal, even if the system clock
 * is wrong.
 */
export function useCertificate(certificate: Certificate, domains: readonly string[], isNew: boolean) {
  const leaf = new X509Certificate(certificate.cert);
  const validity = validityOf(leaf);
  const isComplete = domains.every((domain) => isCovered(leaf, domain));
  const start = readClocks();
  const planOf = (dueMs: number) => {
    // A certificate that is due earlier after its issue shows a wrong system clock; another order would not help.
    const firstMs = start.monotonicMs + (isNew ? (dueMs - validity.fromMs) / 2 : 0);
    return { dueMs, firstMs, lastMs: Math.max(firstMs, start.monotonicMs + dueMs - start.wallMs) };
  };
  let plan = planOf(renewalMs(validity));
  // Random (RFC 9773 §4.2), but the same for each window, so that the time moves no further than the window.
  const part = Math.random();
  return {
    certificate,
    validity,
    /** Milliseconds since the Unix epoch. */
    renewalMs: (): number => plan.dueMs,
    suggest(suggestion: Suggestion): void {
      plan = planOf(suggestedMs(suggestion, validity, part));
    },
    /** Whether a suggestion of the CA could still postpone the renewal. */
    isPostponable: (): boolean => isComplete && readClocks().wallMs < latestMs(validity),
    isDue(): boolean {
      const { wallMs, monotonicMs } = readClocks();
      return monotonicMs >= plan.firstMs && (!isComplete || wallMs >= plan.dueMs || monotonicMs >= plan.lastMs);
    },
  };
}

interface Retry {
  /** Consecutive failures. */
  readonly failures: number;
  /** The CA's Retry-After. */
  readonly demandedMs: number;
  /** Validity of the certificate that is due; null if there is none. */
  readonly validity: Validity | null;
}

/** Pause after consecutive failures: at most lifetime/24, at least the CA's Retry-After. */
export function retryMs(
  { failures, demandedMs, validity }: Retry,
  { acmeRetryMs, acmeMaxRetryMs, acmeMaxRetryAfterMs }: Bounds,
): number {
  const lifetimeMs = validity === null ? Number.POSITIVE_INFINITY : validity.toMs - validity.fromMs;
  const maxMs = Math.max(acmeRetryMs, Math.min(acmeMaxRetryMs, lifetimeMs / 24));
  const pauseMs = pauseAfter(failures, { firstMs: acmeRetryMs, maxMs });
  return spreadPause(Math.max(pauseMs, Math.min(demandedMs, acmeMaxRetryAfterMs)), 1 / 10);
}
