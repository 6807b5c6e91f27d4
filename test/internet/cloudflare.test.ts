/** Lookups of the Worker in a simulated internet: Cloudflare's runtime resolves names and connects by itself. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ErrorCode, errors } from '../../src/core/errors.ts';
import { HeaderCheck } from '../../src/lookups/headers-check/schema.ts';
import { RdapResult } from '../../src/lookups/rdap/schema.ts';
import { skipWithoutInternet } from './internet.ts';
import { serveForSuite, serveWorkerIn } from './service.ts';
import { privateNames, privateUrls } from './sites.ts';

describe('a lookup of the Worker in the simulated internet', { skip: skipWithoutInternet() }, () => {
  const simulated = serveForSuite(serveWorkerIn);

  const send = async (path: string, query: Record<string, string>) => {
    const { status, body } = await simulated.service.request(`${path}?${new URLSearchParams(query)}`);
    return { status, body: JSON.parse(body) };
  };
  const check = async (url: string) => {
    const { status, body } = await send('/api/headers-check', { url });
    assert.equal(status, 200, url + JSON.stringify(body));
    return HeaderCheck.strict().parse(body);
  };
  /** At most four run at a time: each has a time limit, which a busy machine would otherwise exceed. */
  const assertAllRejected = async (lookups: readonly Readonly<Parameters<typeof assertRejected>>[]) => {
    const remaining = lookups.values();
    const run = async () => {
      for (const lookup of remaining) await assertRejected(...lookup);
    };
    await Promise.all(Array.from({ length: 4 }, run));
  };
  const assertRejected = async (path: string, query: Record<string, string>, code: ErrorCode) => {
    const { status, body } = await send(path, query);
    assert.deepEqual([body.error, status], [code, errors[code].status], JSON.stringify(query));
  };

  test('requests each IANA file once, and queries the registries it lists', async () => {
    for (const [q, source] of [
      ['example.com', 'https://rdap.verisign.com/com/v1/domain/example.com'],
      ['example.fr', 'https://rdap.nic.fr/domain/example.fr'],
      ['8.8.8.8/24', 'https://rdap.arin.net/registry/ip/8.8.8.0/24'],
      ['1.1.1.1', 'https://rdap.apnic.net/ip/1.1.1.1'],
      ['example.rdap-gzip', 'https://gzip.rdap.test/domain/example.rdap-gzip'],
    ] as const) {
      const { status, body } = await send('/api/rdap', { q });
      assert.equal(status, 200, body.message);
      assert.equal(RdapResult.strict().parse(body).source, source);
    }
    const requested = (await simulated.internet.arrivals())
      .filter(({ host }) => host === 'data.iana.org')
      .map(({ path }) => path);
    assert.deepEqual(requested, ['/rdap/dns.json', '/rdap/ipv4.json']);
  });

  test('grades sites over HTTPS and follows their redirects', async () => {
    const kept = await check('https://well-kept.test/');
    assert.deepEqual([kept.grade.grade, kept.setCookies.length, kept.hops.length], ['A+', 1, 1]);
    assert.equal((await check('https://hops.test/5')).hops.length, 6);
    assert.equal((await check('http://to-https.test/')).finalUrl, 'https://to-https.test/');
    assert.equal((await check('https://200-cookies.test/')).setCookies.length, 200);
    assert.equal((await check('https://repeated.test/')).headers['x-frame-options'], 'DENY, DENY');
    await Promise.all(
      ['endless', 'slow-body', 'large', 'cut-off', 'ipv6-only', 'dns64'].map((name) => check(`https://${name}.test/`)),
    );
    const { status, hops } = await check('https://two-locations.test/');
    assert.deepEqual([status, hops.length], [302, 1]);
    for (const failure of ['servfail', 'nxdomain', 'refused', 'notimp', 'silent'])
      assert.equal((await check(`https://aaaa-${failure}.rebind.test/`)).status, 200, failure);
  });

  test('sends a target only a fixed set of headers, nothing of the client', async () => {
    await check('https://bare.test/who');
    const arrivals = (await simulated.internet.arrivals()).filter(({ path }) => path === '/who');
    const names = arrivals.map(({ rawHeaders }) => rawHeaders.filter((_, at) => at % 2 === 0).toSorted());
    // The runtime names the Worker, and would add the address of its client.
    assert.deepEqual(names, [['Accept', 'CF-Worker', 'Cache-Control', 'Host', 'Pragma', 'User-Agent', 'x-real-ip']]);
    assert.ok(!arrivals.flatMap(({ rawHeaders }) => rawHeaders).some((value) => value.includes('25.0.')));
  });

  test('states that a name has no address only if its name servers do', async () => {
    for (const [host, message] of [
      ['no-such-name.test', /^The host name of the target has no address; check its spelling\.$/],
      ...['bogus.com', 'dns-refused.test', 'no-answer.test'].map(
        (name) => [name, /^One of the queries .* failed/] as const,
      ),
    ] as const) {
      const { body } = await send('/api/headers-check', { url: `https://${host}/` });
      assert.equal(body.error, 'target_unreachable');
      assert.match(body.message, message, host);
    }
  });

  const checks: { readonly [Code in ErrorCode]?: readonly string[] } = {
    invalid_target: ['https://seenby.test/', 'https://alias.test/', 'http://redirect.test/?to=https://alias.test/'],
    target_unreachable: ['no-such-name', 'refused', 'reset-at-once', 'garbage', 'headers-64k', 'expired'].map(
      (name) => `https://${name}.test/`,
    ),
    too_many_redirects: ['https://hops.test/6'],
    target_timeout: ['hang', 'silent', 'slow-header', 'no-connection'].map((name) => `https://${name}.test/`),
  };
  const lookups: { readonly [Code in ErrorCode]?: readonly string[] } = {
    not_found: ['no-such-name.com', '10.0.0.1', 'AS64512', 'x.invalid'],
    upstream_error: [
      'other-object',
      'redirect-other',
      'cut-off',
      'large',
      'redirect-private',
      'private',
      'refused',
      'self-signed',
    ].map((name) => `example.rdap-${name}`),
    upstream_timeout: ['hang', 'slow-body'].map((name) => `example.rdap-${name}`),
  };
  test('reports each failure with its code', async () => {
    await assertAllRejected([
      ...Object.entries(checks).flatMap(([code, urls]) =>
        urls.map((url) => ['/api/headers-check', { url }, code as ErrorCode] as const),
      ),
      ...Object.entries(lookups).flatMap(([code, queries]) =>
        queries.map((q) => ['/api/rdap', { q }, code as ErrorCode] as const),
      ),
    ]);
  });

  test('connects to no non-public address, in any notation, by name or by redirect', async () => {
    const redirected = privateUrls.map((to) => `http://redirect.test/?${new URLSearchParams({ to })}`);
    const given = privateUrls.filter((url) => url.startsWith('http'));
    const urls = [...privateNames.map((name) => `https://${name}.test/`), ...given, ...redirected];
    await assertAllRejected(urls.map((url) => ['/api/headers-check', { url }, 'blocked_address']));
    assert.deepEqual(await simulated.internet.decoyHits(), []);
  });
});
