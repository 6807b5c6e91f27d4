/** The limit on memory is checked regularly, and a system that cannot measure memory does not end the service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { watchMemory } from '../../src/runtime/memory-limit.ts';

test('is full above the limit, and logs it', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  const memory = watchMemory({ limitMb: 1 }, bounds, (_event, line) => lines.push(line));
  t.after(memory.end);
  assert.equal(memory.isFull(), false);
  t.mock.timers.tick(bounds.memoryCheckMs);
  assert.equal(memory.isFull(), true);
  assert.match(lines.join('\n'), /^rejecting new connections: \d+ MiB in use, MAX_MEMORY is 1$/);
});

test('returns free memory near the limit, before a connection is rejected', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'seenby-memory-'));
  const statusFile = join(folder.path, 'status');
  const write = (mb: number) => writeFileSync(statusFile, `RssAnon: ${mb * 1024} kB\nRssShmem: 0 kB\n`);
  write(80);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const release = t.mock.fn();
  const memory = watchMemory({ limitMb: 100, statusFile, release }, bounds, () => assert.fail());
  t.after(memory.end);
  const countAt = (mb: number) => {
    write(mb);
    t.mock.timers.tick(bounds.memoryCheckMs);
    return release.mock.callCount();
  };
  assert.deepEqual([countAt(80), countAt(90), countAt(90)], [0, 1, 1]);
  assert.equal(memory.isFull(), false);
});

test('is not full any more as soon as its memory is free', { skip: process.platform !== 'linux' }, async () => {
  const script = fileURLToPath(new URL('free-memory.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  assert.match(stdout, /^true false /);
});

test('collects garbage before a connection is rejected, at most once a second', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'seenby-memory-'));
  const statusFile = join(folder.path, 'status');
  const write = (mb: number) => writeFileSync(statusFile, `RssAnon: ${mb * 1024} kB\nRssShmem: 0 kB\n`);
  write(80);
  t.mock.timers.enable({ apis: ['setInterval'] });
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  let inUseMb = 80;
  const collect = t.mock.fn(() => write(inUseMb));
  const events: string[] = [];
  const watched = { limitMb: 100, statusFile, collect, release() {} };
  const memory = watchMemory(watched, bounds, (event) => void events.push(event));
  t.after(memory.end);
  const isFullAt = (mb: number): boolean => {
    write(mb);
    nowMs += bounds.memoryCheckMs;
    t.mock.timers.tick(bounds.memoryCheckMs);
    return memory.isFull();
  };
  assert.deepEqual([isFullAt(120), collect.mock.callCount(), events.length], [false, 1, 0]);
  // Garbage fills it again within the second.
  assert.deepEqual([isFullAt(120), isFullAt(120), isFullAt(120), collect.mock.callCount()], [true, true, true, 1]);
  assert.deepEqual([isFullAt(120), collect.mock.callCount()], [false, 2]);
  inUseMb = 110;
  for (let check = 0; check < 8; check += 1) assert.equal(isFullAt(120), true);
  assert.equal(collect.mock.callCount(), 4);
});

test('logs once, and is never full, if memory cannot be measured', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  const memory = watchMemory({ limitMb: 1, statusFile: '/proc/self/none' }, bounds, (_event, line) => lines.push(line));
  t.after(memory.end);
  t.mock.timers.tick(3 * bounds.memoryCheckMs);
  assert.equal(memory.isFull(), false);
  assert.deepEqual(lines, ['cannot measure memory, so MAX_MEMORY is not enforced; mount /proc']);
});

test('is not full after a failed measurement, and full again after the next one', {
  skip: process.platform !== 'linux',
}, async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'seenby-memory-'));
  const statusFile = join(folder.path, 'status');
  const full = `RssAnon: ${200 * 1024} kB\nRssShmem: 0 kB\n`;
  writeFileSync(statusFile, full);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const events: string[] = [];
  const memory = watchMemory({ limitMb: 100, statusFile, release() {} }, bounds, (event) => void events.push(event));
  t.after(memory.end);
  const isFullAfter = (status: string): boolean => {
    writeFileSync(statusFile, status);
    t.mock.timers.tick(bounds.memoryCheckMs);
    return memory.isFull();
  };
  t.mock.method(process.memoryUsage, 'rss', () => {
    throw new Error('EMFILE');
  });
  assert.deepEqual([full, '', '', full].map(isFullAfter), [true, false, false, true]);
  assert.deepEqual(events, ['memory_full', 'memory_unknown', 'memory_full']);
});

describe('the heap of a thread', () => {
  let settledMiB = 0;
  let mostMiB = 0;
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
