/** The protocol's own conformance suite against the tool server with tools that the suite knows, in both eras. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fixtureTools } from './fixture-tools.ts';
import { servedTools, serveTools } from './served.ts';

const suite = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`conforms to revision ${revision}, but for what needs more than tools and no state`, async () => {
    const served = await serveTools([...servedTools, ...fixtureTools]);
    const results = mkdtempSync(join(tmpdir(), 'seenby-'));
    const baseline = fileURLToPath(new URL(`conformance-${revision}.yml`, import.meta.url));
    const args = ['server', '--url', served.url, '--requirements', revision, '--expected-failures', baseline];
    try {
      const { code, output } = await run([suite, ...args, '-o', results]);
      // Not only failures that the baseline lacks: what it lists and no longer fails is an error too.
      assert.equal(code, 0, output.slice(output.indexOf('=== SUMMARY')));
      assert.match(output, /✓ tools-list: [1-9]\d* passed, 0 failed/);
    } finally {
      rmSync(results, { recursive: true });
      await served.close();
    }
  });
}

function run(args: readonly string[]): Promise<{ code: unknown; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: 50_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}
