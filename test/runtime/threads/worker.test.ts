/** The program of a worker thread, if it cannot start. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

test('a thread that cannot start reports the place of an unexpected error', async () => {
  // Without settings, its first access to one fails.
  const worker = new Worker(new URL('../../../src/runtime/threads/worker.ts', import.meta.url), { workerData: {} });
  const failures: string[] = [];
  worker.on('message', ({ kind, reason }) => void (kind === 'failed' && failures.push(reason)));
  assert.deepEqual(await once(worker, 'exit'), [1]);
  assert.equal(failures.length, 1);
  assert.match(failures[0] ?? '', /^unexpected TypeError at .*\.ts:\d+:\d+\)?: /);
});
