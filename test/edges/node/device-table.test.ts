/** The table of devices, beside its code and without it. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readDeviceTable } from '../../../src/edges/node/device-table.ts';
import { runWithoutFiles } from '../../no-files.ts';

test('is empty where a bundler has left its file behind', async (context) => {
  assert.ok((readDeviceTable()?.length ?? 0) > 100_000);
  const folder = mkdtempSync(join(tmpdir(), 'seenby-bundle-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const moved = join(folder, 'device-table.ts');
  copyFileSync(fileURLToPath(new URL('../../../src/edges/node/device-table.ts', import.meta.url)), moved);
  const alone = (await import(pathToFileURL(moved).href)) as { readDeviceTable: () => string };
  assert.equal(alone.readDeviceTable(), '');
});

test('is read again when a file can be opened', { skip: process.platform === 'win32' && 'needs ulimit' }, () => {
  const source = new URL('../../../src/client/user-agent.ts', import.meta.url).href;
  const { status, printed } = runWithoutFiles(`
    import { parseUserAgent } from ${JSON.stringify(source)};
    const vendorOf = (model) => parseUserAgent('Mozilla/5.0 (Linux; Android 9; ' + model + ') AppleWebKit/537.36').device.vendor;
    await withoutFiles(() => console.log(vendorOf('IM-A730X99')));
    console.log(vendorOf('IM-A730X99 Build/A'));`);
  assert.deepEqual([printed, status], ['null\nPantech\n', 0]);
});
