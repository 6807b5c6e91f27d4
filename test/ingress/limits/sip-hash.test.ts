/** SipHash-2-4 against the vectors of its authors, whose key is the bytes 0 to 15. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSipHash, type Key } from '../../../src/ingress/limits/sip-hash.ts';

const sipHash = createSipHash([0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c]);
const textOf = ({ high, low }: Key): string =>
  [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
const hexOf = (text: string): string => textOf(sipHash(text));
const bytesUpTo = (length: number): string => String.fromCharCode(...Array.from({ length }, (_, at) => at));

// The first, some in between and the last of the reference implementation (vectors_sip64), as numbers.
const vectors: Readonly<Record<number, string>> = {
  0: '726fdb47dd0e0e31',
  1: '74f839c593dc67fd',
  7: 'ab0200f58b01d137',
  8: '93f5f5799a932462',
  15: 'a129ca6149be45e5',
  63: '958a324ceb064572',
};

for (const [length, expected] of Object.entries(vectors))
  test(`hashes ${length} bytes as the reference implementation`, () => {
    assert.equal(hexOf(bytesUpTo(Number(length))), expected);
  });

test('depends on each part of the key', () => {
  const hashes = [0, 1, 2, 3].map((part) => {
    const key = [0, 0, 0, 0];
    key[part] = 1;
    return textOf(createSipHash(key)('192.0.2.1'));
  });
  assert.equal(new Set([...hashes, textOf(createSipHash([0, 0, 0, 0])('192.0.2.1'))]).size, 5);
});
