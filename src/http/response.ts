/** What the responses of all endpoints share: the common headers, the fields of rates, the response to a preflight, and the one to an error. */
import * as z from 'zod';
import { type ErrorCode, errors, retryAfterOf, type ServiceError } from '../core/errors.ts';
import { limitsOf, type RateName, type RateSettings, windowSeconds } from '../core/limits.ts';
import type { RateDecision } from '../core/platform.ts';
import type { HttpResponse } from '../core/request-context.ts';
import { toJson } from '../core/text.ts';
import { mediaTypes } from './negotiate.ts';

const methods = 'GET, HEAD, OPTIONS';

/** The policy of every endpoint that renders a GET, and of paths without an endpoint. */
export const defaultPolicy = {
  allow: methods,
  corsMethods: methods,
  // The wildcard covers every name but this one (Fetch standard, "CORS non-wildcard request-header name").
  corsHeaders: '*, Authorization',
  exposedHeaders: 'Retry-After',
};
/** Allowed methods, and permissions of pages from other origins (CORS), as values of the headers. */
type AccessPolicy = Readonly<typeof defaultPolicy>;

export const headersFor = ({ exposedHeaders }: AccessPolicy) => ({
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders,
});

export const commonHeaders = headersFor(defaultPolicy);

export const preflightFor = memoize(
  (policy: AccessPolicy): HttpResponse => ({
    status: 204,
    headers: {
      ...headersFor(policy),
      Allow: policy.allow,
      'Access-Control-Allow-Methods': policy.corsMethods,
      'Access-Control-Allow-Headers': policy.corsHeaders,
      'Access-Control-Max-Age': '86400',
    },
    body: '',
  }),
);

/** Returns a function that derives a value once from each object, for as long as the object exists. */
export function memoize<Key extends object, Value extends object>(derive: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    let value = values.get(key);
    if (value === undefined) {
      value = derive(key);
      values.set(key, value);
    }
    return value;
  };
}

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
      'Access-Control-Expose-Headers': `${defaultPolicy.exposedHeaders}, RateLimit, RateLimit-Policy`,
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

const errorCodes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];

export const ErrorBody = z
  .object({
    error: z.enum(errorCodes),
    message: z.string().describe('What is wrong, and what to change'),
    docs: z.url().describe('Documentation of the errors'),
  })
  .meta({ id: 'ErrorBody', description: 'Why the request failed' });

const errorHeadersOf = memoize((policy: AccessPolicy) => {
  const headersOf = (code: ErrorCode): HttpResponse['headers'] => {
    const retryAfter = retryAfterOf(code);
    return {
      'Content-Type': mediaTypes.json,
      ...headersFor(policy),
      ...(code === 'method_not_allowed' && { Allow: policy.allow }),
      ...(retryAfter !== null && { 'Retry-After': String(retryAfter) }),
    };
  };
  const headers = Object.fromEntries(errorCodes.map((code) => [code, headersOf(code)]));
  return headers as Record<ErrorCode, HttpResponse['headers']>;
});

/** The response to an error: of this application, and of an edge that rejects a request before it. */
export const errorResponse = (
  { code, message }: Pick<ServiceError, 'code' | 'message'>,
  baseUrl: string,
  policy: AccessPolicy = defaultPolicy,
): HttpResponse => ({
  status: errors[code].status,
  headers: errorHeadersOf(policy)[code],
  body: toJson({ error: code, message, docs: `${baseUrl}/docs#errors` } satisfies z.infer<typeof ErrorBody>),
});
