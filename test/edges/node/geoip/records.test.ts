/** Records of both database schemas produce the same location. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unobserved } from '../../../../src/core/observed.ts';
import { createReaders } from '../../../../src/edges/node/geoip/records.ts';
import { flatOslo, nestedOslo } from '../../../mmdb.ts';

const locationOf = (record: unknown) => createReaders([Object(record)]).locationOf(record);
const autonomousSystemOf = (record: unknown) => createReaders([Object(record)]).autonomousSystemOf(record);

const oslo = {
  ...unobserved.location,
  country: 'NO',
  region: 'Oslo County',
  regionCode: '03',
  city: 'Oslo',
  postalCode: '0150',
  timezone: 'Europe/Oslo',
  latitude: 59.9127,
  longitude: 10.7461,
};

test('reads the flat schema', () => {
  assert.deepEqual(locationOf(flatOslo), oslo);
});

test('reads the nested schema, in English', () => {
  const nested = { ...oslo, countryName: 'Norway', continent: 'EU' };
  assert.deepEqual(locationOf(nestedOslo), nested);
});

test('returns a metro code as a string, for both types in databases', () => {
  for (const metro_code of [501, '501']) {
    assert.equal(locationOf({ location: { metro_code } }).metroCode, '501');
  }
});

test('sets isEU only if the database contains it', () => {
  const isEU = (country: object): boolean | null => locationOf({ country }).isEU;
  assert.equal(isEU({ iso_code: 'FI', is_in_european_union: true }), true);
  assert.equal(isEU({ iso_code: 'FI' }), null);
  assert.equal(isEU({ iso_code: 'FI', is_in_european_union: 'yes' }), null);
});

test('rounds coordinates to four decimals', () => {
  const { latitude, longitude } = locationOf({
    location: { latitude: 51.50849914550781, longitude: -0.12569999694824219 },
  });
  assert.deepEqual([latitude, longitude], [51.5085, -0.1257]);
});

test('keeps a coordinate of zero', () => {
  for (const country of [{ iso_code: 'GH' }, { iso_code: '-' }]) {
    const { latitude, longitude } = locationOf({ country, location: { latitude: 0, longitude: 0 } });
    // Without a country, it is the sign of IP2Location for an unknown place.
    assert.deepEqual([latitude, longitude], country.iso_code === 'GH' ? [0, 0] : [null, null]);
  }
});

test('returns null for values that are missing, empty or of the wrong type', () => {
  const records: unknown[] = [
    null,
    undefined,
    'NO',
    7,
    [],
    {},
    { country_code: '', city: '', latitude: Number.NaN, longitude: '10 E' },
    { country: 'N', city: 3, subdivisions: [], location: null, postal: { code: 150 }, continent: { code: null } },
    { country: { iso_code: 7, names: [] }, subdivisions: 'Oslo', location: { latitude: Number.POSITIVE_INFINITY } },
    { country: { names: { de: 'Norwegen' } }, city: { names: null } },
  ];
  for (const record of records) assert.deepEqual(locationOf(record), unobserved.location, JSON.stringify(record));
});

test('reads an autonomous system', () => {
  const record = { autonomous_system_number: 2119, autonomous_system_organization: 'Telenor Norge AS' };
  const known = { asn: 2119, asOrganization: 'Telenor Norge AS' };
  assert.deepEqual(autonomousSystemOf(record), { ...unobserved.autonomousSystem, ...known });
});

test('returns null for an autonomous system that is missing, 0 or of the wrong type', () => {
  const records = [
    null,
    {},
    { autonomous_system_number: 0, autonomous_system_organization: '' },
    { autonomous_system_number: 'AS' },
    { autonomous_system_number: 2 ** 32 },
  ];
  for (const record of records)
    assert.deepEqual(autonomousSystemOf(record), unobserved.autonomousSystem, JSON.stringify(record));
});

test('reads what other services stumbled over', () => {
  const rows: readonly [record: object, location: object, system: object][] = [
    // One database for both settings, as IPFire's converted list.
    [{ country: { iso_code: 'NO' }, autonomous_system_number: 2119 }, { country: 'NO' }, { asn: 2119 }],
    // Empty texts for what is not known.
    [{ country: '', country_code: '', city: '', asn: '', as_name: '' }, {}, {}],
    // An anycast network has only the country of its registration, which is no location.
    [{ registered_country: { iso_code: 'US' }, traits: { is_anycast: true } }, {}, {}],
    // Coordinates of a damaged record.
    [{ location: { latitude: -1e250, longitude: 181 } }, {}, {}],
    // A region has a name only, or its code has that of the country.
    [{ country_code: 'DE', region: 'Bavaria' }, { country: 'DE', region: 'Bavaria', regionCode: 'BY' }, {}],
    [{ country_code: 'US', region_code: 'US-CA' }, { country: 'US', regionCode: 'CA' }, {}],
    // Number and name in one text.
    [{ asn: 'AS15169 Google LLC' }, {}, { asn: 15169, asOrganization: 'Google LLC' }],
    [{ as: 'Google LLC', asn: '15169' }, {}, { asn: 15169, asOrganization: 'Google LLC' }],
    // Lists and categories of proxies instead of countries.
    [{ country: { iso_code: 'TELEGRAM' } }, {}, {}],
    // Only a part of the addresses of a provider has a number.
    [{ isp: 'Telenor', organization: 'A company' }, {}, { asOrganization: 'Telenor' }],
  ];
  for (const [record, location, system] of rows) {
    assert.deepEqual(locationOf(record), { ...unobserved.location, ...location }, JSON.stringify(record));
    assert.deepEqual(autonomousSystemOf(record), { ...unobserved.autonomousSystem, ...system }, JSON.stringify(record));
  }
});
