/** The head of every page: titles, previews, colors, manifest; absolute URLs only from the settings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Probes } from '../../../src/core/request-context.ts';
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

test('the header of the start page leaves out the links that its own sections have', () => {
  const linksOf = (path: string): readonly (string | undefined)[] => {
    const [bar = ''] = /<nav class="bar".*?<\/nav>/s.exec(pageAt(path)) ?? [];
    return [...bar.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
  };
  const all = linksOf('/docs');
  assert.ok(all.length >= 4, all.join());
  assert.deepEqual(linksOf('/'), all.slice(2));
});

test('only the start page of a service with tests has their script', () => {
  const scriptsOf = (path: string, probes?: Probes): number =>
    pageAt(path, seenAll, null, probes && { probes }).split('<script').length;
  const none = { dns: null, stun: null, portCheck: false };
  const some = { ...none, portCheck: true };
  assert.equal(scriptsOf('/', none), scriptsOf('/'));
  assert.equal(scriptsOf('/', some), scriptsOf('/') + 1);
  assert.equal(scriptsOf('/docs', some), scriptsOf('/docs'));
});

test('/docs names its example URL only without PUBLIC_URL, and links the page of each lookup', () => {
  const isExample = (page: string): boolean => page.includes('data-example-url=') && page.includes(' class="no-js"');
  assert.ok(isExample(pageAt('/docs')));
  const own = pageAt('/docs', seenAll, null, { publicUrl: 'https://own.example' });
  assert.ok(!own.includes('data-example-url=') && !own.includes(' class="no-js"'));
  const [, list = ''] = /Each lookup has a page for people: (.*?)\. /s.exec(own) ?? [];
  const linked = [...list.matchAll(/href="([^"?]*)/g)].map(([, path]) => path);
  for (const path of ['/lookup/dns', '/lookup/headers', '/lookup/ip', '/lookup/rdap'])
    assert.ok(linked.includes(path), path);
  assert.ok(linked.every((path) => path?.startsWith('/lookup')));
});

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

test('the page of a lookup names what is looked up, in title, heading, preview and URL, so that it can be shared', async () => {
  const visit = async (path: string, query: string) => {
    const observed = { ...seenAll, path, query, headers: { accept: 'text/html' } };
    const { body } = await createApp({ publicUrl: 'https://public.example', contact: null })(
      observed,
      platformOf(),
      noBody,
    );
    return `${body}`;
  };
  for (const [path, query, name, subject] of [
    ['/lookup/rdap', 'q=example.com', 'example.com', 'registration'],
    ['/lookup/rdap', 'q=as+15169', 'AS15169', 'registration'],
    ['/lookup/rdap', 'q=8.8.8.0%2F24', '8.8.8.0/24', 'registration'],
    ['/lookup/headers', 'url=https%3A%2F%2Fexample.com%2Fa', 'example.com', 'security headers'],
    ['/lookup/dns', 'name=example.com&type=MX', 'example.com', 'DNS records'],
    ['/lookup/ip', 'q=8.8.8.8', '8.8.8.8', 'location and network'],
    ['/lookup/domain', 'name=example.com', 'example.com', 'report'],
  ] as const) {
    const page = await visit(path, `${query}&other=1`);
    assert.ok(page.includes(`<title>${name}: ${subject} · Seenby</title>`), path);
    assert.ok(page.includes(`<h1><bdi>${name}</bdi><span class="subject">: ${subject}</span></h1>`), path);
    assert.equal(contentOf(page, 'og:title'), `${name}: ${subject} · Seenby`);
    const url = `https://public.example${path}?${query}`.replaceAll('&', '&amp;');
    assert.equal(contentOf(page, 'og:url'), url);
    assert.ok(page.includes(`<link rel="canonical" href="${url}">`), path);
  }
  // Text that is not a name comes from a link: it stands only in the field.
  const page = await visit('/lookup/dns', 'name=Call+0800+now');
  assert.match(page, /<title>DNS records · Seenby<\/title>/);
  assert.ok(page.includes('<link rel="canonical" href="https://public.example/lookup/dns">'));
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
