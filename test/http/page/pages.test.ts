/** Pages load nothing, contain no broken links, and document every item of the lists. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { errors } from '../../../src/core/errors.ts';
import { rates } from '../../../src/core/limits.ts';
import { flagOf, settingNames, settings, variableOf } from '../../../src/core/settings.ts';
import { dialects } from '../../../src/dialects/list.ts';
import { describeEndpoint, exampleOf, handlesGet } from '../../../src/http/endpoint.ts';
import { endpoints } from '../../../src/http/endpoints.ts';
import { mcpClients } from '../../../src/http/page/data/mcp-clients.ts';
import { fieldsOf } from '../../../src/http/page/fields.ts';
import { usagePolicy } from '../../../src/http/usage-policy.ts';
import { tools } from '../../../src/mcp/tools.ts';
import { seenAll, seenNothing } from '../../observed.ts';
import { pageAt, pagePaths } from './page-at.ts';

/** The text as it is in HTML. */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

test('the pages are /, the lookups, /docs and /privacy', () => {
  const lookups = ['rdap', 'headers', 'certificate', 'dns', 'ip', 'domain/dns', 'domain/address'].map(
    (path) => `/lookup/${path}`,
  );
  assert.deepEqual(pagePaths, ['/', ...lookups, '/lookup', '/lookup/domain', '/docs', '/privacy']);
});

