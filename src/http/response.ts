/** The plain response of the application, its common headers, and the response to an error. */
import * as z from 'zod';
import { type ErrorCode, errors, retryAfterOf, type ServiceError } from '../core/errors.ts';
import type { HttpResponse } from '../core/request-context.ts';
import { toJson } from '../core/text.ts';
import { memoize } from './memoize.ts';
import { mediaTypes } from './negotiate.ts';

/** Allowed methods, and permissions of pages from other origins (CORS), as values of the headers. */
export interface AccessPolicy {
  readonly allow: string;
  readonly corsMethods: string;
  readonly corsHeaders: string;
  readonly exposedHeaders: string;
}

const methods = 'GET, HEAD, OPTIONS';

/** The policy of every endpoint that renders a GET, and of paths without an endpoint. */
export const defaultPolicy: AccessPolicy = {
  allow: methods,
  corsMethods: methods,
  // The wildcard covers every name but this one (Fetch standard, "CORS non-wildcard request-header name").
  corsHeaders: '*, Authorization',
  exposedHeaders: 'Retry-After',
};

export const headersFor = ({ exposedHeaders }: AccessPolicy) => ({
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders,
});

export const commonHeaders = headersFor(defaultPolicy);

export const preflightFor = (policy: AccessPolicy): HttpResponse => ({
  status: 204,
  headers: {
    ...headersFor(policy),
    Allow: policy.allow,
    'Access-Control-Allow-Methods': policy.corsMethods,
    'Access-Control-Allow-Headers': policy.corsHeaders,
    'Access-Control-Max-Age': '86400',
  },
  body: '',
});

const errorCodes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];

export const ErrorBody = z
  .object({
    error: z.enum(errorCodes),
    message: z.string().describe('What is wrong, and what to change'),
    docs: z.url().describe('Documentation of the errors'),
  })
  .meta({ id: 'Error', description: 'Why the request failed' });
export type ErrorBody = z.infer<typeof ErrorBody>;

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
  return Object.fromEntries(errorCodes.map((code) => [code, headersOf(code)])) as Record<
    ErrorCode,
    HttpResponse['headers']
  >;
});

/** The response to an error: of this application, and of an edge that rejects a request before it. */
export function errorResponse(
  { code, message }: Pick<ServiceError, 'code' | 'message'>,
  baseUrl: string,
  policy: AccessPolicy = defaultPolicy,
): HttpResponse {
  return {
    status: errors[code].status,
    headers: errorHeadersOf(policy)[code],
    body: toJson({ error: code, message, docs: `${baseUrl}/docs#errors` } satisfies ErrorBody),
  };
}
