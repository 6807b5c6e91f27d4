/** A header check follows redirects one request at a time, within its time limit, and reports every failure with its own code. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ErrorCode, errors, ServiceError } from '../../../src/core/errors.ts';
import type { OutboundFailure, OutboundRequest, OutboundResult } from '../../../src/core/platform.ts';
import { headersCheck } from '../../../src/lookups/headers-check/check.ts';
import { HeaderCheck } from '../../../src/lookups/headers-check/schema.ts';
import { platformOf } from '../../platform.ts';

const identity = { userAgent: 'Seenby/1.0 (+https://seenby.example/docs)', ownHosts: ['seenby.example'] };

type Site = (request: OutboundRequest) => OutboundResult;

const ok: OutboundResult = {
  status: 200,
  headers: { 'x-content-type-options': 'nosniff' },
  setCookies: ['a=b; Secure', 'c=d'],
  body: new Uint8Array(),
};
const redirect = (location: string, status = 302): OutboundResult => ({ ...ok, status, headers: { location } });

/** Checks `url` with the responses of `site`; every request takes `hopMs`. */
async function check(url: string, site: Site, hopMs = 100) {
  let nowMs = 1_000_000;
  const requests: OutboundRequest[] = [];
  const platform = platformOf({
    now: () => nowMs,
    fetchPublic: async (request) => {
      requests.push(request);
      nowMs += hopMs;
      return site(request);
    },
  });
  const result = await headersCheck(url, platform, identity).catch((error) => error);
  return { result, requests };
}

async function rejectionOf(url: string, site: Site) {
  const { result, requests } = await check(url, site);
  assert.ok(result instanceof ServiceError, JSON.stringify(result));
  return { code: result.code, message: result.message, requests };
}

test('ends at a redirect with an empty Location', async () => {
  const { result, requests } = await check('https://example.com/', () => redirect(''));
  assert.deepEqual(result.hops, [{ url: 'https://example.com/', status: 302, location: null }]);
  assert.equal(requests.length, 1);
});

test('ends at a redirect to several URLs, and notes that', async () => {
  const several = { ...redirect('https://a.example/, https://b.example/'), hasSeveralLocations: true } as const;
  const { result, requests } = await check('https://example.com/', () => several);
  assert.deepEqual(result.hops, [{ url: 'https://example.com/', status: 302, location: null }]);
  assert.equal(requests.length, 1);
  const note = result.grade.notes.find(({ id }: { id: string }) => id === 'several-locations');
  assert.match(note.message, /not followed/);
});

test('names the malformed lines of the final response, and grades the rest', async () => {
  const malformed = [
    { kind: 'folded', name: 'Content-Security-Policy' },
    { kind: 'name', name: 'X Frame\u0001Options' },
    { kind: 'name', name: 'y'.repeat(100) },
  ] as const;
  const { result } = await check('https://example.com/', () => ({ ...ok, malformed }));
  const { grade } = HeaderCheck.parse(result);
  assert.equal(grade.checks.find(({ id }) => id === 'x-content-type-options')?.pass, true);
  const notes = grade.notes.filter(({ id }) => id.startsWith('malformed-'));
  assert.deepEqual(
    notes.map(({ id, level }) => [id, level]),
    [
      ['malformed-folded-line', 'warning'],
      ['malformed-name', 'warning'],
    ],
  );
  assert.match(
    notes[0]?.message ?? '',
    /: Content-Security-Policy\. Browsers join the lines; .* reject the whole response\.$/,
  );
  assert.match(notes[1]?.message ?? '', /: X Frame Options, y{63}…\. Browsers ignore the headers; /);
  const first = await check('https://example.com/', ({ url }) =>
    url.endsWith('/b') ? ok : { ...redirect('/b'), malformed },
  );
  assert.equal(JSON.stringify(first.result).includes('malformed-'), false);
});

test('returns one hop for a site without redirects', async () => {
  const { result, requests } = await check('https://example.com/a#b', () => ok);
  const { grade, ...rest } = HeaderCheck.parse(result);
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
  assert.equal(requests.length, 1);
});

test('sends targets only a fixed set of headers, and reads no body', async () => {
  const { requests } = await check('http://example.com/', ({ url }) =>
    url === 'http://example.com/' ? redirect('https://example.com/') : ok,
  );
  for (const { method, headers, body, maxBodyBytes } of requests)
    assert.deepEqual(
      { method, headers, body, maxBodyBytes },
      {
        method: 'GET',
        headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'user-agent': identity.userAgent },
        body: null,
        maxBodyBytes: 0,
      },
    );
});

test('follows redirects of each status, relative ones from their own URL', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const { result } = await check('http://example.com/a/b', ({ url }) =>
      url.endsWith('/c') ? ok : redirect('../c#d', status),
    );
    assert.deepEqual(result.hops, [
      { url: 'http://example.com/a/b', status, location: '../c#d' },
      { url: 'http://example.com/c', status: 200, location: null },
    ]);
    assert.equal(result.finalUrl, 'http://example.com/c');
  }
});