for (const path of pagePaths) {
  test(`loads nothing and has no broken links: ${path}`, () => {
    const targets = new Set(pagePaths.flatMap((each) => idsOf(pageAt(each)).map((id) => `${each}#${id}`)));
    for (const observed of [seenAll, seenNothing]) {
      const page = pageAt(path, observed);
      assert.match(page, /^<!doctype html>\n<html lang="en">/);
      const markup = page.replace(/<script(?: type="module")?>.*?<\/script>/gs, '');
      assert.doesNotMatch(
        markup,
        /<script|<img|<iframe|\ssrc=|\son[a-z]+=|\sstyle=|javascript:|@import|url\(|<link (?!rel="(?:icon|manifest)" href="data:)/i,
      );
      const links = [...markup.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href as string);
      const own = links.filter((href) => !href.startsWith('https://'));
      assert.ok(own.length > 0);
      for (const href of own) {
        const anchor = href.startsWith('#') ? path + href : href.startsWith('/#') ? href : null;
        if (anchor !== null) assert.ok(targets.has(anchor) || href === '#main', href);
        else if (href.startsWith('/lookup/rdap?q=AS')) continue;
        else
          assert.ok(
            endpoints.some((each) => [each.path, exampleOf(each)].includes(href)),
            href,
          );
      }
      assert.ok(links.includes('https://db-ip.com'), 'no attribution');
    }
  });

  test(`has unique ids: ${path}`, () => {
    const ids = idsOf(pageAt(path));
    assert.deepEqual(ids, [...new Set(ids)]);
  });
}

const idsOf = (page: string): string[] => [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id as string);

test('documents every endpoint, field, error, setting, rate and policy', () => {
  const page = pageAt('/docs');
  const code = (text: string) => `<code>${escaped(text)}</code>`;
  for (const { path } of dialects) assert.ok(page.includes(code(path.replace(/^\/as\/[^/]+/, '') || '/')), path);
  for (const endpoint of endpoints.filter(({ kind }) => kind !== 'dialect')) {
    const { path, schema } = endpoint;
    const expected = handlesGet(endpoint) ? `<a href="${escaped(exampleOf(endpoint))}">${code(path)}</a>` : code(path);
    for (const text of [expected, escaped(describeEndpoint(endpoint))]) assert.ok(page.includes(text), text);
    for (const field of schema === undefined ? [] : fieldsOf(schema).values()) {
      for (const text of [code(field.path), escaped(field.description)]) assert.ok(page.includes(text), text);
      assert.notEqual(field.description, '', `${endpoint.path} ${field.path}`);
    }
  }
  assert.match(page, /<div id="errors">/);
  for (const [name, { message }] of Object.entries(errors)) {
    for (const text of [`id="error-${name}"`, escaped(message)]) assert.ok(page.includes(text), text);
  }
  for (const name of settingNames) {
    for (const text of [code(`--${flagOf(name)}`), code(variableOf(name)), escaped(settings[name].description)])
      assert.ok(page.includes(text), text);
  }
  for (const { covers } of Object.values(rates)) assert.ok(page.includes(covers), covers);
  for (const sentence of Object.values(usagePolicy)) assert.ok(page.includes(escaped(sentence)), sentence);
});

for (const path of ['/', '/docs']) {
  test(`shows every tool, and every MCP client's configuration with this URL: ${path}`, () => {
    const page = pageAt(path);
    for (const { name, snippet } of mcpClients) {
      for (const text of [name, `<code>${escaped(snippet(`${seenAll.origin}/mcp`))}</code>`])
        assert.ok(page.includes(text), text);
    }
    for (const { name, description } of tools) {
      for (const text of [`<code>${name}</code>`, escaped(description)]) assert.ok(page.includes(text), text);
    }
  });
}

test('/docs states of each argument of a tool its type, whether it is required, its meaning, and its values', () => {
  const page = pageAt('/docs');
  for (const tool of tools) {
    const { properties, required }: z.core.JSONSchema.JSONSchema = z.toJSONSchema(tool.inputSchema, { io: 'input' });
    for (const [name, property] of Object.entries(properties ?? {})) {
      const { type, description = '', enum: values = [] } = property as z.core.JSONSchema.JSONSchema;
      const need = required?.includes(name) ? 'required' : 'optional';
      const row = [
        `<tr><th scope="row"><code>${tool.name}</code></th>`,
        `<td data-of="Argument"><code>${name}</code></td>`,
        `<td data-of="Type">${type}, ${need}</td>`,
        `<td data-of="Meaning">${escaped(description)}`,
        values.length === 0 ? '</td>' : ` Values: ${values.map((value) => `<code>${value}</code> `).join('')}</td>`,
      ].join('');
      assert.ok(page.includes(row), row);
    }
  }
});

test('names the contact for higher limits, as a link if one is set', () => {
  assert.match(pageAt('/docs'), /contact\s+the operator of this service\./);
  const page = pageAt('/docs', seenAll, { email: 'ops@seenby.example' });
  assert.match(page, /contact\s+<a href="mailto:ops@seenby\.example">ops@seenby\.example<\/a>\./);
});

test('lists what counts against each rate, and names no internal format', () => {
  const page = pageAt('/docs');
  const cellAfter = (rates: string) =>
    new RegExp(`<th scope="row">${rates}</th><td data-of="Requests that count against them">(.*?)</td>`).exec(
      page,
    )?.[1] ?? '';
  assert.match(cellAfter('general'), /<code>\/json<\/code>/);
  assert.match(cellAfter('general and lookup'), /<code>\/api\/rdap<\/code>.*<code>\/lookup\/ip<\/code>/);
  assert.match(cellAfter('tools'), /<code>whoami<\/code>/);
  assert.match(cellAfter('tools and lookup'), /<code>dns_lookup<\/code>/);
  const formats = [...page.matchAll(/data-of="Formats">([^<]*)</g)].flatMap(([, cell = '']) => cell.split(', '));
  assert.deepEqual(new Set(formats), new Set(['text', 'html', 'json', 'svg', 'ico', 'png']));
});

test('the contents of the documentation link to every section, in order, with examples and endpoints open', () => {
  const page = pageAt('/docs');
  const contents = /<nav class="sections" aria-label="On this page">.*?<\/nav>/s.exec(page)?.[0] ?? '';
  const linked = [...contents.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  assert.ok(linked.length > 10 && linked.includes('errors'));
  assert.deepEqual(
    linked,
    [...page.matchAll(/<details class="all"(?: open)?><summary><h2>[^<]+<\/h2><\/summary><div id="([^"]+)"/g)].map(
      ([, id]) => id,
    ),
  );
  assert.equal(page.match(/<h2/g)?.length, linked.length);
  assert.deepEqual(
    [...page.matchAll(/<details class="all" open><summary><h2>([^<]+)/g)].map(([, title]) => title),
    ['Examples', 'Endpoints'],
  );
});
