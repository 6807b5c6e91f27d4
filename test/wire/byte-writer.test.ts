/** Writing bytes, numbers and vectors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteReader } from '../../src/wire/byte-reader.ts';
import { ByteWriter } from '../../src/wire/byte-writer.ts';

test('a reader reads what was written, also beyond the first capacity', () => {
  const writer = new ByteWriter(1);
  writer.number(0xfe, 1);
  writer.number(0xfedc, 2);
  writer.number(0xfedc_ba98, 4);
  writer.vector(1, () => writer.octets(Uint8Array.of(1, 2, 3)));
  writer.vector(2, () => writer.octets(new Uint8Array(300).fill(7)));
  assert.equal(writer.length, writer.written.length);
  const reader = new ByteReader(writer.written);
  assert.deepEqual([reader.byte(), reader.number(2), reader.number(4)], [0xfe, 0xfedc, 0xfedc_ba98]);
  assert.deepEqual([reader.vector(1), reader.vector(2)], [Uint8Array.of(1, 2, 3), new Uint8Array(300).fill(7)]);
  assert.ok(reader.isAtEnd);
});

test('a vector that its length cannot express throws', () => {
  const writer = new ByteWriter();
  assert.throws(() => writer.vector(1, () => writer.octets(new Uint8Array(256))), RangeError);
});
