/** Inline style and script match the hashes in the Content-Security-Policy. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ServiceError } from '../../../../src/core/errors.ts';
import { errorPage } from '../../../../src/http/page/error.ts';
import {
  beginScript,
  errorStyle,
  probesScript,
  script,
  scriptHashes,
  style,
  styleHashes,
  textScript,
} from '../../../../src/http/page/generated/assets.ts';
import { site } from '../../../request-context.ts';
import { pageAt, pagePaths } from '../page-at.ts';

const sourceOf = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const styleOf = (page: string) => /<style>(.*)<\/style>/s.exec(page)?.[1];
const scriptOf = (page: string) => /<script type="module">(.*)<\/script>/s.exec(page)?.[1];
const beginOf = (page: string) => /<script>(.*?)<\/script>/s.exec(page)?.[1];

const error = errorPage(new ServiceError('not_found'), site);

for (const path of pagePaths) {
  test(`style and scripts match their hashes: ${path}`, () => {
    const page = pageAt(path);
    assert.ok(styleHashes.split(' ').includes(sourceOf(styleOf(page))));
    for (const text of [scriptOf(page), beginOf(page)]) assert.ok(scriptHashes.split(' ').includes(sourceOf(text)));
  });
}

test('the script of the tests matches a hash, too', () => {
  assert.ok(scriptHashes.split(' ').includes(sourceOf(probesScript)));
});

test('an error page has a style of its own, no script, and less than 4 KB compressed', () => {
  assert.ok(styleHashes.split(' ').includes(sourceOf(styleOf(error))));
  assert.doesNotMatch(error, /<script/);
  assert.ok(gzipSync(error).length < 4000, `${gzipSync(error).length}`);
});

test('a script never parses text as markup, and no asset closes its element early', () => {
  for (const each of [beginScript, script, probesScript, textScript])
    assert.doesNotMatch(
      each,
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|<\/script|<!--/i,
    );
  for (const each of [style, errorStyle]) assert.doesNotMatch(each, /<\/style|url\(|@import/i);
});

test('no grid gives its first parts the width of those that have not arrived', () => {
  assert.doesNotMatch(style, /auto-fit/);
});

test('a browser without :has discards no selector besides those that contain it', () => {
  // Commas in parentheses separate no selectors.
  const selectorsOf = (prelude: string): readonly string[] => prelude.split(/,(?![^()]*(?:\([^()]*\)[^()]*)*\))/);
  for (const each of [style, errorStyle]) {
    const lists = [...each.matchAll(/[^{}]+(?=\{)/g)].map(([prelude]) => selectorsOf(prelude));
    const mixed = lists.filter((list) => new Set(list.map((selector) => selector.includes(':has('))).size > 1);
    assert.deepEqual(mixed, []);
    assert.ok(lists.some(([first = '']) => first.includes(':has(')));
  }
});
