/** The pauses before another attempt. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPause, pauseAfter, spreadPause } from '../../../src/edges/node/pauses.ts';

test('a pause doubles with each further failure, up to a bound', () => {
  const pauseMs = (failures: number): number => pauseAfter(failures, { firstMs: 250, maxMs: 1_500 });
  assert.deepEqual([1, 2, 3, 4, 5, 1e9].map(pauseMs), [250, 500, 1_000, 1_500, 1_500, 1_500]);
  assert.deepEqual(
    [1, 2, 1e9].map((failures) => pauseAfter(failures, { firstMs: 0, maxMs: 0 })),
    [0, 0, 0],
  );
});

test('a pause is longer or shorter by a random part', (context) => {
  for (const random of [0, 0.5, 1]) {
    context.mock.method(Math, 'random', () => random);
    assert.equal(spreadPause(1_000, 1 / 2), 1_000 + 500 * random);
    assert.equal(spreadPause(1_000, -1 / 2), 1_000 - 500 * random);
  }
});

test('a pause is stated in the unit that fits', () => {
  assert.deepEqual([59_001, 60_001, 119 * 60_000, 120 * 60_000, 86_400_000].map(formatPause), [
    '60 seconds',
    '2 minutes',
    '119 minutes',
    '2 hours',
    '24 hours',
  ]);
});
