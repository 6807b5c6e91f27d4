/** Reads and writes names of DNS (RFC 1035 §3.1), which may be compressed, and character-strings; names are text elsewhere. */
import { type ByteReader, CutShort } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';

/** Data that no valid message contains; the message says what is wrong with it. */
export class Malformed extends RangeError {}

/** A length octet and as many octets (RFC 1035 §3.3). */
export const characterString = (reader: ByteReader): Uint8Array => reader.vector(1);

/** RFC 1035 §3.1, including the length octets and the root label. */
const maxNameBytes = 255;
const maxLabelBytes = 63;
const pointerMark = 0xc0;
/** As many as a name can have labels. A message can contain a chain of 8,000, to which 5,000 records point. */
const maxPointers = 127;

/** The rest of a name, to which a pointer leads. */
interface Rest {
  /** In the form of `readName`, with a dot before each label. */
  readonly text: string;
  /** Octets of its labels. */
  readonly length: number;
}

/** By the position in the message. */
export type KnownRests = Map<number, Rest>;

/**
 * Returns a name without the trailing dot, the root as `.`; in a label `.` and `\` as `\.` and `\\`, all except visible ASCII as `\DDD`.
 * `known`, to which it adds, saves it from reading anew what several names of a message point to.
 */
export function readName(reader: ByteReader, known?: KnownRests): string {
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
  let text = '';
  let pointers = 0;
  let addRest = (): void => {};
  for (let size = octetAt(at); size > 0; size = octetAt(at)) {
    if (size >= pointerMark) {
      // RFC 1035 §4.1.4: pointers refer to a prior occurrence. If each points further back than the last, they cannot loop.
      const target = ((size - pointerMark) << 8) | octetAt(at + 1);
      if (target >= segmentStart) throw new Malformed('a compressed name points forward');
      pointers += 1;
      if (pointers > maxPointers) throw new Malformed('a compressed name has too many pointers');
      if (end === null) {
        end = at + 2;
        const rest = known?.get(target);
        if (rest !== undefined) {
          text += rest.text;
          length += rest.length;
          break;
        }
        const before = { text, length };
        addRest = () => known?.set(target, { text: text.slice(before.text.length), length: length - before.length });
      }
      segmentStart = target;
      at = target;
      continue;
    }
    length += size + 1;
    if (size > maxLabelBytes || length > maxNameBytes) throw new Malformed('a label or a name is too long');
    at += 1;
    text += '.';
    for (const labelEnd = at + size; at < labelEnd; at += 1) text += labelOctets[octetAt(at)];
  }
  if (length > maxNameBytes) throw new Malformed('a label or a name is too long');
  addRest();
  reader.take((end ?? at + 1) - position);
  return text.slice(1) || '.';
}

/** One label in the form of `readName`: a number with three digits, an octet after a backslash, or any other one but a dot. */
const labelPattern = /(?:\\\d{3}|\\.|[^.\\])+/g;
const octetPattern = /\\(\d{3})|\\?(.)/g;

/** Labels of a name in the form of `readName`, each in that form too; of the root none. */
export function labelsOf(name: string): readonly string[] {
  if (name === '.') return [];
  // The pattern takes ten times as long, and few names need it.
  return name.includes('\\') ? (name.match(labelPattern) ?? []) : name.split('.');
}

/** Writes a name in the form of `readName`, not compressed. Throws a RangeError for a label that is too long. */
export function writeName(writer: ByteWriter, name: string): void {
  for (const label of labelsOf(name)) {
    const octets = label.includes('\\') ? unescapeLabel(label) : asciiOctets(label);
    if (octets.length > maxLabelBytes) throw new RangeError('a label is too long');
    writer.number(octets.length, 1);
    writer.octets(octets);
  }
  writer.number(0, 1);
}

function unescapeLabel(label: string): Uint8Array {
  return Uint8Array.from(label.matchAll(octetPattern), ([, number, character = '']) =>
    number === undefined ? character.charCodeAt(0) : Number(number),
  );
}

/** The octets of a text in ASCII. */
export function asciiOctets(text: string): Uint8Array {
  const octets = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) octets[at] = text.charCodeAt(at);
  return octets;
}

/**
 * Writes a name as a pointer (RFC 1035 §4.1.4) if it is all or the end of another one that begins at `start`, whatever the case of letters;
 * else in full.
 * Both are in the form of `readName`.
 */
export function writeNameAfter(
  writer: ByteWriter,
  name: string,
  other: { readonly name: string; readonly start: number },
) {
  const at = other.name.length - name.length;
  const isEnd = at === 0 || (other.name[at - 1] === '.' && !other.name.includes('\\'));
  const isSame = isEnd && name !== '.' && other.name.toLowerCase().endsWith(name.toLowerCase());
  // A dot of the text stands for the length of the next label, so without escapes, positions are the same.
  if (isSame) writer.number((pointerMark << 8) | (other.start + at), 2);
  else writeName(writer, name);
}

/** An octet as `\DDD` (RFC 1035 §5.1). */
export const decimalEscape = (octet: number): string => `\\${String(octet).padStart(3, '0')}`;

/** Text form of each octet of a label (RFC 1035 §5.1). */
export const labelOctets: readonly string[] = Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet);
  if (character === '.' || character === '\\') return `\\${character}`;
  return octet > 0x20 && octet < 0x7f ? character : decimalEscape(octet);
});

/** Whether a name is that of a zone or lies below it; both without the trailing dot, `zone` in lower case. */
export function isInZone(name: string, zone: string): boolean {
  const lowered = name.toLowerCase();
  return lowered === zone || lowered.endsWith(`.${zone}`);
}
