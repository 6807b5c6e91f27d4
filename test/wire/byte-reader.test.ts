/** Reads numbers, integers of QUIC and vectors, and never beyond the end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteReader, CutShort, readBytes } from '../../src/wire/byte-reader.ts';
import { varintAt, varintBytes } from '../../src/wire/varint.ts';

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/** The examples of RFC 9000, appendix A.1, and the bounds of each length. */
const integers: readonly (readonly [hex: string, value: bigint])[] = [
  ['c2197c5eff14e88c', 151_288_809_941_952_652n],
  ['9d7f3e7d', 494_878_333n],
  ['7bbd', 15_293n],
  ['25', 37n],
  ['4025', 37n],
  ['3f', 63n],
  ['7fff', 16_383n],
  ['bfffffff', 1_073_741_823n],
  ['ffffffffffffffff', 4_611_686_018_427_387_903n],
];

test('reads an integer of QUIC as a number and exactly', () => {
  for (const [hex, value] of integers) {
    const bytes = bytesOf(`${hex}07`);
    for (const read of [(reader: ByteReader) => BigInt(reader.varint()), (reader: ByteReader) => reader.wideVarint()]) {
      const reader = new ByteReader(bytes);
      const found = read(reader);
      if (value <= Number.MAX_SAFE_INTEGER) assert.equal(found, value, hex);
      else assert.equal(Number(found), Number(value), hex);
      assert.equal(reader.position, hex.length / 2, hex);
      assert.equal(reader.byte(), 7);
      assert.ok(reader.isAtEnd);
    }
    assert.equal(new ByteReader(bytes).wideVarint(), value, hex);
    assert.equal(varintAt(bytesOf(`ff${hex}`), 1), Number(value));
    assert.equal(varintBytes(bytes[0] ?? 0), hex.length / 2);
  }
});

/** Each function that reads, with bytes of which it needs all. */
const reads: Readonly<Record<string, readonly [hex: string, read: (reader: ByteReader) => unknown, value: unknown]>> = {
  byte: ['fe', (reader) => reader.byte(), 254],
  peek: ['fe', (reader) => reader.peek(), 254],
  number: ['01020304', (reader) => reader.number(4), 0x01020304],
  'number of 32 bits': ['fffffffe', (reader) => reader.number(4), 0xfffffffe],
  take: ['0102', (reader) => [...reader.take(2)], [1, 2]],
  vector: ['0002aabb', (reader) => [...reader.vector(2)], [0xaa, 0xbb]],
  numbers: ['0400010002', (reader) => reader.numbers(1, 2), [1, 2]],
  varint: ['9d7f3e7d', (reader) => reader.varint(), 494_878_333],
  wideVarint: ['9d7f3e7d', (reader) => reader.wideVarint(), 494_878_333n],
};

for (const [name, [hex, read, value]] of Object.entries(reads))
  test(`${name} reads a whole value, and throws for each cut one`, () => {
    const bytes = bytesOf(hex);
    assert.deepEqual(readBytes(bytes, read), value);
    // The rest of the memory does not count.
    const within = bytesOf(`aa${hex}bb`).subarray(1, bytes.length + 1);
    assert.deepEqual(readBytes(within, read), value);
    for (let length = 0; length < bytes.length; length += 1) {
      assert.throws(() => read(new ByteReader(within.subarray(0, length))), CutShort);
      assert.equal(readBytes(within.subarray(0, length), read), null);
    }
  });

test('rejects a length that is negative or no number, and does not move', () => {
  const reader = new ByteReader(bytesOf('0102'), 1);
  for (const count of [-1, Number.NaN, Number.POSITIVE_INFINITY, 2]) assert.throws(() => reader.take(count), CutShort);
  assert.equal(reader.position, 1);
  assert.deepEqual([...reader.rest()], [2]);
  assert.deepEqual([...reader.rest()], []);
});

test('hands out what comes before a value that is cut', () => {
  const values: number[] = [];
  assert.equal(
    readBytes(bytesOf('000100'), (reader) => reader.all(() => reader.number(2), values)),
    null,
  );
  assert.deepEqual(values, [1]);
  assert.throws(
    () =>
      readBytes(bytesOf('00'), () => {
        throw new TypeError('another error');
      }),
    TypeError,
  );
});
