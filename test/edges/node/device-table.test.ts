/** The table of devices, beside its code and without it. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readDeviceTable } from '../../../src/edges/node/device-table.ts';

test('is empty where a bundler has left its file behind', async (context) => {
  assert.ok(readDeviceTable().length > 100_000);
  const folder = mkdtempSync(join(tmpdir(), 'seenby-bundle-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const moved = join(folder, 'device-table.ts');
  copyFileSync(fileURLToPath(new URL('../../../src/edges/node/device-table.ts', import.meta.url)), moved);
  const alone = (await import(pathToFileURL(moved).href)) as { readDeviceTable: () => string };
  assert.equal(alone.readDeviceTable(), '');
});
