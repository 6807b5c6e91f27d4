/** The package and its lock file state the version of the product. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { product } from '../../src/core/product.ts';

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));

test('package.json and package-lock.json have the version of the product', () => {
  const lock = read('package-lock.json');
  for (const { version } of [read('package.json'), lock, lock.packages[''], product])
    assert.equal(version, product.version);
});
