/** The pages of lookups: who may run one, the errors, the rates. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errors } from '../../../../src/core/errors.ts';
import type { RateName } from '../../../../src/core/limits.ts';
import type { Platform } from '../../../../src/core/platform.ts';
import { createApp } from '../../../../src/http/app.ts';
import { endpoints } from '../../../../src/http/endpoints.ts';
import { lookupPageOf } from '../../../../src/http/page/lookup/pages.ts';
import { resolverOf, type Zones } from '../../../lookups/dns/zones.ts';
import { seenAll } from '../../../observed.ts';
import { decisionOf } from '../../../platform.ts';
import { noBody } from '../../../request-context.ts';

const origin = 'https://seenby.example';
const html = { accept: 'text/html,*/*;q=0.8' };
const zones: Zones = { 'A example.com': ['192.0.2.1'] };
const pages = endpoints.filter(({ kind, lookup }) => kind === 'page' && lookup !== undefined);

interface Visit {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly publicUrl?: string | null;
  readonly isAllowed?: boolean;
  readonly ip?: string | null;
  readonly left?: Platform['left'];
}

async function visit(
  query: string,
  {
    path = '/lookup/dns',
    method = 'GET',
    headers = {},
    publicUrl = null,
    isAllowed = true,
    ip = seenAll.ip,
    left,
  }: Visit = {},
) {
  const counted: (readonly RateName[])[] = [];
  const limit = (rates: readonly RateName[]) => {
    counted.push(rates);
    return decisionOf(isAllowed);
  };
  const { platform, queried } = resolverOf(zones, { limit, ...(left && { left }) });
  const app = createApp({ publicUrl, contact: null });
  const observed = { ...seenAll, ip, method, origin, path, query, headers: { ...html, ...headers } };
  const { status, body, headers: sent } = await app(observed, platform, noBody);
  return { status, body: `${body}`, headers: sent, counted, queried };
}

test('a lookup runs if the visitor opened its URL, or a page of this service requested it', async () => {
  for (const headers of [
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin' },
    { referer: `${origin}/` },
    { referer: `${origin}/lookup/dns?name=other.example` },
  ]) {
    const { status, body, queried } = await visit('name=example.com', { headers });
    assert.deepEqual([status, queried], [200, ['A example.com']], JSON.stringify(headers));
    assert.match(body, /<title>example\.com: DNS records · Seenby<\/title>/);
    assert.match(body, /192\.0\.2\.1/);
  }
  const proxied = { publicUrl: 'https://public.example', headers: { referer: 'https://public.example/' } };
  assert.deepEqual((await visit('name=example.com', proxied)).queried, ['A example.com']);
});

test('any other request only fills in the form: a page of another site, and a client that does not say', async () => {
  const ofOtherSite = /Filled in by the link you followed\. Nothing is sent until you press Look up DNS records\./;
  const unknown =
    /Nothing was looked up\..*neither Sec-Fetch-Site nor Referer, so the service cannot see whether you pressed Look up DNS records\./s;
  for (const headers of [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none, cross-site' },
    { 'sec-fetch-site': '' },
    { 'sec-fetch-site': 'cross-site', referer: `${origin}/` },
    { referer: 'https://other.example/' },
    { referer: 'https://seenby.example.other.example/' },
    { referer: 'http://seenby.example/' },
    { referer: 'null' },
    { origin, 'user-agent': 'curl/8.17.0' },
  ]) {
    const { status, body, queried } = await visit('name=example.com%22%3E&type=mx&other=1', { headers });
    assert.deepEqual([status, queried], [200, []], JSON.stringify(headers));
    assert.match(body, 'sec-fetch-site' in headers || 'referer' in headers ? ofOtherSite : unknown);
    assert.doesNotMatch(body, / data-again=/);
    assert.ok(body.includes('name="name" value="example.com&quot;&gt;"'));
    assert.match(body, /<option selected>MX</);
    // Text from the link is only in the field: not in the title, which link previews show.
    assert.match(body, /<title>DNS records · Seenby<\/title>/);
    assert.equal(body.match(/example\.com&quot;/g)?.length, 1);
  }
});

test('without a value, the page shows only the form', async () => {
  for (const { path } of pages)
    for (const query of ['', 'q=', 'url=%20', 'name=&name=', 'other=1']) {
      const { status, body } = await visit(query, { path, headers: { 'sec-fetch-site': 'none' } });
      assert.equal(status, 200, path + query);
      assert.doesNotMatch(body, /class="result"|Nothing is sent/);
    }
});

/** The visitor opened the URL. */
const opened = { 'sec-fetch-site': 'none' };
const parameterOf = (path: string): string =>
  /dns|domain/.test(path) ? 'name' : path === '/lookup/headers' ? 'url' : 'q';

