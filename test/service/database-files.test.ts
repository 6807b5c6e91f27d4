/** What happens to database files while the service runs, or before it starts, cannot end it. */
import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { http1Client } from '../acceptance/client.ts';
import { runWith } from '../cli/run-with.ts';
import { writeMmdb } from '../mmdb.ts';
import { start, stop } from '../service-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-database-files-'));
after(() => rmSync(folder, { recursive: true }));
const manifest = fileURLToPath(import.meta.resolve('@ip-location-db/asn/package.json'));
const generated = `asn-${JSON.parse(readFileSync(manifest, 'utf8')).version}.mmdb`;
const asns = writeMmdb({
  databaseType: 'Seenby-ASN',
  ipVersion: 4,
  networks: { '8.0.0.0/8': { autonomous_system_number: 7, autonomous_system_organization: 'Seven' } },
});

/** A data folder of its own, with these files. */
function dataFolder(name: string, files: Readonly<Record<string, Buffer>>): string {
  const dataDir = join(folder, name);
  mkdirSync(dataDir);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(dataDir, file), content);
  return dataDir;
}

test('the generated database is truncated in place while the service runs: it continues, and still finds ASNs', async () => {
  const dataDir = dataFolder('truncated', { [generated]: asns });
  const changed = { DATA_DIR: dataDir, GEOIP_ASN: '', TRUST_PROXY: '127.0.0.1', THREADS: '2' };
  const started = await start('', { changed });
  truncateSync(join(dataDir, generated));
  const headers = { 'x-forwarded-for': '8.8.8.8' };
  for (let count = 0; count < 4; count += 1) {
    const { status, body } = await http1Client(started.url).request('/asn', { headers });
    assert.deepEqual([status, `${body}`.trim()], [200, '7']);
  }
  assert.equal(await stop(started), 0);
});

const environment = { PORT: '0', TLS_PORT: 'off', HOST: '127.0.0.1' };

test('a damaged generated database is renamed and made again, with one warning', async () => {
  const dataDir = dataFolder('damaged', { [generated]: asns.subarray(0, -20) });
  const { outcome, out, err } = await runWith([], { ...environment, DATA_DIR: dataDir });
  assert.ok('service' in outcome, err);
  await outcome.service.close();
  assert.equal(out.match(/^ignoring the damaged database ".*"; it is now ".*\.damaged"$/gm)?.length, 1);
  assert.deepEqual(readdirSync(dataDir).sort(), [generated, `${generated}.damaged`]);
});

test('in place of a damaged download, the embedded database is used', async () => {
  const dataDir = dataFolder('download', { 'dbip-city-lite.mmdb': Buffer.alloc(4096), [generated]: asns });
  const { outcome, err } = await runWith([], { ...environment, DATA_DIR: dataDir });
  assert.ok('service' in outcome, err);
  await outcome.service.close();
  assert.deepEqual(readdirSync(dataDir).sort(), [generated, 'dbip-city-lite.mmdb.damaged']);
});

test('a damaged database of the operator still ends the start, and stays as it is', async () => {
  const file = join(dataFolder('operator', { 'own.mmdb': Buffer.alloc(4096) }), 'own.mmdb');
  const { outcome, err } = await runWith([], { ...environment, DATA_DIR: folder, GEOIP_ASN: file });
  assert.deepEqual(outcome, { exitCode: 1 });
  assert.match(err, /^seenby: GEOIP_ASN: ".*own\.mmdb" is not a database in MaxMind's format, or is damaged$/m);
  assert.equal(readFileSync(file).length, 4096);
});

test('a database whose path leads nowhere ends the start with a line that names its setting', async () => {
  const file = join(folder, 'loop.mmdb');
  symlinkSync(file, file);
  const asnFile = join(folder, 'asn.mmdb');
  writeFileSync(asnFile, asns);
  const { outcome, err } = await runWith([], {
    ...environment,
    DATA_DIR: folder,
    GEOIP_CITY: file,
    GEOIP_ASN: asnFile,
  });
  assert.deepEqual(outcome, { exitCode: 1 });
  assert.match(err, /^seenby: GEOIP_CITY: cannot read ".*loop\.mmdb" \(ELOOP\); check the path and its permissions$/m);
});
