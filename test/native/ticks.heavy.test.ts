/** Repeated work shares one timer if its intervals are whole seconds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { runEvery } from '../../src/native/ticks.ts';

test('runs work of different intervals in the same iteration', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const started = t.mock.method(globalThis, 'setInterval');
  const calls: string[] = [];
  const ends = [runEvery(1_000, () => calls.push('every second'))];
  t.mock.timers.tick(500);
  ends.push(runEvery(2_000, () => calls.push('every other second')));
  t.mock.timers.tick(500);
  assert.deepEqual(calls.splice(0), ['every second']);
  t.mock.timers.tick(1_000);
  assert.deepEqual(calls.splice(0), ['every second', 'every other second']);
  assert.equal(started.mock.callCount(), 1);
  for (const end of ends) end();
  t.mock.timers.tick(5_000);
  assert.deepEqual(calls, []);
});

test('starts again after all work has ended, and runs other intervals by themselves', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let calls = 0;
  for (const intervalMs of [1_000, 250]) {
    const end = runEvery(intervalMs, () => {
      calls += 1;
    });
    t.mock.timers.tick(intervalMs);
    end();
    t.mock.timers.tick(intervalMs);
  }
  assert.equal(calls, 2);
});

test('an interval of 0 does not wait for a tick', async () => {
  let calls = 0;
  const end = runEvery(0, () => {
    calls += 1;
  });
  await delay(100);
  end();
  assert.ok(calls > 1, `${calls} calls`);
});
