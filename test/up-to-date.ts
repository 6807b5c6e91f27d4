/** The test of a generated file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileOf, type Generated } from '../tools/generate.ts';

export function testUpToDate({ path, content }: Generated): void {
  test(`${path} is up to date`, async () => {
    assert.ok(readFileSync(fileOf(path), 'utf8') === (await content()), `${path} is stale: npm run generate`);
  });
}
