/** The fields of a response that state the rates of the request, and what is left of them. */
import { limitsOf, type RateName, type RateSettings, windowSeconds } from '../core/limits.ts';
import type { RateDecision } from '../core/platform.ts';
import type { HttpResponse } from '../core/request-context.ts';
import { memoize } from './response.ts';

/** The rates that a request counted against, and what is left of them. */
export interface CountedRates {
  /** One object for all requests that count against the same rates. */
  readonly rates: readonly RateName[];
  readonly decision: RateDecision;
}

/**
 * Returns what adds RateLimit and RateLimit-Policy to a response: the policies of its rates, and what is left of the strictest one; nothing
 * if no rate has a limit, or the runtime reports none. If a request counted against several rates, the one with the fewest requests left
 * is stated, because that many more of these requests can follow.
 * https://www.ietf.org/archive/id/draft-ietf-httpapi-ratelimit-headers-10.html
 */
export function createRateFields(settings: RateSettings) {
  const limits = limitsOf(settings);
  const policyOf = memoize((rates: readonly RateName[]) => {
    const limited = rates.filter((rate) => limits[rate] > 0).sort((one, other) => limits[one] - limits[other]);
    const fields = {
      'RateLimit-Policy': limited.map((rate) => `"${rate}";q=${limits[rate]};w=${windowSeconds}`).join(', '),
      'Access-Control-Expose-Headers': 'Retry-After, RateLimit, RateLimit-Policy',
    };
    return { strictest: limited[0], addTo: memoize((headers: HttpResponse['headers']) => ({ ...headers, ...fields })) };
  });
  return (response: HttpResponse, { rates, decision }: CountedRates): HttpResponse => {
    const { remaining, resetSeconds } = decision;
    const { strictest, addTo } = policyOf(rates);
    if (strictest === undefined || remaining === null || resetSeconds === null) return response;
    const ownHeaders = { RateLimit: `"${strictest}";r=${remaining};t=${resetSeconds}` };
    return { status: response.status, headers: addTo(response.headers), ownHeaders, body: response.body };
  };
}
