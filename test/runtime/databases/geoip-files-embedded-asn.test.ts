/** The embedded ASN database holds what its CSV states, and is converted once per version of the package. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { Reader } from 'maxmind';
import { formatAddress } from '../../../src/core/address.ts';
import { readSettings } from '../../../src/core/settings.ts';
import { openGeoip } from '../../../src/edges/node/geoip/geoip.ts';
import { createAsnDatabase } from '../../../src/runtime/databases/asn-database.ts';
import {
  builtSecondsOf,
  convertAsn,
  convertedFile,
  downloadedFile,
  geoipFiles,
} from '../../../src/runtime/databases/geoip-files.ts';
import { findOldDatabases } from '../../../src/runtime/databases/geoip-update.ts';
import { writeMmdb } from '../../mmdb.ts';
import { check } from '../../random.ts';
import { until } from '../../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-asn-'));
after(() => rmSync(folder, { recursive: true }));
const manifest = fileURLToPath(import.meta.resolve('@ip-location-db/asn/package.json'));
const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
const name = `asn-${version}.mmdb`;

interface Asn {
  readonly autonomous_system_number: number;
  readonly autonomous_system_organization: string;
}
/** The bytes of a text in UTF-8, as the characters that Node reads with the encoding latin1. */
const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
const readerOf = (ipv4: string, ipv6 = '') =>
  new Reader<Asn & object>(
    createAsnDatabase({ ipv4: latin1(ipv4), ipv6: latin1(ipv6), builtSeconds: 1_700_000_000 }, () => {}),
  );

test('finds the first and last address of each range, and nothing next to them', () => {
  // 10.0.0.5 to 10.0.1.2, and its neighbor with another record.
  const reader = readerOf('167772165,167772418,7,"Five, ""Inc."""\n167772419,167772420,8,Plain\r\n');
  assert.equal(reader.get('10.0.0.4'), null);
  for (const ip of ['10.0.0.5', '10.0.0.255', '10.0.1.2'])
    assert.deepEqual(reader.get(ip), { autonomous_system_number: 7, autonomous_system_organization: 'Five, "Inc."' });
  for (const ip of ['10.0.1.3', '10.0.1.4']) assert.equal(reader.get(ip)?.autonomous_system_organization, 'Plain');
  assert.equal(reader.get('10.0.1.5'), null);
});

test('applies the first of two overlapping ranges, and rejects rows out of order', () => {
  const reader = readerOf('1,4,1,a\n3,6,2,b\n4,5,3,c\n');
  const found = [1, 4, 5, 6, 7].map((last) => reader.get(`0.0.0.${last}`)?.autonomous_system_number ?? null);
  assert.deepEqual(found, [1, 1, 2, 2, null]);
  assert.throws(() => readerOf('5,6,1,a\n1,2,1,a\n'), /^Error: row 2 is not sorted$/);
  assert.throws(() => readerOf('5,6,1,a\nnot a row\n'), /^Error: row 2 is not /);
});

test('finds the last of all addresses, and decodes organizations', () => {
  const half = 2n ** 127n;
  const reader = readerOf('4294967295,4294967295,1,Telefónica 株式会社\n', `${half},${2n * half - 1n},2,b\n`);
  assert.equal(reader.get('255.255.255.255')?.autonomous_system_organization, 'Telefónica 株式会社');
  assert.equal(reader.get('7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'), null);
  for (const ip of ['8000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'])
    assert.equal(reader.get(ip)?.autonomous_system_number, 2);
});

test('reads the date of the data from the version of the package', () => {
  assert.equal(builtSecondsOf('2.3.2026061719'), Date.UTC(2026, 5, 17, 19) / 1000);
  assert.equal(builtSecondsOf('3.0.0'), 0);
});

test('converts once: stores the database, removes the one of an earlier version, and finds it again', async () => {
  const dataDir = join(folder, 'new', 'data');
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, 'asn-2.3.2020010100.mmdb'), '');
  writeFileSync(join(dataDir, 'asn-notes.mmdb'), '');
  assert.equal(convertedFile(dataDir), null);
  let last = { done: 0, total: 0 };
  const conversion = await convertAsn(dataDir, (done, total) => {
    last = { done, total };
  });
  assert.deepEqual(conversion, { file: join(dataDir, name) });
  assert.ok(last.done > last.total * 0.9 && last.done <= last.total);
  assert.deepEqual(readdirSync(dataDir).sort(), [name, 'asn-notes.mmdb'].sort());
  assert.equal(convertedFile(dataDir), join(dataDir, name));
});

