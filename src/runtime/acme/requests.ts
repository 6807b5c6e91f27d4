/** Requests to a CA over our own outbound requests, bounded in time and size; each failure has its reason. */
import { isObject, parseJson } from '../../core/json.ts';
import type { Platform } from '../../core/platform.ts';
import { outboundUserAgent } from '../../lookups/outbound.ts';
import { AcmeFailure, networkFailure, readProblem } from './failures.ts';

/** Time of one request; Let's Encrypt responds within a few seconds, also to the request that issues. */
const requestTimeoutMs = 30_000;

/** A chain takes about 5 KB, an order of 100 domains about 20 KB. */
const maxResponseBytes = 262_144;

export type SendRequest = ReturnType<typeof createRequests>;

/**
 * Returns a function that sends a GET, or a POST of a JWS. It resolves with the response if its status is below 400, or if it is a problem of
 * type badNonce; throws an AcmeFailure otherwise.
 */
export function createRequests(fetch: Platform['fetch'], publicUrl: string | null) {
  const userAgent = outboundUserAgent(publicUrl);
  return async (url: string, jws: string | null = null) => {
    if (!/^https:\/\//i.test(url))
      throw new AcmeFailure('the certificate authority named a URL that is not https', { reason: 'not-acme' });
    const result = await fetch({
      method: jws === null ? 'GET' : 'POST',
      url,
      headers: { 'user-agent': userAgent, ...(jws !== null && { 'content-type': 'application/jose+json' }) },
      body: jws === null ? null : new TextEncoder().encode(jws),
      timeoutMs: requestTimeoutMs,
      maxBodyBytes: maxResponseBytes,
    });
    if ('failure' in result) throw networkFailure(result.failure);
    const { status, headers } = result;
    const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
    const body = new TextDecoder().decode(result.body);
    if (status >= 400) {
      const { type, detail } = readProblem(body);
      const reason = status === 429 ? 'rateLimited' : (type ?? (status >= 500 ? 'serverInternal' : 'not-acme'));
      const text = `the certificate authority responded with status ${status}${detail === '' ? '' : ` (${detail})`}`;
      if (reason !== 'badNonce') throw new AcmeFailure(text, { reason, retryAfterMs });
    }
    return { status, headers, body, retryAfterMs };
  };
}

/** Reads what acme-client does not read of the directory. */
export async function readDirectory(send: SendRequest, url: string) {
  const { meta, renewalInfo } = (await readObject(send, url)).value;
  const profiles = isObject(meta) && isObject(meta.profiles) ? meta.profiles : {};
  return {
    /** Names of the profiles among which an order may choose (draft-ietf-acme-profiles). */
    profiles: Object.keys(profiles),
    /** URL below which the CA suggests when to renew (RFC 9773 §4.1); null if it does not. */
    renewalInfo: typeof renewalInfo === 'string' ? renewalInfo : null,
  };
}

/** Reads a JSON object, and the pause until it may be read again in milliseconds; 0 if the CA states none. */
export async function readObject(send: SendRequest, url: string) {
  const { body, retryAfterMs } = await send(url);
  const parsed = parseJson(body);
  if ('value' in parsed && isObject(parsed.value)) return { value: parsed.value, retryAfterMs };
  throw new AcmeFailure('the certificate authority sent an unexpected response', { reason: 'not-acme' });
}

/** Seconds or a date (RFC 9110 §10.2.3), as milliseconds from now; 0 if it is neither, or past. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
