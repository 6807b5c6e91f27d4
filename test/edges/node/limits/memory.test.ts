/** The limit on memory is checked regularly, and a system that cannot measure memory does not end the service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds } from '../../../../src/edges/node/limits/bounds.ts';
import { watchMemory } from '../../../../src/edges/node/limits/memory.ts';

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
