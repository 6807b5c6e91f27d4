/** RateLimit and RateLimit-Policy of a counted response: https://www.ietf.org/archive/id/draft-ietf-httpapi-ratelimit-headers-10.html */
import { limitsOf, type RateName, type RateSettings, windowSeconds } from '../../core/limits.ts';
import type { RateDecision } from '../../core/platform.ts';
import type { HttpResponse } from '../../core/request-context.ts';
import { memoize } from '../memoize.ts';

/** The rates that a request counted against, and what is left of them. */
export interface CountedRates {
  /** One object for all requests that count against the same rates. */
  readonly rates: readonly RateName[];
  readonly decision: RateDecision;
}

/**
 * Returns what adds to a response the policies of the rates, and what is left of the strictest one; nothing if no rate has a limit, or the
 * runtime reports none. What is left is that of the rate with the fewest requests left: as many of these requests as that can follow.
 */
export function createRateFields(
  settings: RateSettings,
): (response: HttpResponse, counted: CountedRates) => HttpResponse {
  const limits = limitsOf(settings);
  const policyOf = memoize((rates: readonly RateName[]) => {
    const limited = rates.filter((rate) => limits[rate] > 0).sort((one, other) => limits[one] - limits[other]);
    const fields = {
      'RateLimit-Policy': limited.map((rate) => `"${rate}";q=${limits[rate]};w=${windowSeconds}`).join(', '),
      'Access-Control-Expose-Headers': 'Retry-After, RateLimit, RateLimit-Policy',
    };
    return { strictest: limited[0], addTo: memoize((headers: HttpResponse['headers']) => ({ ...headers, ...fields })) };
  });
  return (response, { rates, decision: { remaining, resetSeconds } }) => {
    const { strictest, addTo } = policyOf(rates);
    if (strictest === undefined || remaining === null || resetSeconds === null) return response;
    const { status, headers, body } = response;
    return {
      status,
      headers: addTo(headers),
      ownHeaders: { RateLimit: `"${strictest}";r=${remaining};t=${resetSeconds}` },
      body,
    };
  };
}
