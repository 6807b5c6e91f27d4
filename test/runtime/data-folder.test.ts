/** The folder of DATA_DIR is created with its parents, or fails immediately. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createFolder } from '../../src/runtime/data-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-folder-'));
after(() => rmSync(folder, { recursive: true }));

test('creates a folder and its parents, at the same time in several processes, and again', async () => {
  const path = join(folder, 'a', 'b', 'c');
  await Promise.all([createFolder(path), createFolder(path)]);
  await createFolder(path);
  assert.ok(existsSync(path));
});

test('rejects a folder below a file', async () => {
  writeFileSync(join(folder, 'file'), '');
  await assert.rejects(createFolder(join(folder, 'file', 'a', 'b')), { code: 'ENOTDIR' });
});

test('removes the unfinished file of a process that exits while it writes', () => {
  const place = mkdtempSync(join(folder, 'exit-'));
  const program = `
    import { writeFileSync } from 'node:fs';
    import { replaceFile } from '${new URL('../../src/runtime/data-folder.ts', import.meta.url)}';
    writeFileSync('kept', 'old');
    await replaceFile('kept', '.new', async (unfinished) => {
      writeFileSync(unfinished, 'half');
      process.exit(3);
    });`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: place });
  assert.equal(status, 3);
  assert.deepEqual(readdirSync(place), ['kept']);
});

test('rejects a folder below /proc, where the recursive option of Node never returns', {
  skip: process.platform !== 'linux' && 'has no /proc',
}, async () => {
  await assert.rejects(createFolder('/proc/seenby/data'), { code: 'ENOENT' });
});
