/** The sliding window is exact, in one thread and in several. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allocateTable } from '../../../../src/edges/node/limits/shared-table.ts';
import { createSlidingWindow, windowWords } from '../../../../src/edges/node/limits/sliding-window.ts';

const createWindow = (perWindow: number, windowMs: number, keys = 64) => {
  const memory = allocateTable({ keys, valueWordsPerKey: windowWords(perWindow) });
  return createSlidingWindow(memory, perWindow, windowMs, 1);
};

describe('the window', () => {
  test('slides: a request counts for exactly one window', () => {
    const { take } = createWindow(2, 60_000);
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
    for (const [nowMs, allowed] of calls) assert.equal(take('a', nowMs), allowed, String(nowMs));
  });

  test('enforces the limit in every window of a long random run', () => {
    const { take } = createWindow(5, 1000);
    const granted: number[] = [];
    let state = 1;
    for (let nowMs = 0; nowMs < 50_000; ) {
      state = (state * 48_271) % 2_147_483_647;
      nowMs += state % 120;
      const inWindow = granted.filter((time) => time > nowMs - 1000).length;
      assert.equal(take('a', nowMs), inWindow < 5, String(nowMs));
      if (inWindow < 5) granted.push(nowMs);
    }
    assert.ok(granted.length > 200, String(granted.length));
  });

  test('counts nothing for a rejected request', () => {
    const { take } = createWindow(1, 1000);
    assert.equal(take('a', 0), true);
    for (let nowMs = 1; nowMs < 1000; nowMs += 1) assert.equal(take('a', nowMs), false);
    assert.equal(take('a', 1000), true);
  });

  test('counts every key separately', () => {
    const { take } = createWindow(1, 1000);
    assert.deepEqual([take('a', 0), take('b', 0), take('a', 1), take('b', 1)], [true, true, false, false]);
  });

  test('has no limit and stores nothing if the limit is 0', () => {
    const { take, table } = createWindow(0, 1000);
    for (let call = 0; call < 1000; call += 1) assert.equal(take('a', 0), true);
    assert.equal(table.size(), 0);
  });

  test('slides over any number of wraps of its stored times, and after a long pause', () => {
    const { take } = createWindow(40, 60_000);
    // Microseconds modulo 2^32 wrap after 71 minutes.
    for (const startMs of [0, 2_147_400, 4_294_900, 4_294_967_000, 2 ** 41]) {
      for (let each = 0; each < 40; each += 1) assert.equal(take('a', startMs + each * 1000), true);
      assert.equal(take('a', startMs + 59_999.9), false);
      assert.equal(take('a', startMs + 60_000), true);
      assert.equal(take('a', startMs + 60_999.9), false);
      assert.equal(take('a', startMs + 61_000), true);
    }
  });

  test('returns what a request took', () => {
    const { take, giveBack } = createWindow(2, 1000);
    take('a', 0);
    take('a', 1);
    giveBack('a');
    giveBack('unknown');
    assert.deepEqual([take('a', 2), take('a', 3), take('a', 1000), take('a', 1001)], [true, false, true, false]);
  });
});
