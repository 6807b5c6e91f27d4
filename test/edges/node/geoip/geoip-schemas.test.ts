/** Small databases of each schema in use: what they give, and which setting accepts them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type DatabaseKind, openDatabase } from '../../../../src/edges/node/geoip/geoip.ts';
import { type Mmdb, nestedOslo, writeMmdb } from '../../../mmdb.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-schemas-'));
after(() => rmSync(folder, { recursive: true }));

type MmdbRecord = Mmdb['networks'][string];
const network = '198.51.100.0/24';
const address = '198.51.100.7';

function open(kind: DatabaseKind, databaseType: string, record: MmdbRecord) {
  const file = join(folder, `${databaseType.replaceAll(/\W+/g, '-')}.mmdb`);
  writeFileSync(file, writeMmdb({ databaseType, ipVersion: 6, networks: { [network]: record } }));
  return openDatabase(kind, { setting: kind === 'city' ? 'geoipCity' : 'geoipAsn', files: [file] });
}

const country = { iso_code: 'NO', names: { en: 'Norway' } };
const continent = { code: 'EU', names: { en: 'Europe' } };
const number = { autonomous_system_number: 2119, autonomous_system_organization: 'Telenor Norge AS' };
const isp = { ...number, isp: 'Telenor', organization: 'A company' };
const { city, location, postal, subdivisions } = nestedOslo;
const lite = {
  asn: 'AS2119',
  as_name: 'Telenor Norge AS',
  as_domain: 'telenor.example',
  country: 'Norway',
  country_code: 'NO',
  continent: 'Europe',
  continent_code: 'EU',
};
const core = {
  ...lite,
  city: 'Oslo',
  region: 'Oslo County',
  region_code: '03',
  postal_code: '0150',
  timezone: 'Europe/Oslo',
  latitude: 59.9127,
  longitude: 10.7461,
  as_type: 'isp',
  is_mobile: false,
};
const place = { city: 'Oslo', region: 'Oslo County', regionCode: '03', latitude: 59.9127, longitude: 10.7461 };
const inCity = { ...place, timezone: 'Europe/Oslo', postalCode: '0150' };
const system = { asn: 2119, asOrganization: 'Telenor Norge AS' };

interface Schema {
  readonly record: MmdbRecord;
  /** Null if the database has none. */
  readonly located: object | null;
  readonly system: object | null;
}

