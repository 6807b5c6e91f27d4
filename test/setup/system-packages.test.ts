/** The setup announces system packages before it installs them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const module = new URL('../../setup/system-packages.mjs', import.meta.url).href;

test('prints what is missing and why, and installs nothing, if SEENBY_NO_APT is set', () => {
  const script = `(await import(${JSON.stringify(module)})).installSystemPackages(true)`;
  const env = { PATH: '', SEENBY_NO_APT: '1' };
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env });
  const lines = String(stderr).trimEnd().split('\n');
  assert.equal(status, 0);
  assert.equal(lines[0], 'Some tests need programs that are not installed:');
  assert.match(String(stderr), /^ {2}haproxy +package haproxy +tests docs\/deploy\/haproxy\.cfg/m);
  assert.match(lines.at(-1) ?? '', /^Not installing them: SEENBY_NO_APT is set/);
});

/** Writes its last argument to a file; succeeds with one package, but for HAProxy. */
const aptGet = `#!/bin/sh
[ "$2" = update ] && exit 0
for last; do :; done
echo "$# $last" >> "$APT_CALLS"
[ $# = 5 ] && [ "$last" != haproxy ]
`;

test('installs each package alone if they cannot be installed together', async (t) => {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version'))
    return t.skip('only with apt-get, as root on Debian');
  const folder = await mkdtemp(join(tmpdir(), 'seenby-apt-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'apt-get'), aptGet);
  await chmod(join(folder, 'apt-get'), 0o755);
  const calls = join(folder, 'calls');
  const script = `(await import(${JSON.stringify(module)})).installSystemPackages(true)`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: folder, APT_CALLS: calls },
  });
  assert.equal(status, 0, String(stderr));
  const lines = (await readFile(calls, 'utf8')).trim().split('\n');
  assert.equal(lines.length, 1 + Number(/apt-get installs (\d+) Debian packages/.exec(String(stderr))?.[1]));
  assert.deepEqual(lines.slice(1, 4), ['5 curl', '5 iproute2', '5 nftables']);
  assert.match(String(stderr), /^apt-get install failed with exit code 1/m);
});
