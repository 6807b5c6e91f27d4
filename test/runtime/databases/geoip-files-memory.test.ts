/** The memory that the databases need, by which the start plans threads and limits. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Settings } from '../../../src/core/settings.ts';
import { embeddedCity } from '../../../src/edges/node/geoip/geoip.ts';
import { downloadedFile, readDatabasesMb } from '../../../src/runtime/databases/geoip-files.ts';
import { settingsOf } from '../../node-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-memory-'));
after(() => rmSync(folder, { recursive: true }));

/** A file of this size without content. */
function fileOf(path: string, mebibytes: number): string {
  writeFileSync(path, '');
  truncateSync(path, mebibytes * 2 ** 20);
  return path;
}

const own = fileOf(join(folder, 'own.mmdb'), 3);
const embeddedMb = embeddedCity.reduce((sum, file) => sum + statSync(file).size, 0) / 2 ** 20;
const readMb = (changed: Partial<Settings>, canMap = true): number =>
  readDatabasesMb(settingsOf({ geoipAsn: [own], ...changed }), canMap);

test('the embedded database needs memory only if it cannot be mapped', () => {
  assert.equal(readMb({}), 3);
  assert.equal(readMb({}, false), Math.ceil(embeddedMb) + 3);
});

test('with GEOIP_AUTO_UPDATE, downloads and their replacement need memory before there are any', () => {
  assert.equal(readMb({ geoipAutoUpdate: 'monthly' }), Math.ceil(2 * embeddedMb) + 3);
  assert.equal(readMb({ geoipAutoUpdate: 'monthly', geoipCity: [own] }), 6);
  assert.ok(readMb({ geoipAutoUpdate: 'monthly', geoipCity: [own], geoipAsn: null }) > 3 + 20);
  fileOf(downloadedFile(folder, 'city'), 200);
  assert.equal(readMb({ dataDir: folder }), 203);
  assert.equal(readMb({ geoipAutoUpdate: 'monthly', dataDir: folder }), 403);
});

test('a file that cannot be read needs none', () => {
  const loop = join(folder, 'loop');
  symlinkSync(loop, loop);
  assert.equal(readMb({ geoipCity: [loop] }), 3);
});
