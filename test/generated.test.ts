/** Generated files equal the output of their generators. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileOf, generated } from '../tools/generate.ts';

for (const { path, content } of generated)
  test(`${path} is up to date`, async () => {
    assert.ok(readFileSync(fileOf(path), 'utf8') === (await content()), `${path} is stale: npm run generate`);
  });
