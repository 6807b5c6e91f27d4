/** Counts by key in the current second. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecondCounts } from '../../../src/ingress/limits/second-counts.ts';

test('counts each key until the second is over', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const counts = new SecondCounts(10);
  assert.deepEqual(
    ['a', 'a', 'b'].map((key) => counts.add(key)),
    [1, 2, 1],
  );
  context.mock.timers.tick(1_000);
  assert.equal(counts.add('a'), 1);
  // The next second begins with the first key.
  context.mock.timers.tick(999);
  assert.equal(counts.add('a'), 2);
});

test('keeps no key after the second', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const counts = new SecondCounts(10);
  counts.add('a');
  assert.equal(counts.size, 1);
  context.mock.timers.tick(1_000);
  assert.equal(counts.size, 0);
});

test('counts a limited number of keys, and forgets the first', () => {
  const counts = new SecondCounts(3);
  for (const key of ['a', 'b', 'c', 'c', 'd']) counts.add(key);
  assert.deepEqual(
    ['b', 'c', 'd', 'a'].map((key) => counts.add(key)),
    [2, 3, 2, 1],
  );
});
