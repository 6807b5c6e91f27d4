/** New objects are always young, and free memory is returned only in the rest after work. */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { collectGarbage, createRelease, releaseFreeMemory, turnOffPretenuring } from '../../src/native/garbage.ts';

test('returns free pieces that lie between used ones', {
  skip: process.platform === 'linux' ? false : 'needs Linux',
}, () => {
  const pieces = Array.from({ length: 20_000 }, () => Buffer.allocUnsafeSlow(4_096).fill(1));
  const used = pieces.filter((_, at) => at % 50 === 0);
  pieces.length = 0;
  collectGarbage();
  const before = process.memoryUsage.rss();
  releaseFreeMemory();
  const returnedMb = (before - process.memoryUsage.rss()) / 2 ** 20;
  assert.ok(returnedMb > 40, `${returnedMb} MB, beside ${used.length} used pieces`);
});

test('returns free memory when the process rests and has grown since the latest return, or since it was smaller', (context) => {
  let nowMs = 0;
  let workedMs = 0;
  let bytes = 100;
  context.mock.method(process, 'cpuUsage', () => ({ user: workedMs * 600, system: workedMs * 400 }));
  context.mock.method(performance, 'now', () => nowMs);
  context.mock.method(process.memoryUsage, 'rss', () => bytes);
  let released = 0;
  const release = createRelease(50, 1, () => {
    released += 1;
    bytes -= 10;
  });
  const releases = (workMs: number, grownTo: number): number => {
    nowMs += 1_000;
    workedMs += workMs;
    bytes = grownTo;
    const before = released;
    release();
    return released - before;
  };
  assert.deepEqual(
    [
      ...[releases(0, 149), releases(110, 200), releases(90, 200)],
      // 190 after the return.
      ...[releases(0, 239), releases(0, 240)],
      ...[releases(0, 160), releases(0, 209), releases(0, 210)],
    ],
    [0, 0, 1, 0, 1, 0, 0, 1],
  );
});

test('a process with threads rests if they use a tenth of their processors', (context) => {
  let workedMs = 0;
  let nowMs = 0;
  context.mock.method(process, 'cpuUsage', () => ({ user: workedMs * 1_000, system: 0 }));
  context.mock.method(performance, 'now', () => nowMs);
  let released = 0;
  const release = createRelease(0, 1_000, () => {
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
  turnOffPretenuring();
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
