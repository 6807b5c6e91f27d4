/** Sends the requests of acme-client through our outbound requests, which are bounded in time and size. */
import type { axios } from 'acme-client';
import type { OutboundFailure, Platform } from '../../core/platform.ts';
import { AcmeFailure, readProblem } from './failures.ts';

type Adapter = Extract<NonNullable<(typeof axios)['defaults']['adapter']>, (...args: never[]) => unknown>;

export interface Transport {
  readonly adapter: Adapter;
  /** Monotonic time after which no request is sent. */
  readonly endMs: number;
  /** `Retry-After` of the latest response in milliseconds; 0 if it had none. */
  retryAfterMs(): number;
}

/** Time of one request; Let's Encrypt responds within a few seconds, also to the request that issues. */
const requestTimeoutMs = 30_000;

/** A chain takes about 5 KB, an order of 100 domains about 20 KB. */
const maxResponseBytes = 262_144;

const failureTexts: Readonly<Record<OutboundFailure, string>> = {
  blocked: 'the certificate authority has no public address',
  own: 'the certificate authority has an address of this service',
  unresolved: 'the name of the certificate authority does not resolve',
  unreachable: 'the certificate authority is unreachable',
  certificate: "the certificate authority's own certificate is not trusted",
  timeout: 'the certificate authority did not respond in time',
  too_large: 'the certificate authority sent a response that is too large',
  informational: 'the certificate authority sent too many informational responses',
  overloaded: 'too many files are open',
};

/**
 * An adapter that replaces the HTTP client and the retries of acme-client: it has no timeout, and repeats a request that is over a limit
 * with the same nonce (https://github.com/publishlab/node-acme-client/issues/103). Throws an AcmeFailure for each error except badNonce,
 * which acme-client retries itself.
 */
export function createTransport(fetch: Platform['fetch'], userAgent: string, endMs: number): Transport {
  let retryAfterMs = 0;
  const adapter: Adapter = async (config) => {
    const { method = 'get', url = '', headers, data } = config;
    if (!/^https:\/\//i.test(url))
      throw new AcmeFailure('the certificate authority named a URL that is not https', { reason: 'not-acme' });
    if (performance.now() > endMs) throw lateFailure();
    const isPost = method.toLowerCase() === 'post';
    const result = await fetch({
      // GET also returns a nonce (RFC 8555 §7.2).
      method: isPost ? 'POST' : 'GET',
      url,
      headers: { 'user-agent': userAgent, ...(isPost && { 'content-type': `${headers.get('Content-Type')}` }) },
      body: isPost ? new TextEncoder().encode(`${data}`) : null,
      timeoutMs: requestTimeoutMs,
      maxBodyBytes: maxResponseBytes,
    });
    if ('failure' in result)
      throw new AcmeFailure(failureTexts[result.failure], { step: 'network', reason: result.failure });
    const { status } = result;
    retryAfterMs = parseRetryAfter(result.headers['retry-after'], Date.now());
    const body = new TextDecoder().decode(result.body);
    if (status >= 400) {
      const { type, detail } = readProblem(body);
      const reason = status === 429 ? 'rateLimited' : (type ?? (status >= 500 ? 'serverInternal' : 'not-acme'));
      const text = `the certificate authority responded with status ${status}${detail === '' ? '' : ` (${detail})`}`;
      if (reason !== 'badNonce') throw new AcmeFailure(text, { reason, retryAfterMs });
    }
    return { status, statusText: '', headers: { ...result.headers }, data: body, config };
  };
  return { adapter, endMs, retryAfterMs: () => retryAfterMs };
}

/** The failure of an order that takes too long. */
export function lateFailure(): AcmeFailure {
  return new AcmeFailure('the certificate authority did not finish the order in time', { reason: 'timeout' });
}

/** Seconds or a date (RFC 9110 §10.2.3), as milliseconds from now; 0 if it is neither, or past. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
