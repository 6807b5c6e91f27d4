/** Free memory between used pieces returns to the system. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectGarbage, releaseFreeMemory } from '../../src/native/garbage.ts';
import { until } from '../until.ts';

const mebibyte = 2 ** 20;

test('returns free pieces that lie between used ones', {
  skip: process.platform === 'linux' ? false : 'needs Linux',
}, async () => {
  const pieces = Array.from({ length: 20_000 }, () => Buffer.allocUnsafeSlow(4_096).fill(1));
  const used = pieces.filter((_, at) => at % 50 === 0);
  const beforeBytes = process.memoryUsage.rss();
  pieces.length = 0;
  collectGarbage();
  // V8 frees the memory of buffers in a thread of its own, which may take longer than this one.
  await until(() => {
    releaseFreeMemory();
    return beforeBytes - process.memoryUsage.rss() > 40 * mebibyte;
  });
  assert.equal(used.length, 400);
});
