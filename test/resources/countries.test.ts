/** The table of countries agrees with the countries-list package. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countries as listed } from 'countries-list';
import { countries } from '../../src/resources/countries.ts';

const members = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');
const unionTerritories = ['AX', 'GF', 'GP', 'MF', 'MQ', 'RE', 'YT'];

test('has every listed country on its listed continent', () => {
  for (const [code, { continent, continents }] of Object.entries(
    listed as Record<string, { continent: string; continents?: string[] }>,
  )) {
    const ours = countries.get(code)?.continent ?? 'missing';
    assert.ok([continent, ...(continents ?? [])].includes(ours), `${code}: ${ours}, listed ${continent}`);
  }
});

test('has a name for every country', () => {
  for (const [code, { name }] of countries) {
    assert.match(code, /^[A-Z]{2}$/);
    assert.ok(name.length > 3 && name !== code, `${code}: ${name}`);
  }
  assert.equal(countries.get('NO')?.name, 'Norway');
});

test('lists exactly the 27 EU members and their territories', () => {
  assert.equal(members.length, 27);
  const inUnion = [...countries].filter(([, { isEU }]) => isEU).map(([code]) => code);
  assert.deepEqual(inUnion.sort(), [...members, ...unionTerritories].sort());
});
