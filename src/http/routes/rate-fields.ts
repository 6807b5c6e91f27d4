/** RateLimit and RateLimit-Policy of a counted response: https://www.ietf.org/archive/id/draft-ietf-httpapi-ratelimit-headers-10.html */
import { limitsOf, type RateName, type RateSettings, windowSeconds } from '../../core/limits.ts';
import type { RateDecision } from '../../core/platform.ts';

/** The rates that a request counted against, and what is left of them. */
export interface CountedRates {
  readonly rates: readonly RateName[];
  readonly decision: RateDecision;
}

/**
 * Returns the policies of the rates, and what is left of the strictest one; nothing if no rate has a limit, or the runtime reports none.
 * What is left is that of the rate with the fewest requests left: as many of these requests as that can follow.
 */
export function rateFields(settings: RateSettings, { rates, decision }: CountedRates): Record<string, string> {
  const { remaining, resetSeconds } = decision;
  const limits = limitsOf(settings);
  const limited = rates.filter((rate) => limits[rate] > 0).sort((one, other) => limits[one] - limits[other]);
  const [strictest] = limited;
  if (strictest === undefined || remaining === null || resetSeconds === null) return {};
  return {
    'RateLimit-Policy': limited.map((rate) => `"${rate}";q=${limits[rate]};w=${windowSeconds}`).join(', '),
    RateLimit: `"${strictest}";r=${remaining};t=${resetSeconds}`,
    'Access-Control-Expose-Headers': 'Retry-After, RateLimit, RateLimit-Policy',
  };
}