test('only a request that runs a lookup counts against the rate of lookups', async () => {
  for (const { path } of pages) {
    const query = `${parameterOf(path)}=not%20a%20query`;
    const ratesOf = async (sent: string, visited: Visit) => (await visit(sent, { ...visited, path })).counted.flat();
    assert.deepEqual(await ratesOf(query, { headers: opened }), ['general', 'lookup']);
    assert.deepEqual(await ratesOf('', { headers: opened }), ['general']);
    assert.deepEqual(await ratesOf(query, {}), ['general']);
    assert.deepEqual(await ratesOf(query, { headers: opened, method: 'HEAD' }), ['general']);
    assert.deepEqual(await ratesOf(`${query}&shown=1`, { headers: opened }), ['general']);
    assert.deepEqual(await ratesOf(query, { headers: { ...opened, 'sec-purpose': 'prefetch' } }), ['general']);
  }
});

test('the page shows which limit was reached', async () => {
  for (const { path } of pages) {
    const query = `${parameterOf(path)}=example.com`;
    for (const [headers, message] of [
      [opened, 'Too many lookups from this IP, which others on your network may share; try again in 60 seconds.'],
      [{}, errors.rate_limited.message],
    ] as const) {
      const { status, body, headers: sent } = await visit(query, { path, headers, isAllowed: false });
      assert.deepEqual([status, sent['Retry-After']], [429, '60']);
      assert.ok(body.includes(message) && body.includes(`<form action="${path}">`));
    }
  }
});

test('the page names the rate that rejected a lookup, with its time', async () => {
  const message = async (requests: number, lookups: number) => {
    const left = (rate: RateName) => ({
      isAllowed: true,
      ...(rate === 'general' ? { remaining: requests, resetSeconds: 50 } : { remaining: lookups, resetSeconds: 5 }),
    });
    const { body } = await visit('name=example.com', { headers: opened, isAllowed: false, left });
    return /Too many .*?\./.exec(body)?.[0];
  };
  const shared = 'from this IP, which others on your network may share; try again in';
  assert.equal(await message(0, 7), `Too many requests ${shared} 50 seconds.`);
  assert.equal(await message(20, 0), `Too many lookups ${shared} 5 seconds.`);
  assert.equal(await message(0, 0), `Too many requests ${shared} 50 seconds.`);
});

