/** Reads names of DNS (RFC 1035 §3.1), which may be compressed, and character-strings; writes octets of names as text. */
import { type ByteReader, CutShort } from '../byte-reader.ts';

/** Data that no valid message contains; the message says what is wrong with it. */
export class Malformed extends RangeError {}

/** A length octet and as many octets (RFC 1035 §3.3). */
export const characterString = (reader: ByteReader): Uint8Array => reader.vector(1);

/** RFC 1035 §3.1, including the length octets and the root label. */
const maxNameBytes = 255;
const maxLabelBytes = 63;
const pointerMark = 0xc0;

/** Returns a name without the trailing dot, the root as `.`; in a label `.` and `\` as `\.` and `\\`, all except visible ASCII as `\DDD`. */
export function readName(reader: ByteReader): string {
  const { bytes, position } = reader;
  const octetAt = (at: number): number => {
    const octet = bytes[at];
    if (octet === undefined) throw new CutShort();
    return octet;
  };
  let at = position;
  let segmentStart = at;
  let end: number | null = null;
  let length = 1;
  const text: string[] = [];
  for (let size = octetAt(at); size > 0; size = octetAt(at)) {
    if (size >= pointerMark) {
      // RFC 1035 §4.1.4: pointers refer to a prior occurrence. If each points further back than the last, they cannot loop.
      const target = ((size - pointerMark) << 8) | octetAt(at + 1);
      if (target >= segmentStart) throw new Malformed('a compressed name points forward');
      end ??= at + 2;
      segmentStart = target;
      at = target;
      continue;
    }
    length += size + 1;
    if (size > maxLabelBytes || length > maxNameBytes) throw new Malformed('a label or a name is too long');
    at += 1;
    if (text.length > 0) text.push('.');
    for (const labelEnd = at + size; at < labelEnd; at += 1) text.push(labelOctets[octetAt(at)] ?? '');
  }
  reader.take((end ?? at + 1) - position);
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
