/** A mapped file has the file's bytes, once for each version of it; only the databases of packages are mapped. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { embeddedCity, openDatabase } from '../../src/edges/node/geoip/geoip.ts';
import { mapFile } from '../../src/native/mapped-file.ts';
import { hasTcpOptions } from '../../src/native/tcp.ts';
import { geoipFiles } from '../../src/runtime/databases/geoip-files.ts';
import { writeMmdb } from '../mmdb.ts';
import { settingsOf } from '../node-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-mapped-'));
after(() => rmSync(folder, { recursive: true }));

describe('a mapped file', { skip: !hasTcpOptions && 'needs Linux and a Node with ffi' }, () => {
  test('has the bytes of the file, and survives its replacement', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'first');
    const first = await mapFile(file);
    assert.equal(String(first), 'first');
    assert.equal(await mapFile(file), first, 'the same file is mapped again');
    writeFileSync(`${file}.new`, 'second version');
    renameSync(`${file}.new`, file);
    assert.equal(String(await mapFile(file)), 'second version');
    assert.equal(String(first), 'first');
  });

  test('is not resident before it is read', async () => {
    const [file = ''] = embeddedCity;
    const mapping = await mapFile(file);
    assert.deepEqual(mapping?.subarray(0, 4096), readFileSync(file).subarray(0, 4096));
    const maps = readFileSync('/proc/self/smaps', 'utf8');
    const [, mapped = ''] = maps.split(`${file}\n`);
    const residentKb = /^Rss:\s+(\d+) kB$/m.exec(mapped)?.[1];
    assert.ok(Number(residentKb) < 10_000, `${residentKb} kB`);
  });
});

test('an empty file is not mapped, and a missing one cannot be', async () => {
  const file = join(folder, 'empty');
  writeFileSync(file, '');
  assert.equal(await mapFile(file), null);
  await assert.rejects(mapFile(join(folder, 'none')), { code: 'ENOENT' });
});

test("the operator's databases and downloaded ones are read, never mapped", async () => {
  const file = join(folder, 'dbip-city-lite.mmdb');
  writeFileSync(
    file,
    writeMmdb({ databaseType: 'City', ipVersion: 4, networks: { '192.0.2.0/24': { city: 'Oslo' } } }),
  );
  const own = geoipFiles(settingsOf({}))('city');
  assert.deepEqual([own?.files, own?.arePackaged], [embeddedCity, true]);
  for (const settings of [{ geoipCity: [file] }, { dataDir: folder }]) {
    const named = geoipFiles(settingsOf(settings))('city');
    assert.deepEqual([named?.files, named?.arePackaged], [[file], undefined]);
    if (named) await openDatabase('city', named);
  }
  if (process.platform === 'linux') assert.ok(!readFileSync('/proc/self/maps', 'utf8').includes(file));
});
