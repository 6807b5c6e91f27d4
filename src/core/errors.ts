/** The errors of the service: code, status and the sentence that says what to change. */
import { windowSeconds } from './limits.ts';

export const errors = {
  invalid_format: { status: 400, message: 'format must be json or text, and be given once.' },
  malformed_request: { status: 400, message: 'The request is not valid HTTP.' },
  https_required: { status: 400, message: 'This port speaks HTTPS: use https:// in the address.' },
  not_found: { status: 404, message: 'There is nothing at this path; /docs lists what there is.' },
  method_not_allowed: { status: 405, message: 'Use GET or HEAD; the Allow header lists the methods.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  rate_limited: { status: 429, message: `Too many calls from this address; wait ${windowSeconds} seconds.` },
  headers_too_large: { status: 431, message: 'The request headers are too large: send fewer or shorter ones.' },
  internal_error: { status: 500, message: 'Something failed on our side; nothing about the request was kept.' },
} as const satisfies Record<string, { status: number; message: string }>;
export type ErrorCode = keyof typeof errors;

/** A failure with a code of the table; anything else that is thrown becomes `internal_error`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(errors[code].message);
    this.code = code;
  }
}
