/** Pages link only to what exists, escape what a caller sent, and need no script. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errors } from '../../src/core/errors.ts';
import type { ObservedRequest } from '../../src/core/observed.ts';
import type { Contact } from '../../src/core/settings.ts';
import { exampleOf } from '../../src/http/endpoint.ts';
import { endpoints } from '../../src/http/endpoints.ts';
import { mcpClients } from '../../src/http/mcp-clients.ts';
import { seenAll, seenNothing } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { noBody } from '../request-body.ts';

function pageAt(path: string, observed: ObservedRequest = seenAll, contact: Contact | null = null): string {
  const endpoint = endpoints.find((each) => each.path === path);
  const page = endpoint?.print.html?.({ observed, platform: platformOf(), publicUrl: null, contact, body: noBody });
  return typeof page === 'string' ? page : assert.fail(`no page at ${path}`);
}

const pages = endpoints.filter(({ print }) => print.html).map(({ path }) => path);

test('there are pages at /, /docs and /privacy', () => {
  for (const path of ['/', '/docs', '/privacy']) assert.ok(pages.includes(path), path);
});

for (const path of pages) {
  test(`stands without scripts, loads nothing and links to what exists: ${path}`, () => {
    for (const observed of [seenAll, seenNothing]) {
      const page = pageAt(path, observed);
      assert.match(page, /^<!doctype html>\n<html lang="en">/);
      assert.doesNotMatch(page, /<script|<link|<img|<iframe|\ssrc=|\son[a-z]+=|javascript:|@import|url\(/i);
      const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, href]) => href as string);
      const own = links.filter((href) => !href.startsWith('https://'));
      assert.ok(own.length > 0);
      for (const href of own)
        assert.ok(
          endpoints.some((each) => exampleOf(each) === href),
          href,
        );
      assert.ok(links.includes('https://db-ip.com'), 'no attribution');
    }
  });
}

test('documents every endpoint and error, at anchors that answers name', () => {
  const page = pageAt('/docs');
  assert.match(page, /id="errors"/);
  for (const each of endpoints) assert.ok(page.includes(`href="${exampleOf(each)}"`), each.path);
  for (const code of Object.keys(errors)) assert.ok(page.includes(`<code>${code}</code>`), code);
});

test('shows how to add the tool server at its own address', () => {
  const page = pageAt('/docs');
  for (const { name, snippet } of mcpClients) {
    assert.ok(page.includes(name), name);
    const escaped = snippet(`${seenAll.origin}/mcp`).replaceAll('"', '&quot;');
    assert.ok(page.includes(`<td><code>${escaped}</code></td>`), escaped);
  }
});

test('says whom to ask for more, as a link where the operator gave one', () => {
  assert.match(pageAt('/docs'), /in 60 seconds ask\sthe operator of this service\./);
  for (const [contact, link] of [
    [{ email: 'ops@seenby.example' }, '<a href="mailto:ops@seenby.example">ops@seenby.example</a>'],
    [{ url: 'https://seenby.example/ask' }, '<a href="https://seenby.example/ask">https://seenby.example/ask</a>'],
  ] as const)
    assert.ok(pageAt('/docs', seenAll, contact).includes(`in 60 seconds ask\n${link}.`));
});

test('says on the home page what it does where no address was seen', () => {
  assert.match(pageAt('/', seenNothing), /no address seen/);
});

test('escapes whatever a caller or a database sent', () => {
  const hostile = `"><script>alert('1')</script>&<img src=x onerror=y>`;
  const headers: Record<string, string> = Object.create(null);
  for (const name of ['user-agent', 'host', 'x-<b>', '__proto__']) headers[name] = hostile;
  const page = pageAt('/', {
    ...seenAll,
    origin: `https://${hostile}`,
    ip: hostile,
    location: { ...seenAll.location, city: hostile },
    autonomousSystem: { asn: 1, asOrganization: hostile },
    headers,
    edgeHeaders: { x: hostile },
  });
  assert.doesNotMatch(page, /<script|<img|<b>|alert\('/i);
  assert.ok(page.includes('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&lt;img src=x onerror=y&gt;'));
});
