/** The guide for language models follows the rules of its format, and states what the lists state. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from '../../../src/http/app.ts';
import { llmsTxt } from '../../../src/http/descriptions/llms-txt.ts';
import type { Endpoint } from '../../../src/http/endpoint.ts';
import { endpoints } from '../../../src/http/endpoints.ts';
import { usagePolicy } from '../../../src/http/usage-policy.ts';
import { tools } from '../../../src/mcp/tools.ts';
import { seenAll } from '../../observed.ts';
import { platformOf } from '../../platform.ts';
import { noBody, site, siteOf } from '../../request-context.ts';
import { pageAt } from '../page/page-at.ts';

const { baseUrl } = site;
const guide = llmsTxt(endpoints, tools, site);

interface Link {
  readonly section: string;
  readonly text: string;
  readonly url: string;
  readonly notes: string;
}

/** Reads the guide as the format's reference parser does: below an H2, every line that is not empty must be a link. */
function parseGuide(text: string) {
  const [start = '', ...rest] = text.split(/^##\s*(.*?)$/m);
  const { title, summary, info } =
    /^#\s*(?<title>[^\n]+)\n+>\s*(?<summary>[^\n]+)\n+(?<info>.*)$/s.exec(start)?.groups ?? assert.fail('no title');
  const links: Link[] = [];
  for (let at = 0; at < rest.length; at += 2) {
    const section = rest[at] as string;
    for (const line of (rest[at + 1] as string).split('\n').filter((each) => each.trim() !== '')) {
      const parsed = /^-\s*\[(?<text>[^\]]+)\]\((?<url>[^)\s]+)\):\s*(?<notes>\S.*)$/.exec(line)?.groups;
      assert.ok(parsed, line);
      links.push({ section, ...parsed } as Link);
    }
  }
  return { title, summary, info, links };
}

const { title, summary, info, links } = parseGuide(guide);

test('it has a title, a summary, notes without headings, and sections of links', () => {
  assert.equal(title, 'Seenby');
  assert.ok(summary && summary.length <= 100);
  assert.doesNotMatch(info ?? '', /^#/m);
  assert.deepEqual([...new Set(links.map(({ section }) => section))], ['Endpoints', 'MCP tools', 'Documents']);
});

test('it has fewer than 6,500 characters', () => {
  assert.ok(guide.length < 6500, String(guide.length));
});

test('it links every limited endpoint that each deployment offers, every document without images, and every tool', () => {
  const linked = (section: string) => links.filter((each) => each.section === section).map(({ text }) => text);
  const elsewhere: readonly Endpoint['kind'][] = ['page', 'dialect', 'mcp'];
  const isLimited = ({ kind, rates, isOffered }: Endpoint) =>
    !elsewhere.includes(kind) && rates.length > 0 && isOffered?.(site.deployment) !== false;
  const limited = endpoints.filter(isLimited).map(({ path }) => path);
  assert.deepEqual(linked('Endpoints'), limited);
  assert.deepEqual(linked('Documents'), [
    '/docs',
    '/privacy',
    '/openapi.json',
    '/llms.txt',
    '/mcp/server-card',
    '/.well-known/mcp/server-card.json',
    '/.well-known/ai-catalog.json',
    '/.well-known/api-catalog',
    '/server.json',
    '/robots.txt',
  ]);
  assert.deepEqual(
    linked('MCP tools'),
    tools.map(({ name }) => name),
  );
});

test('every link has a response of 200, and its anchor exists', async () => {
  const app = createApp(site.deployment);
  for (const { url } of links) {
    const { origin, pathname: path, search, hash } = new URL(url);
    assert.equal(origin, baseUrl);
    const { status, body } = await app({ ...seenAll, path, query: search.slice(1) }, platformOf(), noBody);
    const kind = endpoints.find((endpoint) => endpoint.path === path)?.kind;
    // A lookup accepts its parameter; there is no server and no database here that it could query.
    if (kind === 'lookup') assert.ok(status >= 404, `${url}: ${body}`);
    else assert.equal(status, 200, url);
    if (hash !== '') assert.ok(pageAt(path).includes(`id="${hash.slice(1)}"`), url);
  }
});

test('it states the terms of use, the limits and the attribution', () => {
  for (const sentence of Object.values(usagePolicy)) assert.ok(info?.includes(`- ${sentence}\n`), sentence);
  for (const sentence of [
    /general: 60 requests to the endpoints; lookup: 10 lookups .+; tools: 600 tool calls/,
    /429 with Retry-After/,
    /\/docs#errors/,
    /https:\/\/seenby\.example\/mcp/,
    /IP Geolocation by DB-IP/,
  ])
    assert.match(info ?? '', sentence);
});

test('it states what the other format of each endpoint contains', () => {
  const lines = info?.split('\n') ?? [];
  for (const { path, otherFormat = '', render } of endpoints.filter((each) => each.otherFormat !== undefined)) {
    const [, format] = Object.keys(render);
    const line =
      lines.find((each) => each.startsWith(`- As ${format} (?format=${format} or Accept: `)) ?? assert.fail(path);
    const clause = line.split(/; |\.$/).find((each) => / returns? /.test(each) && each.endsWith(` ${otherFormat}`));
    assert.ok(clause?.match(/\/[\w/-]+/g)?.includes(path), `${path}: ${clause}`);
  }
  assert.match(guide, /; \/ua returns only the header\.$/m);
});

test('it names the contact for higher limits', () => {
  assert.match(guide, /^- For higher limits, contact the operator of this service\.$/m);
  for (const [contact, expected] of [
    [{ email: 'ops@seenby.example' }, 'ops@seenby.example'],
    [{ url: 'https://seenby.example/contact' }, 'https://seenby.example/contact'],
  ] as const)
    assert.ok(llmsTxt(endpoints, tools, siteOf({ contact })).includes(`For higher limits, contact ${expected}.\n`));
});