/** Types and fields from the documentation of their vendors, 2026-11. */
const schemas: Readonly<Record<string, Schema>> = {
  'GeoLite2-Country': { record: { country, continent }, located: { country: 'NO', continent: 'EU' }, system: null },
  'GeoLite2-City': { record: nestedOslo, located: inCity, system: null },
  'GeoIP2-City-Europe': { record: { ...nestedOslo, traits: { is_anycast: true } }, located: inCity, system: null },
  'GeoIP2-Enterprise': { record: { ...nestedOslo, traits: isp }, located: inCity, system },
  'GeoIP2-ISP': { record: isp, located: null, system },
  'GeoLite2-ASN': { record: number, located: null, system },
  'DBIP-Country-Lite': { record: { country, continent }, located: { countryName: 'Norway' }, system: null },
  'DBIP-City-Lite': {
    record: {
      city,
      country,
      continent,
      location: { latitude: 59.9127, longitude: 10.7461 },
      subdivisions: [{ names: { en: 'Oslo County' } }],
    },
    located: place,
    system: null,
  },
  'DBIP-ASN-Lite (compat=GeoLite2-ASN)': { record: number, located: null, system },
  'DBIP-Location (compat=City)': {
    record: { city, country, location, postal, subdivisions },
    located: inCity,
    system: null,
  },
  'DBIP-Location-ISP (compat=Enterprise)': {
    record: { city, country, location, postal, subdivisions, traits: { ...isp, connection_type: 'Cable' } },
    located: inCity,
    system,
  },
  'DBIP-ISP (compat=Enterprise)': { record: { country, traits: isp }, located: { country: 'NO' }, system },
  'ipinfo bundle_location_lite.mmdb': {
    record: lite,
    located: { country: 'NO', countryName: 'Norway', continent: 'EU' },
    system,
  },
  'ipinfo bundle_location_core.mmdb': { record: core, located: { ...inCity, country: 'NO' }, system },
  'ipinfo bundle_location_plus.mmdb': {
    record: { ...core, dma_code: '501', radius: 20, is_vpn: false, carrier_name: 'Telenor' },
    located: { ...inCity, metroCode: '501' },
    system,
  },
  'ipinfo standard_location.mmdb': {
    record: {
      city: 'Oslo',
      country: 'NO',
      lat: '59.9127',
      lng: '10.7461',
      postal_code: '0150',
      region: 'Oslo County',
      timezone: 'Europe/Oslo',
    },
    located: { ...inCity, country: 'NO' },
    system: null,
  },
  'ipinfo country_asn.mmdb': {
    record: {
      asn: 'AS2119',
      as_name: 'Telenor Norge AS',
      country: 'NO',
      country_name: 'Norway',
      continent: 'EU',
      continent_name: 'Europe',
    },
    located: { country: 'NO', countryName: 'Norway', continent: 'EU' },
    system,
  },
  'ipinfo generic_asn_mmdb_v4.mmdb': {
    record: { asn: 'AS2119', name: 'Telenor Norge AS', country: 'NO', type: 'isp' },
    located: null,
    system,
  },
  'ipinfo api.mmdb': {
    record: {
      geo: { city: 'Oslo', region: 'Oslo County', country_code: 'NO', latitude: 59.9127, longitude: 10.7461 },
      as: { asn: 'AS2119', name: 'Telenor Norge AS' },
    },
    located: { ...place, country: 'NO' },
    system,
  },
  'IP2LITE-City': {
    record: { city, country, location: { ...location, time_zone: '+01:00' }, postal, subdivisions },
    located: { ...inCity, timezone: null },
    system: null,
  },
  'IP2LITE-ASN': { record: { asn: '2119', as: 'Telenor Norge AS' }, located: null, system },
  'ip-to-country.mmdb': {
    record: { country_code: 'NO', country_name: 'Norway', continent_code: 'EU' },
    located: { country: 'NO' },
    system: null,
  },
  'Geoacumen-Country': {
    record: { country: { iso_code: 'NO' } },
    located: { country: 'NO', countryName: null },
    system: null,
  },
  'GeoIP2-Anonymous-IP': { record: { is_anonymous: true, is_hosting_provider: true }, located: null, system: null },
  'GeoIP2-Connection-Type': { record: { connection_type: 'Cable/DSL' }, located: null, system: null },
};

/** Those of the expected values that are there. */
const partOf = (found: object, expected: object): object =>
  Object.fromEntries(Object.entries(found).filter(([name]) => name in expected));

for (const [type, { record, located, system }] of Object.entries(schemas))
  describe(type, () => {
    test(located === null ? 'is rejected as a database of locations' : 'gives a location', async () => {
      const opening = open('city', type, record);
      if (located === null)
        return assert.rejects(
          opening,
          /^Error: GEOIP_CITY: ".+" has no location: its type is ".+", with the fields \w/,
        );
      const { locationOf, source } = await opening;
      assert.deepEqual(partOf(locationOf(address), located), located);
      for (const [field, value] of Object.entries(located))
        assert.equal(source.fields.includes(field), value !== null, field);
    });

    test(system === null ? 'is rejected as a database of ASNs' : 'gives the ASN', async () => {
      const opening = open('asn', type, record);
      if (system === null)
        return assert.rejects(opening, /^Error: GEOIP_ASN: ".+" has no autonomous system: its type is /);
      const found = (await opening).autonomousSystemOf(address);
      assert.deepEqual(partOf(found, system), system);
    });
  });

test('country codes are two letters in upper case, and else null', async () => {
  for (const [code, expected] of [
    ...[
      ['NO', 'NO'],
      ['de', 'DE'],
      ['XK', 'XK'],
      ['CLOUDFLARE', null],
      ['T1', null],
      ['', null],
      ['-', null],
      ['ZZ', null],
    ],
    ...[
      ['D', null],
      ['DEU', null],
      ['d\u00e9', null],
    ],
  ] as const) {
    // The second network makes each a database of locations.
    const writing = {
      '203.0.113.0/24': { country: { iso_code: 'NO' } },
      [network]: { country: { iso_code: code as string } },
    };
    const file = join(folder, 'codes.mmdb');
    writeFileSync(file, writeMmdb({ databaseType: 'GeoLite2-Country', ipVersion: 4, networks: writing }));
    const { locationOf } = await openDatabase('city', { setting: 'geoipCity', files: [file] });
    assert.equal(locationOf(address).country, expected, `${code}`);
  }
});
