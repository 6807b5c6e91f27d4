/** The plain response of the application, its common headers, and the response to an error. */
import * as z from 'zod';
import { type ErrorCode, errors, retryAfterOf } from '../core/errors.ts';
import { toJson } from '../core/text.ts';
import type { Bytes, CorsPolicy } from './endpoint.ts';
import { mediaTypes } from './negotiate.ts';

/** A response for an edge to send: without the body to HEAD, always with the body's Content-Length. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Bytes;
  /** Whether every client gets this same object, so that an edge may store its form of it. */
  readonly isConstant?: true;
}

/** Allowed methods and CORS policy. */
export interface AccessPolicy {
  /** Methods, in the form of the header. */
  readonly allow: string;
  readonly cors: CorsPolicy;
}

const methods = ['GET', 'HEAD', 'OPTIONS'].join(', ');

/** The policy of every endpoint that renders a GET, and of paths without an endpoint. */
export const defaultPolicy: AccessPolicy = {
  allow: methods,
  cors: {
    methods,
    // The wildcard covers every name but this one (Fetch standard, "CORS non-wildcard request-header name").
    requestHeaders: '*, Authorization',
    exposedHeaders: 'Retry-After',
  },
};

export const headersFor = ({ exposedHeaders }: CorsPolicy) => ({
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders,
});

export const commonHeaders = headersFor(defaultPolicy.cors);

export const preflightFor = ({ allow, cors }: AccessPolicy): HttpResponse => ({
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

export const ErrorBody = z
  .object({
    error: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().describe('What is wrong, and what to change'),
    docs: z.url().describe('Documentation of the errors'),
  })
  .meta({ id: 'Error', description: 'Why the request failed' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The response to an error: of this application, and of an edge that rejects a request before it. */
export function errorResponse(
  code: ErrorCode,
  baseUrl: string,
  message: string = errors[code].message,
  { allow, cors }: AccessPolicy = defaultPolicy,
): HttpResponse {
  const retryAfter = retryAfterOf(code);
  return {
    status: errors[code].status,
    headers: {
      'Content-Type': mediaTypes.json,
      ...headersFor(cors),
      ...(code === 'method_not_allowed' && { Allow: allow }),
      ...(retryAfter !== null && { 'Retry-After': String(retryAfter) }),
    },
    body: toJson({ error: code, message, docs: `${baseUrl}/docs#errors` } satisfies ErrorBody),
  };
}