test('treats a status or response without redirect as final', async () => {
  for (const response of [redirect('/x', 300), redirect('/x', 304), redirect('/x', 200), { ...ok, status: 302 }]) {
    const { result } = await check('https://example.com/', () => response);
    assert.equal(result.hops.length, 1);
    assert.equal(result.hops[0].location, null);
  }
});

test('follows five redirects and rejects the sixth', async () => {
  const chain =
    (length: number): Site =>
    ({ url }) =>
      Number(new URL(url).pathname.slice(1)) === length
        ? ok
        : redirect(`/${Number(new URL(url).pathname.slice(1)) + 1}`);
  const { result } = await check('https://example.com/0', chain(5));
  assert.equal(result.hops.length, 6);
  const { code, requests } = await rejectionOf('https://example.com/0', chain(6));
  assert.equal(code, 'too_many_redirects');
  assert.equal(requests.length, 6);
});

test('limits all hops together to five seconds', async () => {
  const { result, requests } = await check('https://example.com/', () => redirect('/'), 2_000);
  assert.equal(result.code, 'too_many_redirects');
  assert.deepEqual(
    requests.map(({ timeoutMs }) => timeoutMs),
    [5_000, 3_000, 1_000, 0, 0, 0],
  );
});

describe('maps each failure to its code', () => {
  const codes: Readonly<Record<OutboundFailure, ErrorCode>> = {
    blocked: 'blocked_address',
    own: 'invalid_target',
    unresolved: 'target_unreachable',
    dns_failed: 'target_unreachable',
    unreachable: 'target_unreachable',
    malformed: 'target_unreachable',
    certificate: 'invalid_certificate',
    timeout: 'target_timeout',
    too_large: 'target_unreachable',
    informational: 'target_unreachable',
    overloaded: 'overloaded',
  };
  for (const [failure, expected] of Object.entries(codes) as [OutboundFailure, ErrorCode][]) {
    test(`${failure} is ${expected}, at the first hop and at a later one`, async () => {
      assert.equal((await rejectionOf('https://example.com/', () => ({ failure }))).code, expected);
      const later: Site = ({ url }) => (url.endsWith('/b') ? { failure } : redirect('/b'));
      const { code, message } = await rejectionOf('https://example.com/', later);
      assert.equal(code, expected);
      if (failure !== 'overloaded')
        assert.match(message, /^The target redirects to a URL that (?:is not allowed|failed)\. /);
    });
  }
});

test('names the IP version over which this side has no route', async () => {
  const failing = (...noRouteOver: readonly (4 | 6)[]) =>
    rejectionOf('https://example.com/', () => ({ failure: 'unreachable', noRouteOver }));
  const { code, message } = await failing(6);
  assert.equal(code, 'target_unreachable');
  assert.match(
    message,
    /^The machine of this lookup has no route to the target over IPv6, and does not reach it over IPv4; /,
  );
  assert.match((await failing(4)).message, /^The machine of this lookup has no route to the target over IPv4, /);
  assert.match((await failing(6, 4)).message, /^The machine of this lookup has no route to the target; /);
  assert.equal((await failing()).message, errors.target_unreachable.message);
});

test('recognizes this service by the header of its response, directly and after a redirect', async () => {
  const own: OutboundResult = { ...ok, headers: { 'seenby-self': '?1' } };
  const direct = await rejectionOf('https://alias.example/', () => own);
  assert.deepEqual([direct.code, direct.message], ['invalid_target', errors.invalid_target.message]);
  const redirected = await rejectionOf('https://example.com/', ({ url }) =>
    url.includes('alias') ? own : redirect('https://alias.example/'),
  );
  assert.equal(redirected.code, 'invalid_target');
  assert.match(redirected.message, /^The target redirects to a URL that is not allowed\. The target is this service/);
});

describe('sends no request', () => {
  for (const [given, expected] of [
    ['', 'invalid_url'],
    ['example.com', 'invalid_url'],
    ['http://10.0.0.5/', 'blocked_address'],
    ['https://seenby.example/ip', 'invalid_target'],
  ] as const)
    test(`for the url ${given}`, async () => {
      const { code, requests } = await rejectionOf(given, () => ok);
      assert.equal(code, expected);
      assert.deepEqual(requests, []);
    });

  for (const [location, expected] of [
    ['http://169.254.169.254/latest/meta-data', 'blocked_address'],
    ['https://seenby.example/', 'invalid_target'],
    ['ftp://example.com/', 'invalid_url'],
    ['http://[broken/', 'invalid_url'],
  ] as const)
    test(`for a redirect to ${location}`, async () => {
      const { code, message, requests } = await rejectionOf('https://example.com/', () => redirect(location));
      assert.equal(code, expected);
      assert.match(message, /^The target redirects to a URL that is not allowed\. /);
      assert.equal(requests.length, 1);
    });
});
