/** The HTTP application: finds the endpoint, holds the limit, negotiates, prints, and turns errors into answers. */
import { type Context, Hono } from 'hono';
import { type ErrorCode, errors, ServiceError } from '../core/errors.ts';
import { windowSeconds } from '../core/limits.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { Platform } from '../core/platform.ts';
import { toJson } from '../core/text.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { type Format, mediaTypes, negotiate } from './negotiate.ts';

/** What an edge hands over with each request. */
export interface Edge {
  readonly observed: ObservedRequest;
  readonly platform: Platform;
}

export type App = Hono<{ Bindings: Edge }>;
type AppContext = Context<{ Bindings: Edge }>;
type Answer = Response | Promise<Response>;

export const methods = ['GET', 'HEAD', 'OPTIONS'] as const;

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

const preflightHeaders = {
  ...commonHeaders,
  Allow: methods.join(', '),
  'Access-Control-Allow-Methods': methods.join(', '),
  // The wildcard covers every name but this one (Fetch standard, "CORS non-wildcard request-header name").
  'Access-Control-Allow-Headers': '*, Authorization',
  'Access-Control-Max-Age': '86400',
} as const;

const errorHeaders: { readonly [Code in ErrorCode]?: Record<string, string> } = {
  method_not_allowed: { Allow: methods.join(', ') },
  rate_limited: { 'Retry-After': String(windowSeconds) },
};

/** Builds the application; `publicUrl` is the service's own address, null to take what each request asked for. */
export function createApp(publicUrl: string | null): App {
  const app: App = new Hono();
  const baseOf = (observed: ObservedRequest): string => publicUrl ?? observed.origin;
  for (const endpoint of endpoints) {
    app.all(endpoint.path, (context) =>
      counted(context, endpoint.path, baseOf, () => serve(endpoint, context, baseOf)),
    );
  }
  app.notFound((context) =>
    counted(context, 'unknown', baseOf, () => {
      throw new ServiceError('not_found');
    }),
  );
  return app;
}

/** The one place where a failure becomes an answer. What is synchronous stays so: a promise costs /ip a tenth. */
function counted(
  context: AppContext,
  label: string,
  baseOf: (observed: ObservedRequest) => string,
  produce: () => Answer,
): Answer {
  const { observed, platform } = context.env;
  const count = (response: Response): Response => {
    platform.count(label, response.status);
    return response;
  };
  const fail = (error: unknown): Response => {
    const code = error instanceof ServiceError ? error.code : 'internal_error';
    const { status, headers, body } = errorAnswer(code, baseOf(observed));
    return response(status, headers, body, observed.method);
  };
  try {
    const answer = produce();
    return answer instanceof Promise ? answer.catch(fail).then(count) : count(answer);
  } catch (error) {
    return count(fail(error));
  }
}

function serve(endpoint: Endpoint, context: AppContext, baseOf: (observed: ObservedRequest) => string): Answer {
  const { observed, platform } = context.env;
  if (observed.method === 'OPTIONS') return new Response(null, { status: 204, headers: preflightHeaders });
  if (observed.method !== 'GET' && observed.method !== 'HEAD') throw new ServiceError('method_not_allowed');
  const answer = (allowed: boolean): Response => {
    if (!allowed) throw new ServiceError('rate_limited');
    const offered = Object.keys(endpoint.print) as Format[];
    const format = negotiate(offered, observed, () => context.req.queries('format') ?? []);
    const body = endpoint.print[format]?.({ observed, base: baseOf(observed), nowMs: platform.now() }) ?? '';
    const headers = offered.length > 1 ? { ...formatHeaders[format], Vary: 'Accept' } : formatHeaders[format];
    return response(200, headers, body, observed.method);
  };
  if (endpoint.rate === null) return answer(true);
  const allowed = platform.limit(endpoint.rate, observed.rateKey);
  return typeof allowed === 'boolean' ? answer(allowed) : allowed.then(answer);
}

/** Status, headers and body of an error: for this application, and for requests that an edge refuses before it. */
export function errorAnswer(code: ErrorCode, base: string) {
  const { status, message } = errors[code];
  return {
    status,
    headers: { ...formatHeaders.json, ...errorHeaders[code] },
    body: toJson({ error: code, message, docs: `${base}/docs#errors` }),
  };
}

function response(status: number, headers: Record<string, string>, body: string, method: string): Response {
  if (method !== 'HEAD') return new Response(body, { status, headers });
  const length = String(new TextEncoder().encode(body).length);
  return new Response(null, { status, headers: { ...headers, 'Content-Length': length } });
}
