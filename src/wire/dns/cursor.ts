/** Reads the parts of a DNS message (RFC 1035 §4): numbers, octets, character-strings and names, which may be compressed. Pure; imports nothing. */

/** Data that no valid message contains; the message says what is wrong with it. */
export class Malformed extends RangeError {}

/** A position in a message. Functions that read from it throw a RangeError if the message is truncated or malformed. */
export interface Cursor {
  readonly bytes: Uint8Array;
  /** Throws the RangeError itself if a number lies outside the message. */
  readonly view: DataView;
  at: number;
}

export function cursorOf(bytes: Uint8Array): Cursor {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: 0 };
}

export const uint8 = (cursor: Cursor): number => cursor.view.getUint8(advance(cursor, 1));
export const uint16 = (cursor: Cursor): number => cursor.view.getUint16(advance(cursor, 2));
export const uint32 = (cursor: Cursor): number => cursor.view.getUint32(advance(cursor, 4));

/** Returns the position before these octets. */
function advance(cursor: Cursor, octets: number): number {
  const { at } = cursor;
  cursor.at += octets;
  return at;
}

export function take(cursor: Cursor, length: number): Uint8Array {
  if (length < 0 || cursor.at + length > cursor.bytes.length) throw new Malformed('it ends too early');
  const start = advance(cursor, length);
  return cursor.bytes.subarray(start, start + length);
}

/** A length octet and as many octets (RFC 1035 §3.3). */
export const characterString = (cursor: Cursor): Uint8Array => take(cursor, uint8(cursor));

/** RFC 1035 §3.1, including the length octets and the root label. */
const maxNameBytes = 255;
const maxLabelBytes = 63;
const pointerMark = 0xc0;

/** Returns a name without the trailing dot, the root as `.`; in a label `.` and `\` as `\.` and `\\`, all except visible ASCII as `\DDD`. */
export function readName(cursor: Cursor): string {
  const { view } = cursor;
  let { at } = cursor;
  let segmentStart = at;
  let end: number | null = null;
  let length = 1;
  const text: string[] = [];
  for (let size = view.getUint8(at); size > 0; size = view.getUint8(at)) {
    if (size >= pointerMark) {
      // RFC 1035 §4.1.4: pointers refer to a prior occurrence. If each points further back than the last, they cannot loop.
      const target = view.getUint16(at) & 0x3fff;
      if (target >= segmentStart) throw new Malformed('a compressed name points forward');
      end ??= at + 2;
      segmentStart = at = target;
      continue;
    }
    length += size + 1;
    if (size > maxLabelBytes || length > maxNameBytes) throw new Malformed('a label or a name is too long');
    at += 1;
    if (text.length > 0) text.push('.');
    for (const labelEnd = at + size; at < labelEnd; at += 1) text.push(labelOctets[view.getUint8(at)] ?? '');
  }
  cursor.at = end ?? at + 1;
  return text.join('') || '.';
}

/** An octet as `\DDD` (RFC 1035 §5.1). */
export const decimalEscape = (octet: number): string => `\\${String(octet).padStart(3, '0')}`;

/** Text form of each octet of a label (RFC 1035 §5.1). */
export const labelOctets: readonly string[] = Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet);
  if (character === '.' || character === '\\') return `\\${character}`;
  return octet > 0x20 && octet < 0x7f ? character : decimalEscape(octet);
});
