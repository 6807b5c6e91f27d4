/** The numbers of HTTP/3 and QPACK that a server needs (RFC 9114 §11.2, RFC 9204 §8). */

/** Error codes (RFC 9114 §8.1, RFC 9204 §6). */
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

/** Types of frames (RFC 9114 §7.2). */
export const frameTypes = {
  data: 0x0,
  headers: 0x1,
  cancelPush: 0x3,
  settings: 0x4,
  pushPromise: 0x5,
  goaway: 0x7,
  maxPushId: 0xd,
} as const;

const { data, headers, cancelPush, settings, pushPromise, goaway, maxPushId } = frameTypes;
/** Types that only control streams have, and those that only other streams have. */
export const controlTypes: ReadonlySet<number> = new Set([cancelPush, settings, goaway, maxPushId]);
export const requestTypes: ReadonlySet<number> = new Set([data, headers, pushPromise]);
/** Types of HTTP/2 that must not be sent (RFC 9114 §7.2.8). */
export const http2Types: ReadonlySet<number> = new Set([0x2, 0x6, 0x8, 0x9]);

/** Types of unidirectional streams (RFC 9114 §6.2, RFC 9204 §4.2). */
export const streamTypes = { control: 0x0, push: 0x1, encoder: 0x2, decoder: 0x3 } as const;

/** Settings (RFC 9114 §7.2.4.1, RFC 9204 §5). */
export const settingIds = { maxTableCapacity: 0x1, maxFieldSectionSize: 0x6, blockedStreams: 0x7 } as const;
/** Settings of HTTP/2 that must not be sent (RFC 9114 §7.2.4.1). */
export const http2Settings: ReadonlySet<number> = new Set([0x2, 0x3, 0x4, 0x5]);
