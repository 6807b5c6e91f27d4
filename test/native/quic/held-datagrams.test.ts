/** The estimate of what OpenSSL keeps of a client's datagrams. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldDatagrams } from '../../../src/native/quic/held-datagrams.ts';

const datagramBytes = 2_048;

test('counts datagrams that nothing explains, until no stream is open', () => {
  const held = new HeldDatagrams();
  for (let count = 0; count < 1_000; count += 1) held.add();
  assert.equal(held.bytes, 1_000 * datagramBytes);
  held.sweep(false);
  assert.ok(held.bytes > 990 * datagramBytes);
  held.sweep(true);
  assert.equal(held.bytes, 0);
});

test('counts nothing for long uploads, long downloads, and PING', () => {
  const held = new HeldDatagrams();
  for (let count = 0; count < 10_000; count += 1) {
    held.add();
    held.countProgress(1_200);
  }
  for (let count = 0; count < 10_000; count += 1) {
    held.add();
    held.countProgress(2_400);
  }
  for (let second = 0; second < 1_000; second += 1) {
    held.add();
    held.sweep(false);
  }
  assert.ok(held.bytes < 3 * datagramBytes, `${held.bytes} bytes`);
});
