/** The steps of a release that need no network. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checksums, releaseNotes } from '../../tools/release.ts';

const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const run = (...args: string[]) =>
  spawnSync(process.execPath, [root('tools/release.ts'), ...args], { encoding: 'utf8' });
const { version } = JSON.parse(readFileSync(root('package.json'), 'utf8'));

test('the notes of a version are its section of the changelog', () => {
  const changelog = '# Changelog\n\n## 1.1.0\n\n### Added\n\n- a\n\n## 1.0.0\n\n- b\n';
  assert.equal(releaseNotes(changelog, '1.1.0'), '### Added\n\n- a\n');
  assert.equal(releaseNotes(changelog, '1.0.0'), '- b\n');
  assert.throws(() => releaseNotes(changelog, '1.2.0'), /no section "## 1\.2\.0"/);
});

test('a tag of another version is rejected', () => {
  assert.equal(run('check', `v${version}`).status, 0);
  assert.match(run('check', 'v0.0.1').stderr, /the tag is "v0\.0\.1", and package\.json has version/);
});

test('the checksums are those that sha256sum checks', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-release-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a.tgz'), 'a');
  const expected = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a.tgz\n';
  assert.equal(checksums([join(folder, 'a.tgz')]), expected);
});

test('each script that the workflow runs exists', () => {
  const workflow = readFileSync(root('.github/workflows/release.yml'), 'utf8');
  const scripts = [...workflow.matchAll(/node (tools\/[\w-]+\.ts)/g)].map(([, script]) => script ?? '');
  assert.ok(scripts.length >= 3);
  for (const script of scripts) assert.ok(readFileSync(root(script), 'utf8').length > 0);
});
