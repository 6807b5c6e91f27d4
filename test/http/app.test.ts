/** The application: failures, slow limits, error pages, trailing slashes, preflights. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errors, failureOf } from '../../src/core/errors.ts';
import type { ObservedRequest } from '../../src/core/observed.ts';
import type { Platform } from '../../src/core/platform.ts';
import { createApp } from '../../src/http/app.ts';
import { endpoints } from '../../src/http/endpoints.ts';
import { outboundUserAgent, selfHeader } from '../../src/lookups/outbound.ts';
import { seenAll } from '../observed.ts';
import { decisionOf, platformOf } from '../platform.ts';
import { noBody } from '../request-context.ts';

const app = createApp({ publicUrl: 'https://seenby.example', contact: null });

/** A platform that records counts and reports. */
function createRecorder(limit: Platform['limit']) {
  const counted: [endpoint: string, status: number][] = [];
  const reported: unknown[] = [];
  const platform = platformOf({
    limit,
    count: (endpoint, status) => counted.push([endpoint, status]),
    report: (error) => reported.push(error),
  });
  return { platform, counted, reported };
}

const broken = new TypeError('of 203.0.113.9');
const failing: ObservedRequest = {
  ...seenAll,
  get location(): never {
    throw broken;
  },
};

describe('an unexpected failure', () => {
  for (const [how, limit] of [
    ['thrown', () => decisionOf(true)],
    ['rejected', async () => decisionOf(true)],
  ] as const) {
    test(`${how} gets a response without its message, is counted and reported`, async () => {
      const { platform, counted, reported } = createRecorder(limit);
      const { status, body } = await app(failing, platform, noBody);
      assert.equal(status, 500);
      assert.equal(JSON.parse(`${body}`).error, 'internal_error');
      assert.equal(JSON.parse(`${body}`).docs, 'https://seenby.example/docs#errors');
      assert.doesNotMatch(`${body}`, /203\.0\.113\.9|TypeError|app\.ts/);
      assert.deepEqual(counted, [['/json', 500]]);
      assert.deepEqual(reported, [broken]);
    });
  }

  test('is reported to the operator only by name and source line', () => {
    const line = failureOf(broken);
    assert.match(line, /^unexpected TypeError at .*app\.test\.ts/);
    assert.doesNotMatch(line, /203\.0\.113\.9/);
    assert.equal(failureOf('203.0.113.9'), 'unexpected failure');
  });
});

test('an asynchronous limit allows and rejects like a synchronous one', async () => {
  for (const [allowed, status] of [
    [true, 200],
    [false, 429],
  ] as const) {
    const { platform, counted, reported } = createRecorder(async () => decisionOf(allowed));
    const response = await app(seenAll, platform, noBody);
    assert.equal(response.status, status);
    assert.deepEqual(counted, [['/json', status]]);
    assert.deepEqual(reported, []);
  }
});

describe('an error page', () => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const respond = async (changed: Partial<ObservedRequest>) => app({ ...seenAll, ...changed }, platformOf(), noBody);

  test('has status and headers of the JSON error, on unknown paths and on pages, and a message for people', async () => {
    for (const [path, method, code, message] of [
      ['/nope', 'GET', 'not_found', 'Page not found'],
      ['/nope', 'POST', 'not_found', 'Page not found'],
      ['/docs', 'POST', 'method_not_allowed', errors.method_not_allowed.message],
      ['/privacy/', 'PUT', 'method_not_allowed', errors.method_not_allowed.message],
      ['/lookup/rdap', 'PUT', 'method_not_allowed', errors.method_not_allowed.message],
    ] as const) {
      const json = await respond({ path, method, headers: {} });
      const page = await respond({ path, method, headers: html });
      assert.equal(JSON.parse(`${json.body}`).error, code);
      assert.equal(page.status, json.status);
      assert.equal(page.headers['Content-Type'], 'text/html; charset=utf-8');
      assert.ok(`${page.body}`.includes(message) && `${page.body}`.includes(`/docs#error-${code}`));
      const { 'Content-Type': _, ...expected } = json.headers;
      for (const [name, value] of Object.entries(expected)) assert.equal(page.headers[name], value, name);
      assert.ok(page.headers['Content-Security-Policy']);
      assert.match(`${page.body}`, /<form (?:class="search" )?action="\/lookup/);
    }
  });

  test('is never sent by other endpoints, or if JSON is preferred', async () => {
    for (const { path } of endpoints.filter(({ path }) => !/^\/(?:docs|privacy|lookup(?:\/.*)?)$/.test(path))) {
      const { status, headers } = await respond({ path, method: 'BREW', headers: html });
      assert.deepEqual([status, headers['Content-Type']], [405, 'application/json'], path);
    }
    const { headers } = await respond({ path: '/nope', headers: { accept: '*/*' } });
    assert.deepEqual([headers['Content-Type'], headers.Vary], ['application/json', 'Accept']);
  });
});

