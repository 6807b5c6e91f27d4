/** Compiled code is kept only where nobody else can put code. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

const program = join(import.meta.dirname, '../../src/cli/seenby.ts');

function runWith(dataFolder: string): void {
  const { NODE_COMPILE_CACHE: _, ...environment } = process.env;
  const output = execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', program, '--version'], {
    env: { ...environment, STATE_DIRECTORY: dataFolder },
    encoding: 'utf8',
  });
  assert.match(output, /^Seenby \d/);
}

function createFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Runs the program after `prepare` has changed its folder of compiled code; returns that folder. */
function runIn(context: TestContext, prepare: (compiled: string) => void): string {
  const data = createFolder(context);
  const compiled = join(data, 'compiled');
  prepare(compiled);
  runWith(data);
  return compiled;
}

test('creates a folder that only this user can open, and keeps compiled code there', (context) => {
  const compiled = runIn(context, () => {});
  assert.equal(statSync(compiled).mode & 0o777, 0o700);
  assert.equal(readdirSync(compiled).length, 1);
});

test('uses no folder that others can open', (context) => {
  const compiled = runIn(context, (folder) => {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
  });
  assert.deepEqual(readdirSync(compiled), []);
});

test('uses no symbolic link', (context) => {
  const elsewhere = createFolder(context);
  runIn(context, (folder) => symlinkSync(elsewhere, folder));
  assert.deepEqual(readdirSync(elsewhere), []);
});

test('uses no folder of another user', {
  skip: process.getuid?.() !== 0 && 'only root can give a folder away',
}, (context) => {
  const compiled = runIn(context, (folder) => {
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, 65_534, 65_534);
  });
  assert.deepEqual(readdirSync(compiled), []);
});

test('starts although the data folder cannot be created', () => runWith(program));
