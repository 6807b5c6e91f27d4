/** The HTTP application: finds the endpoint, holds the limit, negotiates, prints, and turns errors into answers. */
import { type ErrorCode, errors, ServiceError } from '../core/errors.ts';
import { windowSeconds } from '../core/limits.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { Platform } from '../core/platform.ts';
import { toJson } from '../core/text.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { type Format, mediaTypes, negotiate } from './negotiate.ts';

/** What an edge sends: to HEAD without the body, to everything with a Content-Length that fits it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers one request; never throws, never rejects. */
export type App = (observed: ObservedRequest, platform: Platform) => Answer | Promise<Answer>;

const methods = ['GET', 'HEAD', 'OPTIONS'].join(', ');

const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After',
} as const;

const formatHeaders = {
  json: { 'Content-Type': mediaTypes.json, ...commonHeaders },
  text: { 'Content-Type': `${mediaTypes.text}; charset=utf-8`, ...commonHeaders },
  html: {
    'Content-Type': `${mediaTypes.html}; charset=utf-8`,
    ...commonHeaders,
    'Content-Security-Policy':
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
  },
} as const satisfies Record<Format, Record<string, string>>;

const preflight: Answer = {
  status: 204,
  headers: {
    ...commonHeaders,
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    // The wildcard covers every name but this one (Fetch standard, "CORS non-wildcard request-header name").
    'Access-Control-Allow-Headers': '*, Authorization',
    'Access-Control-Max-Age': '86400',
  },
  body: '',
};

const errorHeaders: { readonly [Code in ErrorCode]?: Record<string, string> } = {
  method_not_allowed: { Allow: methods },
  rate_limited: { 'Retry-After': String(windowSeconds) },
};

/** The label under which every path without an endpoint is counted. */
export const unknownEndpoint = 'unknown';

/** Builds the application; `publicUrl` is the service's own address, null to take what each request asked for. */
export function createApp(publicUrl: string | null): App {
  const served = new Map(endpoints.map((endpoint) => [endpoint.path, serving(endpoint)]));
  return (observed, platform) => {
    const serve = served.get(observed.path);
    const label = serve === undefined ? unknownEndpoint : observed.path;
    const count = (answer: Answer): Answer => {
      platform.count(label, answer.status);
      return answer;
    };
    // The one place where a failure becomes an answer.
    const fail = (error: unknown): Answer => {
      const code = error instanceof ServiceError ? error.code : 'internal_error';
      return errorAnswer(code, publicUrl ?? observed.origin);
    };
    try {
      if (serve === undefined) throw new ServiceError('not_found');
      const answer = serve(observed, platform, publicUrl);
      // What can be answered at once is: a promise costs /ip a tenth.
      return answer instanceof Promise ? answer.catch(fail).then(count) : count(answer);
    } catch (error) {
      return count(fail(error));
    }
  };
}

type Serve = (observed: ObservedRequest, platform: Platform, publicUrl: string | null) => Answer | Promise<Answer>;

function serving({ print, rate }: Endpoint): Serve {
  const offered = Object.keys(print) as Format[];
  const headers = Object.fromEntries(
    offered.map((format) => [format, { ...formatHeaders[format], ...(offered.length > 1 && { Vary: 'Accept' }) }]),
  );
  return (observed, platform, publicUrl) => {
    if (observed.method === 'OPTIONS') return preflight;
    if (observed.method !== 'GET' && observed.method !== 'HEAD') throw new ServiceError('method_not_allowed');
    const answer = (allowed: boolean): Answer => {
      if (!allowed) throw new ServiceError('rate_limited');
      const format = negotiate(offered, observed);
      const call = { observed, base: publicUrl ?? observed.origin, nowMs: platform.now() };
      return { status: 200, headers: headers[format] ?? commonHeaders, body: print[format]?.(call) ?? '' };
    };
    const allowed = rate === null || platform.limit(rate, observed.rateKey);
    return typeof allowed === 'boolean' ? answer(allowed) : allowed.then(answer);
  };
}

/** The answer to an error: for this application, and for requests that an edge refuses before it. */
export function errorAnswer(code: ErrorCode, base: string): Answer {
  const { status, message } = errors[code];
  return {
    status,
    headers: { ...formatHeaders.json, ...errorHeaders[code] },
    body: toJson({ error: code, message, docs: `${base}/docs#errors` }),
  };
}
