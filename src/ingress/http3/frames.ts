/** Reads and writes the frames of HTTP/3 (RFC 9114 §7) and the integers of QUIC (RFC 9000 §16). */
import { readBytes } from '../../wire/byte-reader.ts';
import { varintAt, varintBytes } from '../../wire/varint.ts';
import { http2Types } from './data/registries.ts';
import { ConnectionError } from './errors.ts';

/** A frame header takes more work than its bytes. */
export const frameCost = 16;

/** Treatment of a frame's payload: stored as a whole, passed on as it arrives, or skipped. */
type Treatment = 'whole' | 'pieces' | 'skip';

export interface FrameHandler {
  /** Called before the payload of `length` bytes; throws if the frame is not permitted here. */
  begin(type: number, length: number): Treatment;
  /** A whole payload, which is the handler's own; `isFinal` if no further bytes have arrived. */
  frame(type: number, payload: Uint8Array, isFinal: boolean): void;
  /** A part of a payload: its bytes if it is passed on in pieces, else null. */
  piece(bytes: Uint8Array | null, length: number): void;
}

/** Reads a payload that consists of integers; one that is cut short is an error. */
export function readVarints(payload: Uint8Array): number[] {
  const values = readBytes(payload, (reader) => reader.all(() => reader.varint()));
  if (values === null) throw new ConnectionError('frameError');
  return values;
}

/** Encodes integers below 2^53, one after another. */
export function encodeVarints(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(8 * values.length);
  let at = 0;
  for (const value of values) {
    if (value < 2 ** 6) at = bytes.writeUInt8(value, at);
    else if (value < 2 ** 14) at = bytes.writeUInt16BE(0x4000 + value, at);
    else if (value < 2 ** 30) at = bytes.writeUInt32BE(0x8000_0000 + value, at);
    else at = bytes.writeBigUInt64BE(0xc000_0000_0000_0000n + BigInt(value), at);
  }
  return bytes.subarray(0, at);
}

/** Encodes a frame. */
export const encodeFrame = (type: number, payload: Uint8Array): Buffer =>
  Buffer.concat([encodeVarints(type, payload.length), payload]);

interface Frame {
  readonly type: number;
  readonly treatment: Treatment;
  /** Bytes of the payload that have not been passed on. */
  left: number;
}

/** Divides the bytes of one stream into frames. */
export class FrameReader {
  readonly #handler: FrameHandler;
  /** Bytes of a frame header, or of a payload that is kept as a whole. */
  #incomplete: Uint8Array | null = null;
  #frame: Frame | null = null;

  constructor(handler: FrameHandler) {
    this.#handler = handler;
  }

  /** Whether the bytes so far end within a frame. */
  get isWithinFrame(): boolean {
    return this.#frame !== null || this.#incomplete !== null;
  }

  push(bytes: Uint8Array): void {
    let rest = this.#incomplete === null ? bytes : Buffer.concat([this.#incomplete, bytes]);
    this.#incomplete = null;
    for (;;) {
      const used = this.#frame === null ? this.#readHeader(rest) : this.#readPayload(this.#frame, rest);
      if (used === null) break;
      rest = rest.subarray(used);
    }
    // A copy: a few bytes would keep everything in memory that was read with them.
    if (rest.length > 0) this.#incomplete = new Uint8Array(rest);
  }

  /** Returns the bytes used; null if more are needed. */
  #readHeader(bytes: Uint8Array): number | null {
    const typeBytes = varintBytes(bytes[0] ?? 0);
    const lengthStart = bytes[typeBytes];
    if (lengthStart === undefined || bytes.length < typeBytes + varintBytes(lengthStart)) return null;
    const type = varintAt(bytes, 0);
    const left = varintAt(bytes, typeBytes);
    if (http2Types.has(type)) throw new ConnectionError('frameUnexpected');
    this.#frame = { type, left, treatment: this.#handler.begin(type, left) };
    return typeBytes + varintBytes(lengthStart);
  }

  #readPayload(frame: Frame, bytes: Uint8Array): number | null {
    const { type, left, treatment } = frame;
    if (treatment === 'whole') {
      if (bytes.length < left) return null;
      this.#frame = null;
      this.#handler.frame(type, bytes.subarray(0, left), bytes.length === left);
      return left;
    }
    const used = Math.min(bytes.length, left);
    if (used === 0 && left > 0) return null;
    frame.left -= used;
    if (frame.left === 0) this.#frame = null;
    this.#handler.piece(treatment === 'pieces' ? bytes.subarray(0, used) : null, used);
    return used;
  }
}
