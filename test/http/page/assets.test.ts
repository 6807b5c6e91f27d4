/** Inline style and script match the hashes in the Content-Security-Policy. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { script, scriptHash, style, styleHash } from '../../../src/http/page/generated/assets.ts';
import { pageAt, pagePaths } from './page-at.ts';

for (const path of pagePaths) {
  test(`style and script match their hashes: ${path}`, () => {
    const page = pageAt(path);
    const hash = (text = '') => `sha256-${createHash('sha256').update(text).digest('base64')}`;
    assert.equal(hash(/<style>(.*)<\/style>/s.exec(page)?.[1]), styleHash);
    assert.equal(hash(/<script type="module">(.*)<\/script>/s.exec(page)?.[1]), scriptHash);
  });
}

test('the script never parses text as markup, and no asset closes its element early', () => {
  assert.doesNotMatch(
    script,
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|<\/script|<!--/i,
  );
  assert.doesNotMatch(style, /<\/style|url\(|@import/i);
});
