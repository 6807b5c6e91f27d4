/** The deployed bundle: bounded in size, without Node modules. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { offline } from '../worker-service.ts';

const maxGzipBytes = 440_000;

test('bundles into at most 440 KB, gzipped, and imports nothing', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-bundle-'));
  try {
    const options = { cwd: fileURLToPath(new URL('../..', import.meta.url)), env: { ...process.env, ...offline } };
    execFileSync('wrangler', ['deploy', '--dry-run', '--outdir', folder], { ...options, stdio: 'pipe' });
    const bundle = readFileSync(join(folder, 'worker.js'));
    const gzipBytes = gzipSync(bundle).length;
    context.diagnostic(`${bundle.length} bytes, ${gzipBytes} gzipped`);
    assert.ok(gzipBytes <= maxGzipBytes, `${gzipBytes} bytes`);
    assert.doesNotMatch(bundle.toString(), /["'`]node:/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('configures no logs and no private bindings', () => {
  const text = readFileSync(new URL('../../wrangler.jsonc', import.meta.url), 'utf8');
  assert.match(text, /^ {2}"observability": \{ "enabled": false \},$/m);
  assert.match(text, /^ {2}"compatibility_flags": \["global_fetch_strictly_public"\],$/m);
});
