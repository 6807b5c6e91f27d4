/** A token bucket allows a burst, and a steady rate afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokenBuckets } from '../../../../src/edges/node/limits/counters.ts';
import { allocateTable } from '../../../../src/edges/node/limits/shared-table.ts';

const keyOf = (name: string) => ({ high: 0, low: name.charCodeAt(0) });

const createBuckets = (perSecond: number, burst: number) =>
  createTokenBuckets(allocateTable(8, 0), { perSecond, burst }, 1);

for (const [perSecond, burst] of [
  [50, 200],
  [100, 6000],
  [1000, 60_000],
  [10 / 6, 10],
] as const)
  test(`allows a burst of ${burst}, then ${perSecond} per second`, () => {
    const { consume } = createBuckets(perSecond, burst);
    const startMs = 987_654_321.123;
    const takeAll = (nowMs: number): number => {
      let taken = 0;
      while (consume(keyOf('a'), nowMs)) taken += 1;
      return taken;
    };
    assert.equal(takeAll(startMs), burst);
    assert.equal(consume(keyOf('b'), startMs), true);
    const tokenMs = 1000 / perSecond;
    assert.equal(takeAll(startMs + 0.9 * tokenMs), 0);
    assert.equal(takeAll(startMs + tokenMs), 1);
    assert.equal(takeAll(startMs + 6 * tokenMs), 5);
    assert.equal(takeAll(startMs + 2 * burst * tokenMs), burst);
  });

test('has no limit and stores nothing if the rate is 0', () => {
  const { consume, table } = createBuckets(0, 0);
  for (let each = 0; each < 1000; each += 1) assert.equal(consume(keyOf('a'), 0), true);
  assert.ok(table.expiresMs.every((ms) => ms === 0));
});
