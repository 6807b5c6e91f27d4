/** Region codes of names as the embedded database and GeoLite2 write them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { regionCodeOf } from '../../../../src/edges/node/geoip/region-code.ts';

const expected: Readonly<Record<string, readonly [country: string, region: string]>> = {
  CA: ['US', 'California'],
  BY: ['DE', 'Bavaria'],
  NW: ['DE', 'North Rhine-Westphalia'],
  NH: ['NL', 'North Holland'],
  MOW: ['RU', 'Moscow'],
  MOS: ['RU', 'Moscow Oblast'],
  ALT: ['RU', 'Altay Kray'],
  '25': ['IT', 'Lombardy'],
  BD: ['SE', 'Norrbotten'],
  '20R': ['FR', 'Corsica'],
  '42': ['CZ', 'Usti nad Labem Region'],
  '53': ['CZ', 'Pardubice Region'],
  CMX: ['MX', 'Mexico City'],
};

for (const [code, [country, region]] of Object.entries(expected))
  test(`${region} in ${country} has the code of ISO 3166-2`, () => assert.equal(regionCodeOf(country, region), code));

test('a name of several regions, of none, or of another country has no code', () => {
  assert.equal(regionCodeOf('KZ', 'Almaty'), null);
  assert.equal(regionCodeOf('TW', 'Taiwan'), null);
  assert.equal(regionCodeOf('HK', 'Kowloon'), null);
  assert.equal(regionCodeOf('AT', 'Bavaria'), null);
  assert.equal(regionCodeOf('ZZ', 'Bavaria'), null);
  assert.equal(regionCodeOf('DE', 'Nowhere'), null);
  assert.equal(regionCodeOf(null, 'Bavaria'), null);
  assert.equal(regionCodeOf('DE', null), null);
});

test('accents, signs, case and the kind of a region do not matter', () => {
  assert.equal(regionCodeOf('BR', 'São Paulo'), 'SP');
  assert.equal(regionCodeOf('BR', 'SAO PAULO'), 'SP');
  assert.equal(regionCodeOf('RO', 'Timis County'), 'TM');
  assert.equal(regionCodeOf('RO', 'Timiș'), 'TM');
  assert.equal(regionCodeOf('PL', 'Łódzkie'), '10');
});
