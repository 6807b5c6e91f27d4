/** A header check follows redirects one request at a time, within its time, and tells every failure by its own code. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ErrorCode, ServiceError } from '../../../src/core/errors.ts';
import type { OutboundFailure, OutboundRequest, OutboundResult } from '../../../src/core/platform.ts';
import { HeaderCheck } from '../../../src/lookups/headers-check/header-check.ts';
import { headersCheck } from '../../../src/lookups/headers-check/headers-check.ts';
import { platformOf } from '../../platform.ts';

const asker = { userAgent: 'Seenby/1.0 (+https://seenby.example/docs)', ownHosts: ['seenby.example'] };

type Site = (request: OutboundRequest) => OutboundResult;

const ok: OutboundResult = {
  status: 200,
  headers: { 'x-content-type-options': 'nosniff' },
  setCookies: ['a=b; Secure', 'c=d'],
  body: new Uint8Array(),
};
const redirect = (location: string, status = 302): OutboundResult => ({ ...ok, status, headers: { location } });

/** Checks `url` where `site` answers; every request takes `hopMs`. */
async function check(url: string | null, site: Site, hopMs = 100) {
  let nowMs = 1_000_000;
  const asked: OutboundRequest[] = [];
  const platform = platformOf({
    now: () => nowMs,
    fetchPublic: async (request) => {
      asked.push(request);
      nowMs += hopMs;
      return site(request);
    },
  });
  const answer = await headersCheck(url, platform, asker).catch((error) => error);
  return { answer, asked };
}

async function refusal(url: string | null, site: Site) {
  const { answer, asked } = await check(url, site);
  assert.ok(answer instanceof ServiceError, JSON.stringify(answer));
  return { code: answer.code, message: answer.message, asked };
}

test('a site without redirects answers with one hop', async () => {
  const { answer, asked } = await check('https://example.com/a#b', () => ok);
  const { grade, ...rest } = HeaderCheck.parse(answer);
  assert.deepEqual(rest, {
    url: 'https://example.com/a',
    finalUrl: 'https://example.com/a',
    status: 200,
    method: 'GET',
    hops: [{ url: 'https://example.com/a', status: 200, location: null }],
    headers: { 'x-content-type-options': 'nosniff' },
    setCookies: ['a=b; Secure', 'c=d'],
    elapsedMs: 100,
  });
  assert.equal(grade.checks.find(({ id }) => id === 'x-content-type-options')?.pass, true);
  assert.equal(asked.length, 1);
});

test('targets are told who asks and nothing else, and no body is read', async () => {
  const { asked } = await check('http://example.com/', ({ url }) =>
    url === 'http://example.com/' ? redirect('https://example.com/') : ok,
  );
  for (const { method, headers, body, maxBodyBytes } of asked)
    assert.deepEqual(
      { method, headers, body, maxBodyBytes },
      {
        method: 'GET',
        headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'user-agent': asker.userAgent },
        body: null,
        maxBodyBytes: 0,
      },
    );
});

test('redirects are followed by each of their statuses, relative ones from where they stand', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const { answer } = await check('http://example.com/a/b', ({ url }) =>
      url.endsWith('/c') ? ok : redirect('../c#d', status),
    );
    assert.deepEqual(answer.hops, [
      { url: 'http://example.com/a/b', status, location: '../c#d' },
      { url: 'http://example.com/c', status: 200, location: null },
    ]);
    assert.equal(answer.finalUrl, 'http://example.com/c');
  }
});

test('what only looks like a redirect is the last response', async () => {
  for (const response of [redirect('/x', 300), redirect('/x', 304), redirect('/x', 200), { ...ok, status: 302 }]) {
    const { answer } = await check('https://example.com/', () => response);
    assert.equal(answer.hops.length, 1);
    assert.equal(answer.hops[0].location, null);
  }
});

test('five redirects are followed, the sixth is one too many', async () => {
  const chain =
    (length: number): Site =>
    ({ url }) =>
      Number(new URL(url).pathname.slice(1)) === length
        ? ok
        : redirect(`/${Number(new URL(url).pathname.slice(1)) + 1}`);
  const { answer } = await check('https://example.com/0', chain(5));
  assert.equal(answer.hops.length, 6);
  const { code, asked } = await refusal('https://example.com/0', chain(6));
  assert.equal(code, 'too_many_redirects');
  assert.equal(asked.length, 6);
});

test('all hops share five seconds', async () => {
  const { answer, asked } = await check('https://example.com/', () => redirect('/'), 2_000);
  assert.equal(answer.code, 'too_many_redirects');
  assert.deepEqual(
    asked.map(({ timeoutMs }) => timeoutMs),
    [5_000, 3_000, 1_000, 0, 0, 0],
  );
});

describe('a failure has its own code', () => {
  const codes: Readonly<Record<OutboundFailure, ErrorCode>> = {
    blocked: 'blocked_address',
    own: 'invalid_target',
    unresolved: 'target_unreachable',
    unreachable: 'target_unreachable',
    certificate: 'invalid_certificate',
    timeout: 'target_timeout',
    too_large: 'target_unreachable',
  };
  for (const [failure, expected] of Object.entries(codes) as [OutboundFailure, ErrorCode][]) {
    test(`${failure} is ${expected}, at the first hop and at a later one`, async () => {
      assert.equal((await refusal('https://example.com/', () => ({ failure }))).code, expected);
      const later: Site = ({ url }) => (url.endsWith('/b') ? { failure } : redirect('/b'));
      assert.equal((await refusal('https://example.com/', later)).code, expected);
    });
  }
});

describe('nothing is asked', () => {
  for (const [given, expected] of [
    [null, 'invalid_url'],
    ['', 'invalid_url'],
    ['example.com', 'invalid_url'],
    ['http://10.0.0.5/', 'blocked_address'],
    ['https://seenby.example/ip', 'invalid_target'],
  ] as const)
    test(`where the url is ${given}`, async () => {
      const { code, asked } = await refusal(given, () => ok);
      assert.equal(code, expected);
      assert.deepEqual(asked, []);
    });

  for (const [location, expected] of [
    ['http://169.254.169.254/latest/meta-data', 'blocked_address'],
    ['https://seenby.example/', 'invalid_target'],
    ['ftp://example.com/', 'invalid_url'],
    ['http://[broken/', 'invalid_url'],
  ] as const)
    test(`of a redirect to ${location}`, async () => {
      const { code, message, asked } = await refusal('https://example.com/', () => redirect(location));
      assert.equal(code, expected);
      assert.match(message, /^The target redirects to an address that is not asked\. /);
      assert.equal(asked.length, 1);
    });
});
