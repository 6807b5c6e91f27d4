/** The errors of the service: code, status, and a sentence that states what is wrong and what to change. */
import { maxRedirects, overloadSeconds, targetPorts, targetTimeoutMs, windowSeconds } from './limits.ts';

interface ErrorRow {
  readonly status: number;
  readonly message: string;
  /** Sent as `Retry-After`; absent if waiting does not help or the time is unknown. */
  readonly retryAfterSeconds?: number;
}

export const errors = {
  invalid_format: { status: 400, message: 'Set format once, to json or text.' },
  invalid_query: { status: 400, message: 'Send a domain name, an IP address, a CIDR block or an AS number.' },
  invalid_url: {
    status: 400,
    message: `Send an http or https URL on port ${targetPorts.join(' or ')}, without user name and password.`,
  },
  blocked_address: { status: 400, message: 'The target is a private or reserved address; use a public one.' },
  invalid_target: { status: 400, message: 'The target is this service itself; use another target.' },
  malformed_request: { status: 400, message: 'The request is not valid HTTP; correct its syntax.' },
  https_required: { status: 400, message: 'This port requires HTTPS; use an https:// URL.' },
  not_found: { status: 404, message: 'No such endpoint or record; see /docs for the endpoints.' },
  no_rdap_service: { status: 404, message: 'No registry offers RDAP for this query; use WHOIS instead.' },
  no_database: { status: 404, message: 'This deployment has no IP databases; use a deployment on Node.' },
  method_not_allowed: { status: 405, message: 'Method not allowed; use one from the Allow header.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time; send it again.' },
  rate_limited: {
    status: 429,
    message: `Too many requests from this IP; wait ${windowSeconds} seconds.`,
    retryAfterSeconds: windowSeconds,
  },
  headers_too_large: { status: 431, message: 'The request headers are too large; send fewer or shorter ones.' },
  internal_error: { status: 500, message: 'Internal error; nothing about your request was stored.' },
  upstream_error: { status: 502, message: 'Unusable upstream response; try again later.' },
  upstream_rate_limited: { status: 502, message: 'The upstream server is rate-limiting us; try again later.' },
  target_unreachable: { status: 502, message: 'The target is unreachable; check host and port.' },
  invalid_certificate: { status: 502, message: "The target's TLS certificate is not valid; renew or replace it." },
  too_many_redirects: {
    status: 502,
    message: `The target redirects more than ${maxRedirects} times; use a URL later in its redirect chain.`,
  },
  overloaded: {
    status: 503,
    message: `Too many lookups are in progress; try again in ${overloadSeconds} seconds.`,
    retryAfterSeconds: overloadSeconds,
  },
  not_shown: { status: 503, message: 'A lookup runs only when its page is shown; request it without Sec-Purpose.' },
  upstream_timeout: { status: 504, message: 'The upstream timed out; try again later.' },
  target_timeout: {
    status: 504,
    message: `The target did not respond within ${targetTimeoutMs / 1_000} seconds; try again later.`,
  },
  version_not_supported: {
    status: 505,
    message: 'This HTTP version is not supported here; use HTTP/1.1, or HTTP/2 over TLS.',
  },
} as const satisfies Record<string, ErrorRow>;
export type ErrorCode = keyof typeof errors;

/** Value of `Retry-After`; null if the response has none. */
export function retryAfterOf(code: ErrorCode): number | null {
  const { retryAfterSeconds }: ErrorRow = errors[code];
  return retryAfterSeconds ?? null;
}

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