test('agrees with the CSV for random addresses and the ends of their ranges', () => {
  const reader = new Reader<Asn & object>(readFileSync(join(folder, 'new', 'data', name)));
  for (const [ip, asn] of [
    ['8.8.8.8', 15169],
    ['1.1.1.1', 13335],
    ['81.2.69.160', 20712],
    ['2001:4860:4860::8888', 15169],
  ] as const)
    assert.equal(reader.get(ip)?.autonomous_system_number, asn, ip);
  assert.equal(reader.get('8.8.8.8')?.autonomous_system_organization, 'Google LLC');
  for (const ipVersion of [4, 6] as const) {
    const rows = readFileSync(join(dirname(manifest), `asn-ipv${ipVersion}-num.csv`), 'utf8')
      .split('\n')
      .flatMap((row) => {
        const [, first = '', last = '', asn] = /^(\d+),(\d+),(\d+),/.exec(row) ?? [];
        return first === '' ? [] : [{ first: BigInt(first), last: BigInt(last), asn: Number(asn) }];
      });
    const expectedAt = (bits: bigint): number | null => {
      let low = 0;
      let high = rows.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((rows[middle]?.last ?? 0n) < bits) low = middle + 1;
        else high = middle;
      }
      const row = rows[low];
      return row !== undefined && row.first <= bits ? row.asn : null;
    };
    const range =
      ipVersion === 4 ? { min: 0n, max: 2n ** 32n - 1n } : { min: 0x20n << 120n, max: (0x30n << 120n) - 1n };
    const place = fc.record({ row: fc.nat(rows.length - 1), offset: fc.bigInt(range), anywhere: fc.bigInt(range) });
    check(1250, place, ({ row, offset, anywhere }) => {
      const { first, last } = rows[row] ?? { first: 0n, last: 0n };
      const inside = first + (offset % (last - first + 1n));
      for (const bits of [inside, anywhere]) {
        const ip = formatAddress({ version: ipVersion, bits });
        assert.equal(reader.get(ip)?.autonomous_system_number ?? null, expectedAt(bits), ip);
      }
    });
  }
});

test('prefers GEOIP_ASN, then a download, then the converted database', async () => {
  const dataDir = join(folder, 'new', 'data');
  const database = (asn: number) =>
    writeMmdb({
      databaseType: 'DBIP-ASN-Lite',
      ipVersion: 4,
      networks: { '8.0.0.0/8': { autonomous_system_number: asn } },
    });
  const own = join(folder, 'own.mmdb');
  writeFileSync(own, database(1));
  const asnOf = async (flags: Record<string, string>) => {
    const settings = readSettings({ 'data-dir': dataDir, ...flags }, {});
    assert.ok(!('problem' in settings));
    return (await openGeoip(geoipFiles(settings))).autonomousSystem('8.8.8.8').asn;
  };
  assert.equal(await asnOf({}), 15169);
  writeFileSync(downloadedFile(dataDir, 'asn'), database(2));
  assert.equal(await asnOf({}), 2);
  assert.equal(await asnOf({ 'geoip-asn': own }), 1);
});

test('keeps the database in memory, with one warning, if the data folder is not writable', async () => {
  const blocked = join(folder, 'file');
  writeFileSync(blocked, '');
  const conversion = await convertAsn(join(blocked, 'data'), () => {});
  assert.ok(conversion && 'warning' in conversion);
  assert.match(conversion.warning, /^DATA_DIR: cannot write to ".*" \(ENOTDIR\), so every start converts /);
  const settings = readSettings({ 'data-dir': join(blocked, 'data') }, {});
  assert.ok(!('problem' in settings));
  const geoip = await openGeoip(geoipFiles(settings, conversion.bytes));
  const { asn, asOrganization } = geoip.autonomousSystem('8.8.8.8');
  assert.deepEqual([asn, asOrganization], [15169, 'Google LLC']);
  assert.equal(existsSync(join(blocked, 'data')), false);
});

test('names the databases older than 60 days, and only those', () => {
  const day = 86_400_000;
  const city = Date.UTC(2026, 0, 1);
  const asn = Date.UTC(2026, 0, 2);
  const geoip = { builtAt: (kind: 'city' | 'asn') => new Date(kind === 'city' ? city : asn) };
  assert.equal(findOldDatabases(geoip, city + 60 * day), null);
  assert.deepEqual(findOldDatabases(geoip, asn + 60 * day), {
    kinds: ['city'],
    sentence: 'The location data is from January 2026.',
  });
  assert.deepEqual(findOldDatabases(geoip, asn + 61 * day), {
    kinds: ['city', 'asn'],
    sentence: 'The location data is from January 2026 and the ASN data from January 2026.',
  });
  assert.equal(findOldDatabases({ builtAt: () => null }, asn), null);
});

test('the conversion ends with the process that waits for it', {
  skip: process.platform !== 'linux' && 'needs /proc',
}, async (context) => {
  // Stopped, so that it cannot end by itself.
  const program = `
    import { subscribe } from 'node:diagnostics_channel';
    import { convertAsn } from '${new URL('../../../src/runtime/databases/geoip-files.ts', import.meta.url)}';
    subscribe('child_process', ({ process: child }) => setImmediate(() => {
      child.kill('SIGSTOP');
      console.log(child.pid);
      process.exit();
    }));
    await convertAsn(${JSON.stringify(join(folder, 'ended'))}, () => {});`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  const pid = Number(stdout);
  assert.ok(pid > 0, stdout);
  context.after(() => isStopped(pid) && process.kill(pid, 'SIGKILL'));
  await until(() => !isStopped(pid));
});

/** False for a process that has ended, also if nothing has waited for it yet. */
function isStopped(pid: number): boolean {
  try {
    return / T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
