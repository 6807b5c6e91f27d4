/** Counts by key in the current window. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WindowCounts } from '../../src/native/window-counts.ts';

test('counts each key until the window is over', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const counts = new WindowCounts(1_000, 10);
  assert.deepEqual(
    ['a', 'a', 'b'].map((key) => counts.add(key)),
    [1, 2, 1],
  );
  context.mock.timers.tick(1_000);
  assert.equal(counts.add('a'), 1);
  // The next window begins with the first key.
  context.mock.timers.tick(999);
  assert.equal(counts.add('a'), 2);
});

test('keeps no key after the window', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const counts = new WindowCounts(1_000, 10);
  counts.add('a');
  assert.deepEqual([counts.size, counts.has('a'), counts.has('b')], [1, true, false]);
  context.mock.timers.tick(1_000);
  assert.deepEqual([counts.size, counts.has('a')], [0, false]);
});

test('counts a limited number of keys, and forgets the first', () => {
  const counts = new WindowCounts(1_000, 3);
  for (const key of ['a', 'b', 'c', 'c', 'd']) counts.add(key);
  assert.deepEqual(
    ['b', 'c', 'd', 'a'].map((key) => counts.add(key)),
    [2, 3, 2, 1],
  );
});
