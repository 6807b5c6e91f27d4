/** Decodes the Huffman code of QPACK (RFC 7541 §5.2 and appendix B), which is canonical: its lengths define it. */
import { huffmanLengths } from './data/huffman-lengths.ts';

const endOfString = huffmanLengths.length - 1;
const maxLength = Math.max(...huffmanLengths);
/** Bits of a code that one look at a table decodes; most of ASCII. */
const shortBits = 8;
/** The shortest code has five bits. */
const maxGrowth = 8 / 5;

/** The codes of one length: the first of them, and their values in order. */
interface CodesOfLength {
  readonly length: number;
  readonly first: number;
  readonly values: readonly number[];
}

const codes: readonly CodesOfLength[] = codesByLength();
const longCodes = codes.filter(({ length }) => length > shortBits);
/** Value and length (`value * 16 + length`) for each first byte; 0 for the start of a longer code. */
const shortCodes = Uint16Array.from({ length: 2 ** shortBits }, (_, bits) => {
  const found = codes.find(
    (each) => each.length <= shortBits && valueIn(each, bits >> (shortBits - each.length)) !== -1,
  );
  return found === undefined ? 0 : valueIn(found, bits >> (shortBits - found.length)) * 16 + found.length;
});

function codesByLength(): CodesOfLength[] {
  const found: CodesOfLength[] = [];
  let next = 0;
  for (let length = 1; length <= maxLength; length += 1) {
    next *= 2;
    const values = huffmanLengths.flatMap((each, value) => (each === length ? [value] : []));
    if (values.length > 0) found.push({ length, first: next, values });
    next += values.length;
  }
  return found;
}

/** Returns the value of a code; -1 if there is none of this length. */
function valueIn({ first, values }: CodesOfLength, code: number): number {
  return values[code - first] ?? -1;
}

/** Returns the bytes as Latin-1; null if they are no valid code, or padded otherwise than RFC 7541 §5.2 requires. */
export function decodeHuffman(bytes: Uint8Array): string | null {
  const end = bytes.length * 8;
  const decoded = Buffer.allocUnsafe(Math.ceil(bytes.length * maxGrowth));
  let length = 0;
  for (let at = 0; at < end; ) {
    const window = windowAt(bytes, at);
    // Less than a byte of ones at the end is padding.
    if (window === 0xff_ff_ff_ff && end - at < 8) break;
    const short = shortCodes[window >>> (32 - shortBits)] as number;
    if (short !== 0) {
      decoded[length] = short >> 4;
      at += short & 15;
    } else {
      const long = longCodes.find((each) => valueIn(each, window >>> (32 - each.length)) !== -1);
      const value = long === undefined ? endOfString : valueIn(long, window >>> (32 - long.length));
      if (long === undefined || value === endOfString) return null;
      decoded[length] = value;
      at += long.length;
    }
    length += 1;
    if (at > end) return null;
  }
  return decoded.toString('latin1', 0, length);
}

/** The 32 bits from a bit on; beyond the end, they are ones. */
function windowAt(bytes: Uint8Array, bit: number): number {
  const at = bit >> 3;
  const shift = bit & 7;
  const byte = (offset: number): number => bytes[at + offset] ?? 0xff;
  const word = (byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3);
  return ((word << shift) | (byte(4) >> (8 - shift))) >>> 0;
}
