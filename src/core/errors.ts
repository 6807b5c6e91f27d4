/** The errors of the service: code, status and the sentence that says what to change. */
import { windowSeconds } from './limits.ts';

export const errors = {
  invalid_format: { status: 400, message: 'format must be json or text, and be given once.' },
  invalid_query: { status: 400, message: 'Ask for a domain name, an IP address or CIDR block, or an AS number.' },
  invalid_url: {
    status: 400,
    message: 'url must be an http or https URL on port 80 or 443, without user name and password.',
  },
  blocked_address: { status: 400, message: 'The address is private or reserved; only public addresses are asked.' },
  invalid_target: { status: 400, message: 'The address is this service itself; it does not look at itself.' },
  malformed_request: { status: 400, message: 'The request is not valid HTTP.' },
  https_required: { status: 400, message: 'This port speaks HTTPS: use https:// in the address.' },
  not_found: { status: 404, message: 'There is no such endpoint, or no record of this; /docs lists the endpoints.' },
  no_rdap_service: { status: 404, message: 'No registry offers registration data for this by RDAP.' },
  method_not_allowed: { status: 405, message: 'Use another method; the Allow header lists those of this path.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  rate_limited: { status: 429, message: `Too many calls from this address; wait ${windowSeconds} seconds.` },
  headers_too_large: { status: 431, message: 'The request headers are too large: send fewer or shorter ones.' },
  internal_error: { status: 500, message: 'Something failed on our side; nothing about the request was kept.' },
  upstream_error: { status: 502, message: 'The server asked gave no usable answer.' },
  upstream_rate_limited: { status: 502, message: 'The server asked refuses more questions for now; try again later.' },
  target_unreachable: { status: 502, message: 'The target could not be reached.' },
  invalid_certificate: { status: 502, message: 'The certificate of the target is not valid.' },
  too_many_redirects: { status: 502, message: 'The target redirects more than 5 times.' },
  upstream_timeout: { status: 504, message: 'The server asked did not answer in time.' },
  target_timeout: { status: 504, message: 'The target did not answer within 5 seconds.' },
} as const satisfies Record<string, { status: number; message: string }>;
export type ErrorCode = keyof typeof errors;

/** A failure with a code of the table; anything else that is thrown becomes `internal_error`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;

  /** `message` says more than the table can; it goes to the caller alone. */
  constructor(code: ErrorCode, message: string = errors[code].message) {
    super(message);
    this.code = code;
  }
}
