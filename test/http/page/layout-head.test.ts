/** The head of every page: titles, previews, colors, manifest; absolute URLs only from the settings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from '../../../src/http/app.ts';
import { style } from '../../../src/http/page/generated/assets.ts';
import { themeColors } from '../../../src/http/page/layout.ts';
import { seenAll } from '../../observed.ts';
import { platformOf } from '../../platform.ts';
import { noBody } from '../../request-context.ts';
import { pageAt, pagePaths } from './page-at.ts';

const contentOf = (page: string, name: string) =>
  new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(page)?.[1];

async function bodyAt(path: string, publicUrl: string | null): Promise<string> {
  const observed = { ...seenAll, path, origin: 'https://chosen.example', headers: { accept: 'text/html' } };
  return `${(await createApp({ publicUrl, contact: null })(observed, platformOf(), noBody)).body}`;
}

test('every page has its own title and description, also for link previews', () => {
  const pages = pagePaths.map((path) => pageAt(path));
  for (const page of pages) {
    const title = /<title>(.*?)<\/title>/.exec(page)?.[1] ?? '';
    assert.ok(title.length > 5 && title.length <= 60, title);
    assert.equal(contentOf(page, 'og:title'), title);
    const description = contentOf(page, 'description') ?? '';
    assert.ok(description.length > 20 && description.length <= 160, description);
    assert.equal(contentOf(page, 'og:description'), description);
    assert.equal(contentOf(page, 'og:type'), 'website');
  }
  for (const name of ['og:title', 'description'])
    assert.equal(new Set(pages.map((page) => contentOf(page, name))).size, pages.length);
});

test('canonical and preview URLs come only from the public URL', async () => {
  for (const path of pagePaths) {
    const page = await bodyAt(path, 'https://public.example');
    assert.ok(page.includes(`<link rel="canonical" href="https://public.example${path}">`));
    assert.equal(contentOf(page, 'og:url'), `https://public.example${path}`);
    assert.equal(contentOf(page, 'og:image'), 'https://public.example/apple-touch-icon.png');
    assert.doesNotMatch(await bodyAt(path, null), /rel="canonical"|og:url|og:image/);
  }
  const missing = await bodyAt('/no-such-page', 'https://public.example');
  assert.doesNotMatch(missing, /rel="canonical"|og:url/);
  assert.match(missing, /<meta name="robots" content="noindex">/);
});

test('theme colors are those of the page', () => {
  const [, light, dark] = /--page: ?light-dark\((#\w+), ?(#\w+)\)/.exec(style) ?? [];
  assert.deepEqual({ light, dark }, themeColors);
  for (const color of Object.values(themeColors)) assert.ok(pageAt('/').includes(`content="${color}"`));
});

test('only the start page has a manifest, within the page, so that no browser requests it', () => {
  const [, url = ''] = /<link rel="manifest" href="data:application\/manifest\+json,([^"]*)">/.exec(pageAt('/')) ?? [];
  const { name, icons } = JSON.parse(decodeURIComponent(url));
  assert.equal(name, 'Seenby');
  assert.match(icons[0].src, /^data:image\/svg\+xml,/);
  for (const path of pagePaths.slice(1)) assert.doesNotMatch(pageAt(path), /rel="manifest"/);
});
