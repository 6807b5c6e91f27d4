/** Decodes the Huffman code of QPACK (RFC 7541 §5.2 and appendix B), which is canonical: its lengths define it. */
import { huffmanLengths } from './data/huffman-lengths.ts';

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

/** Returns the bytes as Latin-1; null if they are no valid code, or padded otherwise than RFC 7541 §5.2 requires. */
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
