/** QPACK without a dynamic table (RFC 9204): field sections from bytes, and to bytes. */
import { ByteReader, CutShort } from '../../wire/byte-reader.ts';
import { huffmanLengths } from './data/huffman-lengths.ts';
import { staticTable } from './data/static-table.ts';
import { ConnectionError } from './errors.ts';

// The Huffman code (RFC 7541 §5.2 and appendix B) is canonical: its lengths define it.
const endOfString = huffmanLengths.length - 1;
const maxBits = Math.max(...huffmanLengths);
/** Bits of a code that one look at a table decodes; most of ASCII. */
const shortBits = 8;
/** The shortest code has five bits. */
const maxGrowth = 8 / 5;

/** Value and length (`value * 16 + length`) by the first byte; 0 for the start of a longer code. */
const shortCodes = new Uint16Array(2 ** shortBits);
/** Values by code and length (`code * 32 + length`). */
const longCodes = new Map<number, number>();

let nextCode = 0;
for (let length = 1; length <= maxBits; length += 1) {
  nextCode *= 2;
  for (const [value, each] of huffmanLengths.entries()) {
    if (each !== length) continue;
    const spare = shortBits - length;
    if (spare >= 0) shortCodes.fill(value * 16 + length, nextCode << spare, (nextCode + 1) << spare);
    else longCodes.set(nextCode * 32 + length, value);
    nextCode += 1;
  }
}

/** Returns the text as Latin-1; null if the bytes are not a valid code, or not padded as RFC 7541 §5.2 requires. */
export function decodeHuffman(bytes: Uint8Array): string | null {
  const end = bytes.length * 8;
  const decoded = Buffer.allocUnsafe(Math.ceil(bytes.length * maxGrowth));
  let count = 0;
  for (let at = 0; at < end; count += 1) {
    const window = windowAt(bytes, at);
    // Less than a byte of ones at the end is padding.
    if (window === 0xff_ff_ff_ff && end - at < 8) break;
    const short = shortCodes[window >>> (32 - shortBits)] as number;
    let length = short === 0 ? shortBits + 1 : short & 15;
    const codeOf = (): number => (window >>> (32 - length)) * 32 + length;
    while (short === 0 && length < maxBits && !longCodes.has(codeOf())) length += 1;
    const value = short === 0 ? longCodes.get(codeOf()) : short >> 4;
    at += length;
    if (value === undefined || value === endOfString || at > end) return null;
    decoded[count] = value;
  }
  return decoded.toString('latin1', 0, count);
}

/** The 32 bits from a bit on; beyond the end, they are ones. */
function windowAt(bytes: Uint8Array, bit: number): number {
  const at = bit >> 3;
  const shift = bit & 7;
  const byte = (offset: number): number => bytes[at + offset] ?? 0xff;
  const word = (byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3);
  return ((word << shift) | (byte(4) >> (8 - shift))) >>> 0;
}

const invalid = (): ConnectionError => new ConnectionError('decompressionFailed');

