/** The systemd unit is valid and confined. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const unit = fileURLToPath(new URL('../../docs/deploy/seenby.service', import.meta.url));
const analyze = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });
const skip = analyze.status === 0 ? false : 'needs systemd-analyze';
/** Keys that increase the delay of restarts; systemd before this version ignores them with a line each. */
const delayKeys = { since: 254, names: ['RestartSteps', 'RestartMaxDelaySec'] };

test('systemd accepts the unit', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-unit-'));
  try {
    // verify also requires the program to exist.
    const text = readFileSync(unit, 'utf8').replace('/usr/bin/node /opt/', `${process.execPath} /opt/`);
    writeFileSync(join(folder, 'seenby.service'), text);
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, 'seenby.service')], {
      encoding: 'utf8',
    });
    const isOld = Number(/\d+/.exec(analyze.stdout)?.[0]) < delayKeys.since;
    const lines = stderr.split('\n').filter((line) => line !== '');
    const ignored = delayKeys.names.map((name) => new RegExp(`Unknown key .*'${name}'.*, ignoring`));
    assert.deepEqual([status, lines.length], [0, isOld ? ignored.length : 0], stderr);
    if (isOld) for (const [at, pattern] of ignored.entries()) assert.match(lines[at] ?? '', pattern);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('its exposure is at most 2.0', { skip }, () => {
  const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', unit], { encoding: 'utf8' });
  const exposure = Number(/exposure level for seenby\.service: ([\d.]+)/.exec(stdout)?.[1]);
  assert.ok(exposure <= 2, stdout);
});

test('it starts the built package, never npm', () => {
  const text = readFileSync(unit, 'utf8');
  assert.match(text, /^ExecStart=\/usr\/bin\/node --max-semi-space-size=8 .*\/dist\/seenby\.js$/m);
  assert.doesNotMatch(text, /^MemoryDenyWriteExecute/m);
});
