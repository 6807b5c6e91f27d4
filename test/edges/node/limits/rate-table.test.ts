/** The rate table is exact over its window, bounded, and without addresses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRateKeyOf } from '../../../../src/edges/node/limits/rate-key.ts';
import { createRateTable } from '../../../../src/edges/node/limits/rate-table.ts';

const rateKeyOf = createRateKeyOf(() => 'secret');

describe('the window', () => {
  test('slides: a request counts for exactly one window', () => {
    const { consume } = createRateTable(2, 60_000, 10);
    const calls: readonly [nowMs: number, allowed: boolean][] = [
      [0, true],
      [30_000, true],
      [59_999, false],
      [60_000, true],
      [60_001, false],
      [89_999, false],
      [90_000, true],
      [90_001, false],
      [120_000, true],
      [500_000, true],
      [500_000, true],
      [500_000, false],
    ];
    for (const [nowMs, allowed] of calls) assert.equal(consume('a', nowMs), allowed, String(nowMs));
  });

  test('enforces the limit in every window of a long random run', () => {
    const { consume } = createRateTable(5, 1000, 10);
    const granted: number[] = [];
    let state = 1;
    for (let nowMs = 0; nowMs < 50_000; ) {
      state = (state * 48_271) % 2_147_483_647;
      nowMs += state % 120;
      const inWindow = granted.filter((time) => time > nowMs - 1000).length;
      assert.equal(consume('a', nowMs), inWindow < 5, String(nowMs));
      if (inWindow < 5) granted.push(nowMs);
    }
    assert.ok(granted.length > 200, String(granted.length));
  });

  test('counts nothing for a rejected request', () => {
    const { consume } = createRateTable(1, 1000, 10);
    assert.equal(consume('a', 0), true);
    for (let nowMs = 1; nowMs < 1000; nowMs += 1) assert.equal(consume('a', nowMs), false);
    assert.equal(consume('a', 1000), true);
  });

  test('counts every key separately', () => {
    const { consume } = createRateTable(1, 1000, 10);
    assert.deepEqual([consume('a', 0), consume('b', 0), consume('a', 1), consume('b', 1)], [true, true, false, false]);
  });

  test('has no limit and stores nothing if the limit is 0', () => {
    const { consume, size } = createRateTable(0, 1000, 10);
    for (let call = 0; call < 1000; call += 1) assert.equal(consume('a', 0), true);
    assert.equal(size(), 0);
  });
});

describe('the bound', () => {
  test('discards the key that has been idle longest', () => {
    const { consume, size } = createRateTable(1, 1000, 2);
    consume('a', 0);
    consume('b', 1);
    consume('c', 2);
    assert.equal(size(), 2);
    assert.equal(consume('b', 3), false);
    assert.equal(consume('c', 3), false);
    assert.equal(consume('a', 3), true);
  });

  test('measures idleness from the last request, not the first', () => {
    const { consume } = createRateTable(2, 1000, 2);
    consume('a', 0);
    consume('b', 1);
    consume('a', 2);
    consume('c', 3);
    assert.equal(consume('a', 4), false);
  });

  test('does not grow with a million distinct keys', (t) => {
    const { consume, size } = createRateTable(60, 60_000, 65_536);
    const beforeBytes = process.memoryUsage().rss;
    for (let caller = 0; caller < 1_000_000; caller += 1) {
      consume(rateKeyOf(`${caller >> 16}.${(caller >> 8) & 255}.${caller & 255}.1`), caller / 1000);
      if (caller % 100_000 === 0) assert.ok(size() <= 65_536);
    }
    assert.ok(size() > 64_000 && size() <= 65_536, String(size()));
    const grownBytes = process.memoryUsage().rss - beforeBytes;
    t.diagnostic(`1,000,000 keys: ${size()} stored, resident memory grew by ${(grownBytes / 1e6).toFixed(1)} MB`);
  });

  test('rejects no key because of a flood of others', () => {
    const { consume } = createRateTable(1, 1000, 100);
    for (let caller = 0; caller < 10_000; caller += 1) assert.equal(consume(`key ${caller}`, 0), true);
  });
});

test('discards only keys whose last request has left the window', () => {
  const { consume, prune, size } = createRateTable(2, 1000, 10);
  consume('a', 0);
  consume('b', 500);
  consume('a', 600);
  consume('c', 700);
  const sizes = [1499, 1500, 1599, 1600, 1700].map((nowMs) => {
    prune(nowMs);
    return size();
  });
  assert.deepEqual(sizes, [3, 2, 2, 1, 0]);
  assert.equal(consume('a', 1700), true);
});
