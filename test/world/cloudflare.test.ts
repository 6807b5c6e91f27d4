/** Lookups of the Worker in a world: its runtime, as Cloudflare runs it, resolves names and connects by itself. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ErrorCode, errors } from '../../src/core/errors.ts';
import { HeaderCheck } from '../../src/lookups/headers-check/header-check.ts';
import { RdapResult } from '../../src/lookups/rdap/rdap-result.ts';
import { serveWorkerIn, type WorldService } from './service.ts';
import { privateUrls } from './sites.ts';
import { openWorld, skipWithoutWorld, type World } from './world.ts';

describe('a lookup of the Worker in the world', { skip: skipWithoutWorld() }, () => {
  let world: World;
  let service: WorldService;
  before(async () => {
    world = await openWorld();
    service = await serveWorkerIn(world);
  });
  after(async () => {
    await service?.close();
    await world?.close();
  });

  const ask = async (path: string, query: Record<string, string>) => {
    const { status, body } = await service.ask(`${path}?${new URLSearchParams(query)}`);
    return { status, body: JSON.parse(body) };
  };
  const check = async (url: string) => {
    const { status, body } = await ask('/api/headers-check', { url });
    assert.equal(status, 200, url + JSON.stringify(body));
    return HeaderCheck.strict().parse(body);
  };
  const refused = async (path: string, query: Record<string, string>, code: ErrorCode) => {
    const { status, body } = await ask(path, query);
    assert.deepEqual([body.error, status], [code, errors[code].status], JSON.stringify(query));
  };

  test('asks IANA once for each file, and the registries it names', async () => {
    for (const [q, source] of [
      ['example.com', 'https://rdap.verisign.com/com/v1/domain/example.com'],
      ['example.fr', 'https://rdap.nic.fr/domain/example.fr'],
      ['8.8.8.8/24', 'https://rdap.arin.net/registry/ip/8.8.8.0/24'],
      ['1.1.1.1', 'https://rdap.apnic.net/ip/1.1.1.1'],
    ] as const) {
      const { status, body } = await ask('/api/rdap', { q });
      assert.equal(status, 200, body.message);
      assert.equal(RdapResult.strict().parse(body).source, source);
    }
    const asked = (await world.arrivals()).filter(({ host }) => host === 'data.iana.org').map(({ path }) => path);
    assert.deepEqual(asked, ['/rdap/dns.json', '/rdap/ipv4.json']);
  });

  test('grades sites over HTTPS and follows their redirects', async () => {
    const kept = await check('https://well-kept.test/');
    assert.deepEqual([kept.grade.grade, kept.setCookies.length, kept.hops.length], ['A+', 1, 1]);
    assert.equal((await check('https://hops.test/5')).hops.length, 6);
    assert.equal((await check('http://to-https.test/')).finalUrl, 'https://to-https.test/');
    assert.equal((await check('https://200-cookies.test/')).setCookies.length, 200);
    assert.equal((await check('https://repeated.test/')).headers['x-frame-options'], 'DENY, DENY');
    await Promise.all(
      ['endless', 'slow-body', 'large', 'cut-off', 'ipv6-only'].map((name) => check(`https://${name}.test/`)),
    );
  });

  test('tells a target who asks, and nothing of the caller', async () => {
    await check('https://bare.test/who');
    const arrivals = (await world.arrivals()).filter(({ path }) => path === '/who');
    const names = arrivals.map(({ rawHeaders }) => rawHeaders.filter((_, at) => at % 2 === 0).toSorted());
    // The runtime says whose Worker it is, and would say who called it.
    assert.deepEqual(names, [['Accept', 'CF-Worker', 'Cache-Control', 'Host', 'Pragma', 'User-Agent', 'x-real-ip']]);
    assert.ok(!arrivals.flatMap(({ rawHeaders }) => rawHeaders).some((value) => value.includes('25.0.')));
  });

  const checks: { readonly [Code in ErrorCode]?: readonly string[] } = {
    invalid_target: ['https://seenby.test/'],
    target_unreachable: ['no-such-name', 'refused', 'reset-at-once', 'garbage', 'headers-64k', 'expired'].map(
      (name) => `https://${name}.test/`,
    ),
    too_many_redirects: ['https://hops.test/6'],
    target_timeout: ['hang', 'silent', 'slow-header', 'no-connection'].map((name) => `https://${name}.test/`),
  };
  const lookups: { readonly [Code in ErrorCode]?: readonly string[] } = {
    not_found: ['no-such-name.com'],
    upstream_error: ['cut-off', 'large', 'redirect-private', 'private', 'refused', 'self-signed'].map(
      (name) => `example.rdap-${name}`,
    ),
    upstream_timeout: ['hang', 'slow-body'].map((name) => `example.rdap-${name}`),
  };
  test('says what happened where it failed', async () => {
    await Promise.all([
      ...Object.entries(checks).flatMap(([code, urls]) =>
        urls.map((url) => refused('/api/headers-check', { url }, code as ErrorCode)),
      ),
      ...Object.entries(lookups).flatMap(([code, queries]) =>
        queries.map((q) => refused('/api/rdap', { q }, code as ErrorCode)),
      ),
    ]);
  });

  test('asks no address that is not public, however it is written, named or redirected to', async () => {
    const names = ['private', 'private-ipv6', 'loopback', 'link-local', 'mapped', 'translated', 'mixed'];
    const redirected = privateUrls.map((to) => `http://redirect.test/?${new URLSearchParams({ to })}`);
    const given = privateUrls.filter((url) => url.startsWith('http'));
    await Promise.all(
      [...names.map((name) => `https://${name}.test/`), ...given, ...redirected].map((url) =>
        refused('/api/headers-check', { url }, 'blocked_address'),
      ),
    );
    assert.deepEqual(await world.decoyHits(), []);
  });
});
