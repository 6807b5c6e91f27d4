/** docs/fields.md states for each field of `/json` which edges fill it, or why that does not depend on the edge. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOf } from '../../src/http/page/fields.ts';
import { Info } from '../../src/resources/info.ts';
import { tableOf } from '../acceptance/fields.ts';

/** The paths in the first cells of a table; one that ends with `*` stands for all below it. */
const pathsIn = (table: 'Field' | 'Other fields'): readonly string[] =>
  tableOf(table).fields.flatMap(([cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path));

const stated = [...pathsIn('Field'), ...pathsIn('Other fields')];

const covers = (path: string, field: string): boolean =>
  path.endsWith('.*') ? field.startsWith(path.slice(0, -1)) : field === path;

test('the page has each field of the resource once', () => {
  const fields = [...fieldsOf(Info).keys()].filter((path) => path !== '');
  assert.ok(fields.length >= 40);
  for (const field of fields) {
    const rows = stated.filter((path) => covers(path, field));
    assert.equal(rows.length, 1, `${field}: ${rows.length} rows of docs/fields.md name it; it needs one`);
  }
  for (const path of stated)
    assert.ok(
      fields.some((field) => covers(path, field)),
      `docs/fields.md names ${path}, which does not exist`,
    );
});