test('names of the zone of the DNS server have no endpoints, and requests to them count against no rate', async () => {
  const probes = { dns: { zone: 'dns.seenby.example' }, stun: null, portCheck: false };
  const withZone = createApp({ publicUrl: 'https://seenby.example', contact: null, probes });
  const { platform } = createRecorder(() => assert.fail('counted'));
  for (const host of ['1-0123456789abcdef.DNS.seenby.example', 'a.b.6-0.dns.seenby.example:8443', 'dns.seenby.example'])
    for (const path of ['/', '/json', '/mcp', '/healthz']) {
      const { status } = await withZone({ ...seenAll, origin: `https://${host}`, path }, platform, noBody);
      assert.equal(status, 404, host + path);
    }
  for (const origin of [
    'https://seenby.example',
    'https://xdns.seenby.example',
    'https://',
    'http://dns.seenby.example.',
  ])
    assert.equal((await withZone({ ...seenAll, origin, path: '/ip' }, platformOf(), noBody)).status, 200, origin);
  const other = { ...seenAll, origin: 'https://dns.seenby.example', path: '/ip' };
  assert.equal((await app(other, platformOf(), noBody)).status, 200);
});

test('a preflight of an unknown path is allowed, like that of an endpoint', async () => {
  const preflight = async (path: string) => app({ ...seenAll, path, method: 'OPTIONS' }, platformOf(), noBody);
  const response = await preflight('/nope');
  assert.equal(response.status, 204);
  assert.deepEqual(response, await preflight('/json'));
});

test('a trailing slash is ignored, and counted under the endpoint', async () => {
  for (const { path, kind } of endpoints.filter(({ path }) => path !== '/')) {
    const counted: string[] = [];
    const platform = platformOf({ count: (endpoint) => counted.push(endpoint) });
    const responses = [path, `${path}/`].map((each) =>
      app({ ...seenAll, path: each, method: 'OPTIONS' }, platform, noBody),
    );
    assert.deepEqual(...((await Promise.all(responses)) as [unknown, unknown]), path);
    assert.deepEqual(counted, kind === 'probe' ? [] : [path, path]);
  }
  for (const path of ['//', '/json//', '/json/x']) {
    assert.equal((await app({ ...seenAll, path }, platformOf(), noBody)).status, 404, path);
  }
});

test('marks responses to its own outbound User-Agent, and no others', async () => {
  const request = (userAgent: string, path = '/ip'): ObservedRequest => ({
    ...seenAll,
    path,
    headers: { 'user-agent': userAgent },
  });
  const own = outboundUserAgent('https://seenby.example');
  for (const path of ['/ip', '/api/rdap', '/no-such-path', '/mcp'])
    assert.equal((await app(request(own, path), platformOf(), noBody)).ownHeaders?.[selfHeader], '?1', path);
  for (const other of ['curl/8', outboundUserAgent(null), outboundUserAgent('https://other.example')])
    assert.equal((await app(request(other), platformOf(), noBody)).ownHeaders, undefined, other);
});

test('responses of a route that state the same share one object of headers, which an edge prepares once', async () => {
  let remaining = 9;
  const limited = platformOf({ limit: () => ({ isAllowed: remaining > 5, remaining: remaining--, resetSeconds: 30 }) });
  const unlimited = platformOf();
  const requests: Partial<ObservedRequest>[] = [
    { path: '/ip' },
    { path: '/json' },
    { path: '/json', isSecure: false },
    { path: '/json', query: 'format=text' },
    { path: '/ip', method: 'POST' },
    { path: '/nope' },
    { path: '/all.json' },
  ];
  for (const platform of [unlimited, limited])
    for (const request of requests) {
      remaining = 9;
      const respond = async () => app({ ...seenAll, ...request }, platform, noBody);
      const first = await respond();
      const second = await respond();
      assert.equal(first.headers, second.headers, JSON.stringify(request));
    }
  remaining = 0;
  const rejected = async () => app(seenAll, limited, noBody);
  assert.equal((await rejected()).headers, (await rejected()).headers);
});
