/** The official MCP conformance suite against the server with the tools that the suite expects, in both kinds of versions. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tools } from '../../src/mcp/tools.ts';
import { fixtureTools } from '../mcp/fixture-tools.ts';
import { serveTools } from '../mcp/served.ts';

const suite = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);

for (const version of ['2025-11-25', '2026-07-28']) {
  test(`the server conforms to version ${version}, except for features beyond stateless tools`, async () => {
    const served = await serveTools([...tools, ...fixtureTools]);
    const results = mkdtempSync(join(tmpdir(), 'seenby-'));
    const baseline = fileURLToPath(new URL(`conformance-${version}.yml`, import.meta.url));
    const args = ['server', '--url', served.url, '--requirements', version, '--expected-failures', baseline];
    try {
      const { code, output } = await run([suite, ...args, '-o', results]);
      // A failure that the baseline lacks is an error, and so is an entry of it that passes.
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
    execFile(process.execPath, args, { timeout: 500_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}
