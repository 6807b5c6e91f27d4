/** A measurement has no value if the event loop was busy for long in one iteration while it ran. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { Stopwatch } from '../../../src/ingress/schedule/stopwatch.ts';

/** A stopwatch of an event loop that works and waits as the test says. */
function createLoop() {
  let nowMs = 1_000;
  let activeMs = 0;
  const stopwatch = new Stopwatch({ nowMs: () => nowMs, activeMs: () => activeMs });
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  const work = (ms: number): void => {
    nowMs += ms;
    activeMs += ms;
  };
  return { stopwatch, wait, work };
}

test('measures while the event loop waits, and does little in each iteration', () => {
  const { stopwatch, wait, work } = createLoop();
  const end = stopwatch.start();
  wait(40);
  assert.equal(end(), 40);
  for (let each = 0; each < 12; each += 1) {
    work(4.5);
    stopwatch.endIteration();
  }
  work(4.123);
  assert.equal(end(), 98.12);
});

test('has no value after a long iteration, and within one', () => {
  const { stopwatch, wait, work } = createLoop();
  const end = stopwatch.start();
  work(3);
  stopwatch.endIteration();
  work(5.1);
  assert.equal(end(), null);
  stopwatch.endIteration();
  wait(10);
  assert.equal(end(), null);
  assert.equal(stopwatch.start()(), 0);
});

test('work before the start of a measurement counts only for measurements that were already running', () => {
  const { stopwatch, wait, work } = createLoop();
  const first = stopwatch.start();
  work(5.1);
  const second = stopwatch.start();
  wait(2);
  assert.deepEqual([first(), second()], [null, 2]);
});

test('measures how long the event loop of this thread was busy', async () => {
  const stopwatch = new Stopwatch();
  await immediate();
  const end = stopwatch.start();
  await immediate();
  const endMs = performance.now() + 6;
  while (performance.now() < endMs);
  assert.equal(end(), null);
});
