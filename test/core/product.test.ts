/** The package, its lock file and the documents state the version of the product. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { product } from '../../src/core/product.ts';

const textOf = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const read = (file: string) => JSON.parse(textOf(file));

test('package.json and package-lock.json have the version of the product', () => {
  const lock = read('package-lock.json');
  for (const { version } of [read('package.json'), lock, lock.packages[''], product])
    assert.equal(version, product.version);
});

test('commands in the documents name the package of the product', () => {
  const documents = globSync('docs/**/*.md', { cwd: new URL('../..', import.meta.url) });
  const named = documents.flatMap((file) => textOf(file).match(/seenby(?:-light)?-\d[\w.-]*\.tgz/g) ?? []);
  assert.ok(named.length > 0);
  for (const name of named) assert.ok(name.endsWith(`-${product.version}.tgz`), name);
});

test('the newest release in the changelog is the version of the product', () => {
  assert.equal(/^## (\d.*)$/m.exec(textOf('CHANGELOG.md'))?.[1], product.version);
});
