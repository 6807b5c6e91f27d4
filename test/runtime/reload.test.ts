/** Reloads of changed files. */
import assert from 'node:assert/strict';
import { pbkdf2 } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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
