/** The error codes of HTTP/3 (RFC 9114 §8.1) and QPACK (RFC 9204 §6). */
export const errorCodes = {
  noError: 0x100,
  internalError: 0x102,
  streamCreationError: 0x103,
  closedCriticalStream: 0x104,
  frameUnexpected: 0x105,
  frameError: 0x106,
  excessiveLoad: 0x107,
  idError: 0x108,
  settingsError: 0x109,
  missingSettings: 0x10a,
  requestRejected: 0x10b,
  requestCancelled: 0x10c,
  requestIncomplete: 0x10d,
  messageError: 0x10e,
  decompressionFailed: 0x200,
  encoderStreamError: 0x201,
  decoderStreamError: 0x202,
} as const;

/** What a client sent breaks the protocol. */
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
