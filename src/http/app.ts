/** The HTTP application: finds the endpoint, holds the limit, negotiates, prints, and turns errors into answers. */
import { acceptClientHints } from '../client/client-hints.ts';
import { type ErrorCode, errors, ServiceError } from '../core/errors.ts';
import { windowSeconds } from '../core/limits.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { Platform } from '../core/platform.ts';
import type { RequestBody } from '../core/request-body.ts';
import { toJson } from '../core/text.ts';
import { baseOf, type Call, type Cors, type Deployment, type Endpoint, type Exchange } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import type { ErrorBody } from './error-body.ts';
import { type Format, mediaTypes, negotiate } from './negotiate.ts';
import { pageHeaders } from './page/page-headers.ts';

/** What an edge sends: to HEAD without the body, to everything with a Content-Length that fits it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers one request; never throws, never rejects. */
export type App = (observed: ObservedRequest, platform: Platform, body: RequestBody) => Answer | Promise<Answer>;

/** Who may ask how. */
interface Terms {
  /** Methods, as the header has them. */
  readonly allow: string;
  readonly cors: Cors;
}

const methods = ['GET', 'HEAD', 'OPTIONS'].join(', ');

/** Those of every endpoint that prints. */
const terms: Terms = {
  allow: methods,
  cors: {
    methods,
    // The wildcard covers every name but this one (Fetch standard, "CORS non-wildcard request-header name").
    requestHeaders: '*, Authorization',
    exposedHeaders: 'Retry-After',
  },
};

const headersFor = ({ exposedHeaders }: Cors) => ({
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders,
});
const commonHeaders = headersFor(terms.cors);

const formatHeaders = {
  json: { 'Content-Type': mediaTypes.json, ...commonHeaders },
  card: { 'Content-Type': mediaTypes.card, ...commonHeaders },
  text: { 'Content-Type': `${mediaTypes.text}; charset=utf-8`, ...commonHeaders },
  html: { 'Content-Type': `${mediaTypes.html}; charset=utf-8`, ...commonHeaders },
} as const satisfies Record<Format, Record<string, string>>;

const preflightFor = ({ allow, cors }: Terms): Answer => ({
  status: 204,
  headers: {
    ...headersFor(cors),
    Allow: allow,
    'Access-Control-Allow-Methods': cors.methods,
    'Access-Control-Allow-Headers': cors.requestHeaders,
    'Access-Control-Max-Age': '86400',
  },
  body: '',
});

const preflight = preflightFor(terms);

/** The label under which every path without an endpoint is counted. */
export const unknownEndpoint = 'unknown';

/** Builds the application of a deployment. Tests serve other lists. */
export function createApp({ publicUrl, contact }: Deployment, list: typeof endpoints = endpoints): App {
  const served = new Map(
    list.map((endpoint) => [
      endpoint.path,
      'answer' in endpoint ? exchanging(endpoint) : printing(endpoint, publicUrl),
    ]),
  );
  // The one place where a failure becomes an answer.
  const failed = (error: unknown, observed: ObservedRequest, platform: Platform): Answer => {
    const base = baseOf({ observed, publicUrl });
    const own = served.get(observed.path);
    if (error instanceof ServiceError) return errorAnswer(error.code, base, error.message, own);
    platform.report(error);
    return errorAnswer('internal_error', base, undefined, own);
  };
  // Closures are made only where an answer takes time: those and promises cost /ip a tenth.
  return (observed, platform, body) => {
    const endpoint = served.get(observed.path);
    const label = endpoint === undefined ? unknownEndpoint : observed.path;
    let answer: Answer | Promise<Answer>;
    try {
      if (endpoint === undefined) throw new ServiceError('not_found');
      answer = endpoint.serve({ observed, platform, publicUrl, contact, body });
    } catch (error) {
      answer = failed(error, observed, platform);
    }
    if (!(answer instanceof Promise)) {
      platform.count(label, answer.status);
      return answer;
    }
    return answer
      .catch((error) => failed(error, observed, platform))
      .then((later) => {
        platform.count(label, later.status);
        return later;
      });
  };
}

interface Served extends Terms {
  readonly serve: (call: Call) => Answer | Promise<Answer>;
}

function printing({ print, rates }: Endpoint, publicUrl: string | null): Served {
  const offered = Object.keys(print) as Format[];
  const vary = offered.length > 1 ? { Vary: 'Accept' } : {};
  const headersWith = (extra: Record<string, string>) =>
    Object.fromEntries(
      offered.map((format) => [
        format,
        { ...formatHeaders[format], ...(format === 'html' && pageHeaders(publicUrl)), ...vary, ...extra },
      ]),
    );
  const plain = headersWith({});
  // Browsers heed it on secure connections alone.
  const secure = headersWith({ 'Accept-CH': acceptClientHints });
  const answer = (allowed: boolean, call: Call): Answer | Promise<Answer> => {
    if (!allowed) throw new ServiceError('rate_limited');
    const format = negotiate(offered, call.observed);
    const headers = call.observed.origin.startsWith('https:') ? secure : plain;
    const printed = print[format]?.(call) ?? '';
    const printedHeaders = headers[format] ?? commonHeaders;
    return typeof printed === 'string' ? ok(printedHeaders, printed) : okLater(printedHeaders, printed);
  };
  const serve: Served['serve'] = (call) => {
    const { observed, platform } = call;
    if (observed.method === 'OPTIONS') return preflight;
    if (observed.method !== 'GET' && observed.method !== 'HEAD') throw new ServiceError('method_not_allowed');
    const allowed = rates.length === 0 || platform.limit(rates, observed.rateKey);
    return typeof allowed === 'boolean' ? answer(allowed, call) : allowed.then((later) => answer(later, call));
  };
  return { ...terms, serve };
}

function exchanging({ methods, cors, answer }: Exchange): Served {
  const terms = { allow: [...methods, 'OPTIONS'].join(', '), cors };
  const preflight = preflightFor(terms);
  const headers = headersFor(cors);
  const serve: Served['serve'] = async (call) => {
    const { method } = call.observed;
    if (method === 'OPTIONS') return preflight;
    if (!methods.includes(method)) throw new ServiceError('method_not_allowed');
    const { status, mediaType, body } = await answer(call);
    return { status, headers: mediaType === null ? headers : { 'Content-Type': mediaType, ...headers }, body };
  };
  return { ...terms, serve };
}

function ok(headers: Answer['headers'], body: string): Answer {
  return { status: 200, headers, body };
}

async function okLater(headers: Answer['headers'], body: Promise<string>): Promise<Answer> {
  return ok(headers, await body);
}

/** The answer to an error: for this application, and for requests that an edge refuses before it. */
export function errorAnswer(
  code: ErrorCode,
  base: string,
  message: string = errors[code].message,
  { allow, cors }: Terms = terms,
): Answer {
  return {
    status: errors[code].status,
    headers: {
      'Content-Type': mediaTypes.json,
      ...headersFor(cors),
      ...(code === 'method_not_allowed' && { Allow: allow }),
      ...(code === 'rate_limited' && { 'Retry-After': String(windowSeconds) }),
    },
    body: toJson({ error: code, message, docs: `${base}/docs#errors` } satisfies ErrorBody),
  };
}
