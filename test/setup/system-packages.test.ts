/** The setup announces system packages before it installs them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const module = new URL('../../setup/system-packages.mjs', import.meta.url).href;

test('prints what is missing and why, and installs nothing, if SEENBY_NO_APT is set', () => {
  const script = `(await import(${JSON.stringify(module)})).installSystemPackages()`;
  const env = { PATH: '', SEENBY_NO_APT: '1' };
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env });
  const lines = String(stderr).trimEnd().split('\n');
  assert.equal(status, 0);
  assert.equal(lines[0], 'Some tests need programs that are not installed:');
  assert.match(String(stderr), /^ {2}haproxy +package haproxy +tests docs\/deploy\/haproxy\.cfg/m);
  assert.match(lines.at(-1) ?? '', /^Not installing them: SEENBY_NO_APT is set/);
});
