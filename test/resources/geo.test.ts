/** Derived members of a location. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObservedLocation } from '../../src/core/observed.ts';
import { Geo, geo, type IpLocation, location } from '../../src/resources/geo.ts';
import { seenAll, seenNothing } from '../observed.ts';

const located = (seen: Partial<ObservedLocation>): IpLocation =>
  location({ ...seenNothing, location: { ...seenNothing.location, ...seen } });

test('derives country name, continent, time zone and EU membership if the edge has none', () => {
  const oslo = located({ country: 'NO', latitude: 59.9127, longitude: 10.7461 });
  const { countryName, continent, timezone, isEU } = oslo;
  assert.deepEqual(
    { countryName, continent, timezone, isEU },
    { countryName: 'Norway', continent: 'EU', timezone: 'Europe/Oslo', isEU: false },
  );
  assert.equal(located({ country: 'FI' }).isEU, true);
});

test('keeps the values of the edge', () => {
  assert.deepEqual(location(seenAll), seenAll.location);
  assert.equal(located({ country: 'FI', isEU: false }).isEU, false);
});

test('leaves values null that cannot be derived, and isEU false', () => {
  assert.deepEqual(location(seenNothing), { ...seenNothing.location, isEU: false });
  for (const country of ['T1', 'XX', '__proto__', '']) {
    const { countryName, continent, isEU } = located({ country });
    assert.deepEqual({ countryName, continent, isEU }, { countryName: null, continent: null, isEU: false }, country);
  }
});

test('finds a time zone for every valid coordinate, and null for others', () => {
  const degrees = [
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    -1e9,
    -180.1,
    -180,
    -90.1,
    -90,
    -0,
    0,
    1e-9,
    90,
    90.1,
    179.99999,
    180,
    180.1,
    Number.POSITIVE_INFINITY,
  ];
  for (const latitude of degrees) {
    for (const longitude of degrees) {
      const { timezone } = located({ latitude, longitude });
      const onGlobe = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
      assert.equal(timezone !== null, onGlobe, `${latitude} ${longitude}: ${timezone}`);
      if (timezone !== null) assert.doesNotThrow(() => new Intl.DateTimeFormat('en', { timeZone: timezone }), timezone);
    }
  }
  assert.equal(located({ latitude: 59.9 }).timezone, null);
  assert.equal(located({ longitude: 10.7 }).timezone, null);
});

test('adds IP address, ASN and organization to the location', () => {
  for (const observed of [seenAll, seenNothing]) {
    const { ip, colo } = observed;
    const { asn, asOrganization } = observed.autonomousSystem;
    assert.deepEqual(geo(observed), { ...location(observed), ip, asn, asOrganization, colo });
    assert.deepEqual(Geo.strict().parse(geo(observed)), geo(observed));
  }
});
