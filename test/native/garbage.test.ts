/** Free memory is returned only after work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRelease } from '../../src/native/garbage.ts';

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
