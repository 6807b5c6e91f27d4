/** Memory of databases that are broken. */
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeMmdb } from '../mmdb.ts';
import { startNode } from '../node-service.ts';
import { logbook } from './logbook.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'seenby-'));
});
after(() => rmSync(folder, { recursive: true }));

const quickWatch = { watchIntervalMs: 20 };

const city = (name: string): Buffer =>
  writeMmdb({ databaseType: 'city', ipVersion: 6, networks: { '127.0.0.0/8': { country_code: 'NO', city: name } } });

test('broken databases do not stay in memory', async (context) => {
  const file = join(folder, 'large.mmdb');
  writeFileSync(file, city('Oslo'));
  const { log, line, lines } = logbook();
  const service = await startNode({ host: '127.0.0.1', geoipCity: [file] }, quickWatch, log);
  context.after(() => service.close());
  let atStart = 0;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    // The first one loads code.
    if (attempt === 1) atStart = process.memoryUsage.rss();
    lines.length = 0;
    writeFileSync(`${file}.new`, '');
    truncateSync(`${file}.new`, 64 * 2 ** 20);
    renameSync(`${file}.new`, file);
    await line(/kept the city database/);
  }
  const grownMb = (process.memoryUsage.rss() - atStart) / 2 ** 20;
  assert.ok(grownMb < 120, `${grownMb} MiB`);
});
