/** Databases are opened, queried and reloaded; errors name the invalid file. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { unobserved } from '../../../../src/core/observed.ts';
import {
  type DatabaseKind,
  embeddedCity,
  type NamedFiles,
  openDatabase,
  openGeoip,
} from '../../../../src/edges/node/geoip/geoip.ts';
import { flatOslo, type Mmdb, nestedOslo, writeMmdb } from '../../../mmdb.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-geoip-'));
after(() => rm(folder, { recursive: true }));

function fileOf(name: string, content: Buffer | string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const telenor = { autonomous_system_number: 2119, autonomous_system_organization: 'Telenor Norge AS' };
const cityNamed = (city: string) => ({ ...flatOslo, city });
const asnDatabase: Mmdb = {
  databaseType: 'DBIP-ASN-Lite',
  ipVersion: 6,
  networks: { '127.0.0.0/8': telenor, '2001:db8::/32': telenor },
};
const mixedDatabase: Mmdb = {
  databaseType: 'GeoLite2-City',
  ipVersion: 6,
  networks: { '127.0.0.0/8': nestedOslo, '127.0.0.9/32': cityNamed('Inner'), '2001:db8::/32': flatOslo },
};

const cityFiles = (...files: readonly string[]): NamedFiles => ({ setting: 'geoipCity', files });
const asnFiles = (...files: readonly string[]): NamedFiles => ({ setting: 'geoipAsn', files });
const embedded = cityFiles(...embeddedCity);

const openCity = (...files: string[]) => openGeoip((kind) => (kind === 'city' ? cityFiles(...files) : null));

describe('generated databases', () => {
  test('locates IPv4 and IPv6 from one file, the narrower network first', async () => {
    const { locate } = await openCity(fileOf('mixed.mmdb', writeMmdb(mixedDatabase)));
    const cities = ['127.0.0.1', '127.0.0.9', '127.255.255.255', '2001:db8::1', '128.0.0.1', '2001:db9::1'];
    assert.deepEqual(
      cities.map((ip) => locate(ip).city),
      ['Oslo', 'Inner', 'Oslo', 'Oslo', null, null],
    );
  });

  test('combines an IPv4 and an IPv6 file, in either order', async () => {
    const four = fileOf(
      'four.mmdb',
      writeMmdb({ databaseType: 'City', ipVersion: 4, networks: { '127.0.0.0/8': cityNamed('Four') } }),
    );
    const six = fileOf(
      'six.mmdb',
      writeMmdb({ databaseType: 'City', ipVersion: 6, networks: { '::1/128': cityNamed('Six') } }),
    );
    for (const files of [
      [four, six],
      [six, four],
    ]) {
      const { locate } = await openCity(...files);
      assert.deepEqual([locate('127.0.0.1').city, locate('::1').city], ['Four', 'Six']);
    }
  });

  test('has no data for IPv6 with only an IPv4 file', async () => {
    const { locate } = await openCity(
      fileOf('four-only.mmdb', writeMmdb({ databaseType: 'City', ipVersion: 4, networks: { '0.0.0.0/1': flatOslo } })),
    );
    assert.deepEqual(locate('::1'), unobserved.location);
    assert.equal(locate('127.0.0.1').city, 'Oslo');
  });

  test('returns the autonomous system, and null without a database', async () => {
    const file = fileOf('asn.mmdb', writeMmdb(asnDatabase));
    const withAsn = await openGeoip((kind) => (kind === 'city' ? embedded : asnFiles(file)));
    const without = await openGeoip((kind) => (kind === 'city' ? embedded : null));
    const telenor = { ...unobserved.autonomousSystem, asn: 2119, asOrganization: 'Telenor Norge AS' };
    for (const ip of ['127.0.0.1', '2001:db8::1']) {
      assert.deepEqual(withAsn.autonomousSystem(ip), telenor);
      assert.deepEqual(without.autonomousSystem(ip), unobserved.autonomousSystem);
    }
    assert.deepEqual(withAsn.autonomousSystem('128.0.0.1'), unobserved.autonomousSystem);
  });

  test('returns no location without a valid address', async () => {
    const { locate } = await openCity(fileOf('any.mmdb', writeMmdb(mixedDatabase)));
    assert.deepEqual(locate(null), unobserved.location);
    for (const ip of ['', 'localhost', '1.2.3', '999.1.1.1', ':::', '::ffff:zz']) assert.doesNotThrow(() => locate(ip));
  });
});

describe('the embedded database', () => {
  const opened = openGeoip((kind) => (kind === 'city' ? embedded : null));

  test('locates public addresses', async () => {
    const { locate } = await opened;
    const { country, city, latitude, longitude } = locate('81.2.69.142');
    assert.deepEqual({ country, city }, { country: 'GB', city: 'London' });
    assert.ok(Math.abs((latitude ?? 0) - 51.5) < 0.5 && Math.abs(longitude ?? 9) < 0.5, `${latitude} ${longitude}`);
    assert.equal(locate('2001:4860:4860::8888').country, 'CA');
  });

  test('has no location for private, loopback and link-local addresses', async () => {
    const { locate } = await opened;
    for (const ip of [
      '10.0.0.1',
      '127.0.0.1',
      '192.168.1.1',
      '172.16.0.1',
      '169.254.1.1',
      '::1',
      'fe80::1',
      'fd00::1',
    ]) {
      assert.deepEqual(locate(ip), unobserved.location, ip);
    }
  });
});

describe('invalid files', () => {
  const whole = readFileSync(embeddedCity[0] as string);
  const metadataAt = whole.lastIndexOf('MaxMind.com');
  const asn = writeMmdb(asnDatabase);
  const city = writeMmdb(mixedDatabase);
  const rows: readonly [name: string, content: Buffer | string | null, kind: DatabaseKind, problem: RegExp][] = [
    ['missing', null, 'city', /^GEOIP_CITY: cannot read ".*missing" \(ENOENT\); check the path and its permissions$/],
    ['missing', null, 'asn', /^GEOIP_ASN: cannot read ".*missing" \(ENOENT\); check the path and its permissions$/],
    ['empty', '', 'city', /^GEOIP_CITY: ".*empty" is not a database/],
    ['text', 'country_code,NO\n'.repeat(1000), 'asn', /^GEOIP_ASN: ".*text" is not a database/],
    ['truncated', whole.subarray(0, whole.length / 2), 'city', /^GEOIP_CITY: ".*truncated" is not a database/],
    // The metadata at the end is intact, most of the data is missing.
    ['hollow', Buffer.concat([whole.subarray(0, 1_000_000), whole.subarray(metadataAt - 3)]), 'city', /damaged$/],
    ['marker', Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), 'city', /^GEOIP_CITY: ".*marker" is not a database/],
    [
      'asn-file',
      asn,
      'city',
      /^GEOIP_CITY: ".*asn-file" has no location: its type is "DBIP-ASN-Lite", with the fields autonomous_system_number, autonomous_system_organization; name a database of countries or cities; it fits GEOIP_ASN$/,
    ],
    [
      'city-file',
      city,
      'asn',
      /^GEOIP_ASN: ".*city-file" has no autonomous system: its type is "GeoLite2-City", with the fields .*country\.iso_code.*; name a database of ASNs or ISPs; it fits GEOIP_CITY$/,
    ],
  ];
  for (const [name, content, kind, problem] of rows) {
    test(`rejects a file as ${kind} database: ${name}`, async () => {
      const file = content === null ? join(folder, name) : fileOf(name, content);
      await assert.rejects(
        openDatabase(kind, kind === 'city' ? cityFiles(file) : asnFiles(file)),
        (error: Error) => problem.test(error.message) || assert.fail(error.message),
      );
    });
  }

  test('rejects a folder', async () => {
    await assert.rejects(
      openDatabase('city', cityFiles(folder)),
      /^Error: GEOIP_CITY: cannot read ".*"; name a file, not a folder, pipe or device$/,
    );
  });

  test('rejects a pair if one file is broken', async () => {
    await assert.rejects(
      openDatabase('city', cityFiles(embeddedCity[0] as string, fileOf('broken', 'x'))),
      /GEOIP_CITY: ".*broken"/,
    );
  });
});

describe('reloading', () => {
  test('loads a new file, keeps the old data if the new file is broken, and recovers', async () => {
    const database = (city: string): Buffer =>
      writeMmdb({ databaseType: 'City', ipVersion: 4, networks: { '127.0.0.0/8': cityNamed(city) } });
    const file = fileOf('reload.mmdb', database('Before'));
    const geoip = await openCity(file);
    assert.equal(geoip.locate('127.0.0.1').city, 'Before');
    fileOf('reload.mmdb', database('After'));
    await geoip.reload('city');
    assert.equal(geoip.locate('127.0.0.1').city, 'After');
    for (const broken of ['', 'garbage', database('Cut').subarray(0, 40)]) {
      fileOf('reload.mmdb', broken);
      await assert.rejects(geoip.reload('city'), /GEOIP_CITY: ".*reload.mmdb" is not a database/);
      assert.equal(geoip.locate('127.0.0.1').city, 'After');
    }
    fileOf('reload.mmdb', database('Again'));
    await geoip.reload('city');
    assert.equal(geoip.locate('127.0.0.1').city, 'Again');
  });

  test('selects the files again', async () => {
    const file = fileOf('late-asn.mmdb', writeMmdb(asnDatabase));
    let named: NamedFiles | null = null;
    const geoip = await openGeoip((kind) => (kind === 'city' ? embedded : named));
    assert.equal(geoip.autonomousSystem('127.0.0.1').asn, null);
    named = asnFiles(file);
    await geoip.reload('asn');
    assert.equal(geoip.autonomousSystem('127.0.0.1').asn, 2119);
  });

  test('keeps the old data if there is no file any more', async () => {
    let named: NamedFiles | null = asnFiles(fileOf('removed-asn.mmdb', writeMmdb(asnDatabase)));
    const geoip = await openGeoip((kind) => (kind === 'city' ? embedded : named));
    named = null;
    await assert.rejects(geoip.reload('asn'), /^Error: DATA_DIR: its file was removed; restart/);
    assert.equal(geoip.autonomousSystem('127.0.0.1').asn, 2119);
  });
});
