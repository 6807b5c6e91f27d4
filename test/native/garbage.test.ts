/** New objects are always young, and free memory is returned only after work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { createRelease, turnOffPretenuring } from '../../src/native/garbage.ts';

test('returns free memory after as much work as given, not before', (context) => {
  let workedMs = 0;
  context.mock.method(process, 'cpuUsage', () => ({ user: workedMs * 600, system: workedMs * 400 }));
  let released = 0;
  const release = createRelease(250, () => {
    released += 1;
  });
  const counts = [0, 249, 250, 499, 500, 500, 2_000].map((ms) => {
    workedMs = ms;
    release();
    return released;
  });
  assert.deepEqual(counts, [0, 0, 1, 1, 2, 2, 3]);
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