test('the URL of a history entry whose result the browser has kept runs no lookup, and names the URL that does', async () => {
  const { status, body, queried } = await visit('name=example.com&type=A&shown=1', { headers: opened });
  assert.deepEqual([status, queried], [200, []]);
  assert.match(
    body,
    /<div class="result" data-again="\/lookup\/dns\?name=example\.com&amp;type=A"><\/div><p class="no-js"><a href=/,
  );
  const foreign = await visit('name=example.com&shown=1', { headers: { 'sec-fetch-site': 'cross-site' } });
  assert.doesNotMatch(foreign.body, /data-again="/);
});

test('a result about the own address is marked, so that the browser keeps none', async () => {
  assert.match((await visit('name=example.com', { headers: opened, ip: '192.0.2.1' })).body, / data-visitor>/);
  assert.doesNotMatch((await visit('name=example.com', { headers: opened })).body, / data-visitor>/);
});

test('HEAD runs no lookup', async () => {
  const { status, queried } = await visit('name=example.com', { headers: opened, method: 'HEAD' });
  assert.deepEqual([status, queried], [200, []]);
});

test('a page that a browser loads before it shows it runs no lookup, and is requested again', async () => {
  for (const purpose of ['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip']) {
    const headers = { ...opened, 'sec-purpose': purpose };
    const { status, body, queried } = await visit('name=example.com', { headers });
    assert.deepEqual([status, queried], [503, []], purpose);
    assert.match(body, /<a href="\/docs#error-not_shown">/);
    assert.equal((await visit('', { headers })).status, 200);
  }
});

test('an error is shown above the filled form, with the status of the table', async () => {
  for (const [path, query, code] of [
    ['/lookup/rdap', 'q=a%20%3Cb%3E', 'invalid_query'],
    ['/lookup/rdap', 'q=10.0.0.1', 'not_found'],
    ['/lookup/rdap', 'q=example.com', 'upstream_error'],
    ['/lookup/headers', 'url=http://10.0.0.1/', 'blocked_address'],
    ['/lookup/headers', 'url=seenby.example', 'invalid_target'],
    ['/lookup/headers', 'url=gopher://example.com', 'invalid_url'],
    ['/lookup/dns', 'name=a.example&name=b.example', 'invalid_query'],
    ['/lookup/dns', 'name=a.example&type=A&type=A', 'invalid_query'],
    ['/lookup/ip', 'q=8.8.8.8', 'no_database'],
    ['/lookup/ip', 'q=10.0.0.1', 'blocked_address'],
  ] as const) {
    const { status, body, headers } = await visit(query, { path, headers: { 'sec-fetch-site': 'none' } });
    assert.equal(status, errors[code].status, query);
    assert.match(body, new RegExp(`<h2 class="sr">Error</h2>[^]*<a href="/docs#error-${code}">`));
    assert.match(body, new RegExp(`<form action="${path}">`));
    assert.match(body, /<title>Error: [^<]* · Seenby<\/title>/);
    assert.doesNotMatch(body, /<b>/);
    assert.equal(headers['Cache-Control'], 'no-store');
    const json = await visit(query, { path, headers: { 'sec-fetch-site': 'none', accept: '*/*' } });
    assert.deepEqual([json.status, JSON.parse(json.body).error], [status, code]);
  }
});

test('a host without a scheme is completed to an https URL', async () => {
  for (const [typed, url] of [
    ['example.com/a', 'https://example.com/a'],
    ['example.com/a?next=https://b.example/', 'https://example.com/a?next=https://b.example/'],
    ['HTTP://example.com/', 'HTTP://example.com/'],
  ] as const) {
    const { body } = await visit(`${new URLSearchParams({ url: typed })}`, { path: '/lookup/headers' });
    assert.ok(body.includes(`name="url" value="${url}"`), typed);
  }
});

test('pages of lookups are not indexed, and send the query to no other site', async () => {
  for (const { path } of pages) {
    const { body, headers } = await visit('', { path, publicUrl: 'https://public.example' });
    assert.match(body, /<meta name="robots" content="noindex">/);
    assert.ok(body.includes(`<link rel="canonical" href="https://public.example${path}">`));
    assert.equal(headers['Referrer-Policy'], 'same-origin');
    assert.equal(headers['Cache-Control'], 'no-store');
  }
});

test('the page of a lookup names its endpoint; a part of a report has none', async () => {
  for (const { path, lookup } of pages) {
    const { body } = await visit('', { path });
    const hasEndpoint = endpoints.some((each) => each.path === lookup?.path);
    assert.equal(body.includes(`${origin}${lookup?.path}`), hasEndpoint, path);
  }
});

test('each lookup has its own title, heading and button', async () => {
  const bodies = await Promise.all(pages.map(async ({ path }) => (await visit('', { path })).body));
  for (const pattern of [/<title>(.*?)</, /<h1>(.*?)</, /<button>(.*?)</])
    assert.equal(new Set(bodies.map((body) => pattern.exec(body)?.[1])).size, pages.length);
});

test('the field accepts in the browser what a person may send, and rejects what is surely mistyped', () => {
  const patternOf = (name: string): RegExp => {
    const { pattern } = lookupPageOf({ name });
    return new RegExp(`^(?:${pattern})$`, 'v');
  };
  for (const [name, accepted, rejected] of [
    [
      'rdap',
      ['example.com', ' bücher.example ', 'com', '8.8.8.0/24', '2001:db8::/32', 'AS 15169', 'asn1.10', '15169'],
      ['a b'],
    ],
    [
      'headers-check',
      ['example.com', 'https://a.example/b c', 'http://[2606:4700::1]/', 'example.com:443'],
      ['example'],
    ],
    [
      'certificate',
      ['example.com', 'mail.example.com:993', 'https://a.example/b', '8.8.8.8', '[2606:4700::1]:443'],
      ['example'],
    ],
    ['dns', ['example.com', '_dmarc.example.com', '*.example.com', '.', ' com '], ['example com']],
    ['ip', ['8.8.8.8', ' 2606:4700::1111 ', '::ffff:8.8.8.8'], ['example.com', '8.8.8.8/24', '8 8']],
  ] as const) {
    for (const text of accepted) assert.match(text, patternOf(name));
    for (const text of rejected) assert.doesNotMatch(text, patternOf(name));
  }
});

test('the line about a part that failed states what failed, not a code, and not what to change', async () => {
  const headers = { 'sec-fetch-site': 'same-origin' };
  for (const [path, query, brief] of [
    ['/lookup/rdap', 'q=host.test', 'The name host.test is reserved, so it is not registered'],
    ['/lookup/domain/address', 'name=other.example', 'other.example does not exist (NXDOMAIN)'],
  ] as const) {
    const { body } = await visit(query, { path, headers });
    assert.equal(/data-brief="([^"]*)"/.exec(body)?.[1], brief);
  }
});
