/** The CPU time of a thread, which is read only when enough time has passed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ThreadTimer } from '../../src/native/thread-clock.ts';

test('a thread that waits uses no time, and one that works uses at most what passes', async () => {
  const timer = new ThreadTimer();
  const startMs = performance.now();
  await delay(200);
  assert.equal(timer.hasUsed(100), false);
  let calls = 0;
  while (!timer.hasUsed(100)) calls += 1;
  assert.ok(timer.usedMs() <= performance.now() - startMs);
  assert.ok(calls > 1000, 'it is not read in each call');
});
