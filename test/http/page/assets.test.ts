/** Style and script reach the page as they were written, under hashes that let browsers take them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { script, scriptHash, style, styleHash } from '../../../src/http/page/assets.ts';
import { assets } from './assets.ts';
import { pageAt, pagePaths } from './page-at.ts';

test('equal what the generator makes of their sources', () => {
  assert.equal(readFileSync(new URL('../../../src/http/page/assets.ts', import.meta.url), 'utf8'), assets());
});

for (const path of pagePaths) {
  test(`stand under their hashes: ${path}`, () => {
    const page = pageAt(path);
    const hash = (text = '') => `sha256-${createHash('sha256').update(text).digest('base64')}`;
    assert.equal(hash(/<style>(.*)<\/style>/s.exec(page)?.[1]), styleHash);
    assert.equal(hash(/<script type="module">(.*)<\/script>/s.exec(page)?.[1]), scriptHash);
  });
}

test('never read text as markup, and end no element early', () => {
  assert.doesNotMatch(
    script,
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|<\/script|<!--/i,
  );
  assert.doesNotMatch(style, /<\/style|url\(|@import/i);
});
