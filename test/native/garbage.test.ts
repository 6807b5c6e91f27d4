/** New objects are always young, and free memory is returned only in the rest after work. */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { createRelease, disablePretenuring } from '../../src/native/garbage.ts';

/** A process whose memory grows and shrinks as the test says; each return frees so many bytes. */
function simulate(context: TestContext) {
  let nowMs = 0;
  let workedMs = 0;
  let bytes = 100;
  let released = 0;
  let freed = 0;
  context.mock.method(process, 'cpuUsage', () => ({ user: workedMs * 600, system: workedMs * 400 }));
  context.mock.method(performance, 'now', () => nowMs);
  context.mock.method(process.memoryUsage, 'rss', () => bytes);
  const release = createRelease({ releasePauseMs: 60_000, releaseGrowthBytes: 50 }, 1, () => {
    released += 1;
    bytes -= freed;
  });
  /** How often memory is returned at the end of so many seconds, with as much work in each. */
  return (size: number, { seconds = 1, workMs = 0, free = 0 } = {}): number => {
    const before = released;
    bytes = size;
    freed = free;
    for (let second = 0; second < seconds; second += 1) {
      nowMs += 1_000;
      workedMs += workMs;
      release();
    }
    return released - before;
  };
}

test('returns free memory when the process rests and is larger than at its smallest', (context) => {
  const returns = simulate(context);
  assert.deepEqual([returns(149), returns(200, { workMs: 110 }), returns(150, { workMs: 90 })], [0, 0, 1]);
});

test('returns free memory at most once in a pause, also long after it was taken', (context) => {
  const returns = simulate(context);
  // What has grown is in use.
  assert.equal(returns(200), 1);
  assert.deepEqual([returns(300, { seconds: 59 }), returns(300)], [0, 1]);
  // A connection closes, and what it took is free at the next return.
  assert.equal(returns(200, { seconds: 60, free: 60 }), 1);
  assert.equal(returns(140, { seconds: 1_000 }), 0);
});

test('a process with threads rests if they use a tenth of their processors', (context) => {
  let workedMs = 0;
  let nowMs = 0;
  context.mock.method(process, 'cpuUsage', () => ({ user: workedMs * 1_000, system: 0 }));
  context.mock.method(performance, 'now', () => nowMs);
  let released = 0;
  const release = createRelease({ releasePauseMs: 0, releaseGrowthBytes: 0 }, 1_000, () => {
    released += 1;
  });
  const counts = [90, 200, 290].map((ms) => {
    nowMs += 1_000;
    workedMs = ms * availableParallelism();
    release();
    return released;
  });
  assert.deepEqual(counts, [1, 1, 2]);
});

test('V8 makes new objects in the young generation, whatever the age that earlier ones of their expression reached', async () => {
  disablePretenuring();
  setFlagsFromString('--allow-natives-syntax');
  // V8's own function, which the compiler does not know.
  const isYoung: (object: object) => boolean = new Function('object', 'return %InYoungGeneration(object)') as never;
  // Several, because V8 may also optimize the code before it knows the age of its objects.
  for (let each = 0; each < 6; each += 1) {
    const make: (at: number) => object = new Function('at', `return { at, members${each}: [at, at] }`) as never;
    const kept: object[] = [];
    for (let round = 0; round < 10; round += 1) {
      for (let at = 0; at < 20_000; at += 1) kept.push(make(at));
      await nextIteration();
      assert.ok(isYoung(make(round)), `after ${kept.length} objects`);
    }
  }
});
