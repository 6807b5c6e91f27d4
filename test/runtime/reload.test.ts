/** Reloads of changed files. */
import assert from 'node:assert/strict';
import { pbkdf2 } from 'node:crypto';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createReloads, stateOf } from '../../src/runtime/reload.ts';

test('detects a change that follows immediately, on a busy machine', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'database');
  const lines: string[] = [];
  const reloads = createReloads(10, (_event, line) => lines.push(line));
  context.after(() => reloads.end());
  const { promise: reloaded, resolve } = Promise.withResolvers<void>();
  // Asynchronous file operations wait until these have ended.
  for (let thread = 0; thread < 8; thread += 1) pbkdf2('', '', 100_000, 64, 'sha512', () => {});
  reloads.add(stateOf([file]), 'the database', async () => resolve());
  writeFileSync(file, '');
  // Keeps the process running until the timer, which does not, has noticed.
  const waiting = setInterval(() => {}, 1_000);
  context.after(() => clearInterval(waiting));
  await reloaded;
  await reloads.reloadAll();
  assert.deepEqual(lines, ['reloaded the database', 'reloaded the database']);
});

test('notices a file that was replaced after its state was taken, before it is watched', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'database');
  writeFileSync(file, '1');
  const state = stateOf([file]);
  writeFileSync(file, '12');
  const { promise: reloaded, resolve } = Promise.withResolvers<void>();
  const reloads = createReloads(10, () => {});
  context.after(() => reloads.end());
  reloads.add(state, 'the database', async () => resolve());
  const waiting = setInterval(() => {}, 1_000);
  context.after(() => clearInterval(waiting));
  await reloaded;
});

/** Returns a file that is watched, and a function that checks it and returns the number of reloads so far. */
function watchFile(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'database');
  writeFileSync(file, 'first', { mode: 0o600 });
  context.mock.timers.enable({ apis: ['setInterval'] });
  const reloads = createReloads(10, () => {});
  context.after(reloads.end);
  const load = context.mock.fn(async () => {});
  reloads.add(stateOf([file]), 'the database', load);
  const check = async (): Promise<number> => {
    context.mock.timers.tick(10);
    await setImmediate();
    return load.mock.callCount();
  };
  return { file, check };
}

test('waits until a file is written, and then loads it once', async (context) => {
  const { file, check } = watchFile(context);
  for (let part = 0; part < 4; part += 1) {
    appendFileSync(file, 'part');
    assert.equal(await check(), 0);
  }
  assert.deepEqual([await check(), await check()], [1, 1]);
});

test('loads a file again when its permissions have changed', async (context) => {
  const { file, check } = watchFile(context);
  chmodSync(file, 0o644);
  assert.deepEqual([await check(), await check()], [0, 1]);
});
