/**
 * SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash of short texts, such as addresses. In JavaScript, because a function of
 * `node:crypto` takes 40 µs of a visit that comes alone.
 */

const blockBytes = 8;
/** Two rounds for each block, and four at the end. */
const blockRounds = 2;
const finalRounds = 4;

/** 2^32: halves of 32 bits carry from here on. */
const carry = 4_294_967_296;

/** 64 bits, as two numbers of 32. */
export interface Key {
  readonly high: number;
  readonly low: number;
}

/** Returns a function that hashes a text, of which the low eight bits of each UTF-16 unit count. `key`: four times 32 bits. */
export function createSipHash([k0 = 0, k1 = 0, k2 = 0, k3 = 0]: readonly number[]): (text: string) => Key {
  return (text) => {
    const byteAt = (at: number): number => (at < text.length ? text.charCodeAt(at) & 0xff : 0);
    const wordAt = (at: number): number =>
      byteAt(at) | (byteAt(at + 1) << 8) | (byteAt(at + 2) << 16) | (byteAt(at + 3) << 24);
    // Four words of 64 bits.
    let aLow = k0 ^ 0x70736575;
    let aHigh = k1 ^ 0x736f6d65;
    let bLow = k2 ^ 0x6e646f6d;
    let bHigh = k3 ^ 0x646f7261;
    let cLow = k0 ^ 0x6e657261;
    let cHigh = k1 ^ 0x6c796765;
    let dLow = k2 ^ 0x79746573;
    let dHigh = k3 ^ 0x74656462;
    const blocks = Math.floor(text.length / blockBytes) + 1;
    for (let block = 0; block <= blocks; block += 1) {
      const isBlock = block < blocks;
      const low = isBlock ? wordAt(block * blockBytes) : 0;
      // The last byte of the last block is the length.
      const lengthByte = block === blocks - 1 ? text.length << 24 : 0;
      const high = isBlock ? wordAt(block * blockBytes + 4) | lengthByte : 0;
      dLow ^= low;
      dHigh ^= high;
      if (!isBlock) cLow ^= 0xff;
      for (let round = isBlock ? blockRounds : finalRounds; round > 0; round -= 1) {
        // a += b; b <<<= 13; b ^= a; a <<<= 32
        let sum = (aLow >>> 0) + (bLow >>> 0);
        aHigh = (aHigh + bHigh + (sum >= carry ? 1 : 0)) | 0;
        let rotated = (bLow << 13) | (bHigh >>> 19);
        bHigh = ((bHigh << 13) | (bLow >>> 19)) ^ aHigh;
        bLow = rotated ^ sum;
        aLow = aHigh;
        aHigh = sum | 0;
        // c += d; d <<<= 16; d ^= c
        sum = (cLow >>> 0) + (dLow >>> 0);
        cHigh = (cHigh + dHigh + (sum >= carry ? 1 : 0)) | 0;
        cLow = sum | 0;
        rotated = (dLow << 16) | (dHigh >>> 16);
        dHigh = ((dHigh << 16) | (dLow >>> 16)) ^ cHigh;
        dLow = rotated ^ cLow;
        // a += d; d <<<= 21; d ^= a
        sum = (aLow >>> 0) + (dLow >>> 0);
        aHigh = (aHigh + dHigh + (sum >= carry ? 1 : 0)) | 0;
        aLow = sum | 0;
        rotated = (dLow << 21) | (dHigh >>> 11);
        dHigh = ((dHigh << 21) | (dLow >>> 11)) ^ aHigh;
        dLow = rotated ^ aLow;
        // c += b; b <<<= 17; b ^= c; c <<<= 32
        sum = (cLow >>> 0) + (bLow >>> 0);
        cHigh = (cHigh + bHigh + (sum >= carry ? 1 : 0)) | 0;
        rotated = (bLow << 17) | (bHigh >>> 15);
        bHigh = ((bHigh << 17) | (bLow >>> 15)) ^ cHigh;
        bLow = rotated ^ sum;
        cLow = cHigh;
        cHigh = sum | 0;
      }
      aLow ^= low;
      aHigh ^= high;
    }
    return { high: aHigh ^ bHigh ^ cHigh ^ dHigh, low: aLow ^ bLow ^ cLow ^ dLow };
  };
}
