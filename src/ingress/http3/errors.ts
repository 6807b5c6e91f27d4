/** Errors of clients that break HTTP/3 or QPACK. */
import { errorCodes } from './data/registries.ts';

class Http3Error extends Error {
  readonly code: number;

  constructor(code: keyof typeof errorCodes) {
    super(code);
    this.code = errorCodes[code];
  }
}

/** Closes the connection. */
export class ConnectionError extends Http3Error {}

/** Resets the stream alone. */
export class StreamError extends Http3Error {}
