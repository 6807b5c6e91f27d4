/** The errors of the service: code, status, and a sentence that states what is wrong and what to change. */
import { maxRedirects, overloadSeconds, targetPorts, targetTimeoutMs, windowSeconds } from './limits.ts';

/** `retryAfterSeconds` is sent as `Retry-After`; null if waiting does not help or the time is unknown. */
const errorOf = (status: number, message: string, retryAfterSeconds: number | null = null) => ({
  status,
  message,
  retryAfterSeconds,
});

export const errors = {
  invalid_format: errorOf(400, 'Set format to json or text.'),
  invalid_query: errorOf(400, 'Send a domain name, an IP address, a CIDR block or an AS number.'),
  invalid_url: errorOf(
    400,
    `Send an http or https URL on port ${targetPorts.join(' or ')}, without user name and password.`,
  ),
  blocked_address: errorOf(400, 'The target is a private or reserved address; use a public one.'),
  invalid_target: errorOf(400, 'The target is this service itself; use another target.'),
  id_in_use: errorOf(400, 'Another request uses this id; choose a new random one for each request.'),
  malformed_request: errorOf(400, 'The request is not valid HTTP; correct its syntax.'),
  https_required: errorOf(400, 'This port requires HTTPS; use an https:// URL.'),
  cross_origin: errorOf(
    403,
    'Pages of other sites may not request this about their visitors; use a page of this service, or a program.',
  ),
  not_found: errorOf(404, 'No such endpoint or record; see /docs for the endpoints.'),
  no_rdap_service: errorOf(404, "IANA lists no RDAP server for this query; the registry's website may offer a lookup."),
  no_database: errorOf(404, 'This deployment has no IP databases; use a deployment on Node.'),
  not_enabled: errorOf(404, 'This is not offered here; on Node, the operator can turn it on, see /docs#settings.'),
  method_not_allowed: errorOf(405, 'Method not allowed; use one from the Allow header.'),
  request_timeout: errorOf(408, 'The request did not arrive in time; send it again.'),
  uri_too_long: errorOf(414, 'The path and query are too long; send a shorter URL.'),
  rate_limited: errorOf(429, `Too many requests from this IP; wait ${windowSeconds} seconds.`, windowSeconds),
  document_limit: errorOf(
    429,
    `Too many bytes of documents for this IP; wait ${windowSeconds} seconds.`,
    windowSeconds,
  ),
  headers_too_large: errorOf(431, 'The request headers are too large; send fewer or shorter ones.'),
  internal_error: errorOf(500, 'Internal error; nothing about your request was stored.'),
  upstream_error: errorOf(502, 'Unusable upstream response; try again later.'),
  upstream_rate_limited: errorOf(502, 'The upstream server is rate-limiting us; try again later.'),
  target_unreachable: errorOf(502, 'The target is unreachable; check host and port.'),
  invalid_certificate: errorOf(502, "The target's TLS certificate is not valid; renew or replace it."),
  too_many_redirects: errorOf(
    502,
    `The target redirects more than ${maxRedirects} times; use a URL later in its redirect chain.`,
  ),
  overloaded: errorOf(
    503,
    `Too many lookups are in progress; try again in ${overloadSeconds} seconds.`,
    overloadSeconds,
  ),
  not_shown: errorOf(503, 'A lookup runs only when its page is shown; request it without Sec-Purpose.'),
  upstream_timeout: errorOf(504, 'The upstream timed out; try again later.'),
  target_timeout: errorOf(
    504,
    `The target did not respond within ${targetTimeoutMs / 1_000} seconds; try again later.`,
  ),
  version_not_supported: errorOf(505, 'This HTTP version is not supported here; use HTTP/1.1, or HTTP/2 over TLS.'),
};
export type ErrorCode = keyof typeof errors;

/** Value of `Retry-After`; null if the response has none. */
export const retryAfterOf = (code: ErrorCode): number | null => errors[code].retryAfterSeconds;

/** A failure with a code of the table; anything else that is thrown becomes `internal_error`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;

  /** `message` is more specific than the table's; only the client receives it. */
  constructor(code: ErrorCode, message: string = errors[code].message) {
    super(message);
    this.code = code;
  }
}

/** Name, code and source line of an unexpected error; not its message, which may contain request data. */
export function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unexpected failure';
  const { name, stack } = error;
  const code = 'code' in error ? String(error.code) : '';
  const place = stack?.split('\n').find((line) => line.trimStart().startsWith('at ')) ?? '';
  return `unexpected ${[name, code, place.trim()].filter((part) => part !== '').join(' ')}`;
}

/**
 * States why the service, or a part of it, cannot start: the message of an Error that the service throws itself. Any other error has its
 * source line before its message, which is included because it cannot contain request data at the start.
 */
export function startFailureOf(error: unknown): string {
  if (!(error instanceof Error)) return failureOf(error);
  // Errors of the system and of libraries have a code, those of the language a name.
  const isOwn = error.name === 'Error' && !('code' in error);
  return isOwn ? error.message : `${failureOf(error)}: ${error.message}`;
}

/** The lookup of a registration, in messages for programs: a page and a terminal replace it by their own name. */
export const registrationTool = 'rdap_lookup (/api/rdap)';
