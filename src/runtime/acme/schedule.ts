/** Times of renewals and of attempts after a failure. Pure. */
import type { Bounds } from '../../edges/node/limits/bounds.ts';

/** Milliseconds since the Unix epoch. */
export interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Part of the lifetime over which renewals are spread, so that certificates issued together are not renewed together. */
const spread = 1 / 30;

/** Two thirds of the lifetime after its start, and up to `spread` of it more; `random` is from 0 to 1. */
export function renewalMs({ fromMs, toMs }: Validity, random: number): number {
  return fromMs + (toMs - fromMs) * (2 / 3 + spread * random);
}

/** A certificate that is due earlier after its issue shows a wrong system clock; another order would not help. */
export function minRenewalPauseMs({ fromMs, toMs }: Validity): number {
  return (toMs - fromMs) / 3;
}

type RetryBounds = Pick<Bounds, 'acmeRetryMs' | 'acmeMaxRetryMs' | 'acmeMaxRetryAfterMs'>;

/**
 * Pause after this many failures in a row: doubled each time, at most a 24th of the lifetime of a certificate that is due, and not shorter
 * than the authority demands.
 */
export function retryMs(
  failures: number,
  demandedMs: number,
  lifetimeMs: number,
  random: number,
  { acmeRetryMs, acmeMaxRetryMs, acmeMaxRetryAfterMs }: RetryBounds,
): number {
  const maxMs = Math.max(acmeRetryMs, Math.min(acmeMaxRetryMs, lifetimeMs / 24));
  const pauseMs = Math.min(maxMs, acmeRetryMs * 2 ** Math.min(failures - 1, 30));
  return Math.max(pauseMs, Math.min(demandedMs, acmeMaxRetryAfterMs)) * (1 + random / 10);
}