/** Reads the integers and strings of RFC 9204 §4.1; throws a `ConnectionError` for invalid ones, `CutShort` if the bytes end early. */
export class PrefixReader extends ByteReader {
  /** Reads an integer that begins in the `prefixBits` low bits of the next byte (RFC 7541 §5.1); ignores the bits above them. */
  integer(prefixBits: number): number {
    const mask = 2 ** prefixBits - 1;
    let value = this.byte() & mask;
    if (value < mask) return value;
    // Four more bytes can encode any length of ours.
    for (let factor = 1; factor <= 2 ** 21; factor *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw invalid();
  }

  /** Reads a string as Latin-1. Its length begins in the `prefixBits` low bits; the bit above them states whether it is Huffman-coded. */
  string(prefixBits: number): string {
    const isHuffman = (this.peek() & (2 ** prefixBits)) !== 0;
    const bytes = this.take(this.integer(prefixBits));
    if (!isHuffman) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const text = decodeHuffman(bytes);
    if (text === null) throw invalid();
    return text;
  }
}

/**
 * Decodes a field section: names and values alternate, as Latin-1. Null if their bytes exceed `maxBytes`, counted as over HTTP/2. Throws
 * a `ConnectionError`; also for a reference to a dynamic table, which we do not permit.
 */
export function decodeFieldSection(bytes: Uint8Array, maxBytes: number): string[] | null {
  try {
    return readFieldLines(new PrefixReader(bytes), maxBytes);
  } catch (error) {
    throw error instanceof CutShort ? invalid() : error;
  }
}

function readFieldLines(reader: PrefixReader, maxBytes: number): string[] | null {
  const requiredInserts = reader.integer(8);
  const isBaseNegative = reader.peek() >= 0x80;
  reader.integer(7);
  if (requiredInserts !== 0 || isBaseNegative) throw invalid();
  const fields: string[] = [];
  let decodedBytes = 0;
  while (!reader.isAtEnd) {
    const [name, value] = readFieldLine(reader);
    fields.push(name, value);
    decodedBytes += name.length + value.length + 4;
    if (decodedBytes > maxBytes) return null;
  }
  return fields;
}

/** RFC 9204 §4.5: the first bits of a line state its form. */
function readFieldLine(reader: PrefixReader): readonly [name: string, value: string] {
  const byte = reader.peek();
  // A reference to a row of the static table.
  if (byte >= 0xc0) return staticRow(reader.integer(6));
  // The name of a row of the static table, and a value.
  if ((byte & 0xd0) === 0x50) {
    const [name] = staticRow(reader.integer(4));
    return [name, reader.string(7)];
  }
  if ((byte & 0xe0) === 0x20) return [reader.string(3), reader.string(7)];
  throw invalid();
}

function staticRow(row: number): readonly [name: string, value: string] {
  const found = staticTable[row];
  if (found === undefined) throw invalid();
  return found;
}

/** The rows of the static table by name, then by value, each in the order of the table. */
const rowsOf = new Map(staticTable.map(([name]) => [name, new Map<string, number>()]));
for (const [row, [name, value]] of staticTable.entries()) rowsOf.get(name)?.set(value, row);

/** The first bytes of every field section that does not refer to a dynamic table. */
export const sectionPrefix = Buffer.from([0, 0]);

/** Encodes a field section; names and values alternate, in lower case and as Latin-1. */
export const encodeFieldSection = (pairs: readonly string[]): Buffer =>
  Buffer.concat([sectionPrefix, encodeFieldLines(pairs)]);

/** More bytes than the integers of a line have. */
const lineIntegerBytes = 16;

/** Encodes lines without the prefix of a section, so that they can follow others. */
export function encodeFieldLines(pairs: readonly string[]): Buffer {
  let maxBytes = 0;
  for (const part of pairs) maxBytes += part.length + lineIntegerBytes;
  const writer = new PrefixWriter(maxBytes);
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const name = pairs[at] as string;
    const value = pairs[at + 1] as string;
    const rows = rowsOf.get(name);
    const row = rows?.get(value);
    if (row !== undefined) {
      writer.integer(0xc0, 6, row);
      continue;
    }
    const [nameRow] = rows?.values() ?? [];
    if (nameRow === undefined) writer.string(0x20, 3, name);
    else writer.integer(0x50, 4, nameRow);
    writer.string(0, 7, value);
  }
  return writer.written;
}

/** Writes the integers and strings of RFC 9204 §4.1. `flags` has the bits of the first byte above its `prefixBits` low ones. */
class PrefixWriter {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(maxBytes: number) {
    this.#bytes = Buffer.allocUnsafe(maxBytes);
  }

  get written(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  integer(flags: number, prefixBits: number, value: number): void {
    const mask = 2 ** prefixBits - 1;
    this.#byte(flags | Math.min(value, mask));
    if (value < mask) return;
    let rest = value - mask;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#byte((rest % 128) | 0x80);
    this.#byte(rest);
  }

  /** Without Huffman: responses have few headers, and decoding them costs the client more than the bytes. */
  string(flags: number, prefixBits: number, text: string): void {
    this.integer(flags, prefixBits, text.length);
    this.#at += this.#bytes.write(text, this.#at, 'latin1');
  }

  #byte(value: number): void {
    this.#bytes[this.#at] = value;
    this.#at += 1;
  }
}
