/** The limit on memory is checked regularly, and a system that cannot measure memory does not end the service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { watchMemory } from '../../src/runtime/process-limits.ts';

test('is full above the limit, and logs it', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  const memory = watchMemory(1, bounds, (_event, line) => lines.push(line));
  t.after(memory.end);
  assert.equal(memory.isFull(), false);
  t.mock.timers.tick(bounds.memoryCheckMs);
  assert.equal(memory.isFull(), true);
  assert.match(lines.join('\n'), /^rejecting new connections: \d+ MiB in use, MAX_MEMORY is 1$/);
});

test('logs once, and is never full, if memory cannot be measured', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  t.mock.method(process.memoryUsage, 'rss', () => {
    throw Object.assign(new Error('ENOENT: no such file or directory, uv_resident_set_memory'), { code: 'ENOENT' });
  });
  const lines: string[] = [];
  const memory = watchMemory(1, bounds, (_event, line) => lines.push(line));
  t.after(memory.end);
  t.mock.timers.tick(3 * bounds.memoryCheckMs);
  assert.equal(memory.isFull(), false);
  assert.deepEqual(lines, ['cannot measure memory, so MAX_MEMORY is not enforced; mount /proc']);
});

describe('the heap of a thread', () => {
  let [settledMiB, mostMiB] = [0, 0];
  before(async () => {
    const script = fileURLToPath(new URL('heap-growth.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--max-semi-space-size=8', script]);
    [settledMiB = 0, mostMiB = 0] = stdout.split('\n').map(Number);
  });

  // An ordinary collection leaves 16 MiB of young generation.
  test('keeps no memory that only the start needed', () => assert.ok(settledMiB < 12, `${settledMiB}`));

  // 31 MiB are in use. Without the bound, V8 lets it grow to 131.
  test('does not grow to three times what is in use', () => assert.ok(mostMiB > 31 && mostMiB < 93, `${mostMiB}`));
});
