/** Outbound requests of the Worker: only to checked addresses, with bounded responses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from 'dns-packet';
import type { OutboundRequest } from '../../../src/core/platform.ts';
import { createOutbound } from '../../../src/edges/cloudflare/outbound.ts';
import { encodeResponse } from '../../lookups/dns/messages.ts';

const resolver = 'https://doh.example/dns-query';

/** A simulated internet: a resolver with these addresses, and sites with this response. */
function outside(addresses: Readonly<Record<string, readonly string[]>>, site: () => Response | Promise<Response>) {
  const requested: string[] = [];
  const sent: RequestInit[] = [];
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    requested.push(String(input));
    sent.push(init);
    if (input !== resolver) return site();
    const [question] = decode(Buffer.from(init.body as Uint8Array)).questions ?? [];
    const type = question?.type as 'A' | 'AAAA';
    const name = question?.name ?? '';
    const known = (addresses[name] ?? []).filter((address) => address.includes(':') === (type === 'AAAA'));
    const message = encodeResponse({ name, type, answers: known.map((data) => ({ name, type, data, ttl: 60 })) });
    return new Response(new Uint8Array(message), { headers: { 'content-type': 'application/dns-message' } });
  };
  const outbound = createOutbound({ send, now: () => 0, resolvers: [resolver], userAgent: 'Seenby/1.0' });
  return { ...outbound, requested, sent };
}

const requestOf = (url: string, changed: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url,
  headers: { accept: '*/*' },
  body: null,
  timeoutMs: 1000,
  maxBodyBytes: 0,
  ...changed,
});

const ok = () => new Response('body', { headers: { 'x-a': '1' } });

test('resolves a name before the request, and follows no redirect', async () => {
  const { fetchPublic, requested, sent } = outside({ 'good.example': ['93.184.216.34', '2606:2800::1'] }, ok);
  const result = await fetchPublic(requestOf('https://good.example/path'));
  assert.deepEqual(requested, [resolver, resolver, 'https://good.example/path']);
  assert.ok('status' in result);
  assert.deepEqual(
    [result.status, { ...result.headers }, result.body.length],
    [200, { 'x-a': '1', 'content-type': 'text/plain;charset=UTF-8' }, 0],
  );
  assert.deepEqual(
    [sent[2]?.redirect, sent[2]?.headers],
    ['manual', { accept: '*/*', 'x-real-ip': '2a06:98c0:3600::103' }],
  );
});

test('blocks a host if one address is not public', async () => {
  const names = {
    'private.example': ['10.0.0.5'],
    'mixed.example': ['93.184.216.34', '::1'],
    'mapped.example': ['::ffff:10.0.0.5'],
  };
  for (const host of [...Object.keys(names), '127.0.0.1', '[::1]', '169.254.169.254', 'localhost', 'a.internal']) {
    const { fetchPublic, requested } = outside(names, ok);
    assert.deepEqual(await fetchPublic(requestOf(`http://${host}/`)), { failure: 'blocked' }, host);
    assert.deepEqual(new Set(requested), new Set(host in names ? [resolver] : []));
  }
});

test('connects to a public address without a resolver, and to no host without an address', async () => {
  const { fetchPublic, requested } = outside({}, ok);
  await fetchPublic(requestOf('http://93.184.216.34/'));
  assert.deepEqual(requested, ['http://93.184.216.34/']);
  assert.deepEqual(await fetchPublic(requestOf('http://none.example/')), { failure: 'unresolved' });
});

test('reports the failure', async () => {
  const aborted = (_: unknown, reject: (error: Error) => void) => setTimeout(() => reject(new Error('aborted')), 40);
  for (const [site, failure] of [
    [() => Promise.reject(new TypeError('Network connection lost.')), 'unreachable'],
    [() => Promise.reject(new Error("TLS peer's certificate is not trusted")), 'certificate'],
    [() => new Promise<Response>(aborted), 'timeout'],
    [() => new Response('', { headers: { 'x-long': 'x'.repeat(33_000) } }), 'too_large'],
    ...(
      [
        [520, 'unreachable'],
        [522, 'timeout'],
        [525, 'unreachable'],
        [526, 'certificate'],
        [530, 'dns_failed'],
      ] as const
    ).map(([status, failure]) => [() => new Response('', { status }), failure] as const),
  ] as const) {
    const { fetch } = outside({}, site as () => Response);
    assert.deepEqual(await fetch(requestOf('http://93.184.216.34/', { timeoutMs: 30 })), { failure });
  }
});

test('reads a body up to its limit', async () => {
  const { fetch } = outside({}, () => new Response('0123456789'));
  const whole = await fetch(requestOf('https://a.example/', { maxBodyBytes: 10 }));
  assert.ok('status' in whole);
  assert.equal(new TextDecoder().decode(whole.body), '0123456789');
  const more = await fetch(requestOf('https://a.example/', { maxBodyBytes: 9 }));
  assert.deepEqual(more, { failure: 'too_large' });
});

test('separates cookies', async () => {
  const headers = new Headers([
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2'],
    ['x-a', '1'],
    ['x-a', '2'],
  ]);
  const { fetch } = outside({}, () => new Response(null, { headers }));
  const result = await fetch(requestOf('https://a.example/'));
  assert.ok('status' in result);
  assert.deepEqual([result.setCookies, { ...result.headers }], [['a=1', 'b=2'], { 'x-a': '1, 2' }]);
});

test('reports several different Location headers, which the runtime joins', async () => {
  for (const [locations, expected] of [
    [['https://a.example/'], ['https://a.example/', false]],
    [
      ['https://a.example/', '/b'],
      ['https://a.example/, /b', true],
    ],
    [
      ['/same', '/same'],
      ['/same', false],
    ],
    [['/?list=1,2'], ['/?list=1,2', false]],
  ] as const) {
    const headers = new Headers(locations.map((location) => ['location', location]));
    const { fetch } = outside({}, () => new Response(null, { status: 302, headers }));
    const result = await fetch(requestOf('https://a.example/'));
    assert.ok('status' in result);
    assert.deepEqual([result.headers.location, result.hasSeveralLocations ?? false], expected);
  }
});

test('connects through a NAT64 gateway to public IPv4 addresses only', async () => {
  const names = { 'public.example': ['93.184.216.34', '64:ff9b::5db8:d822'], 'private.example': ['64:ff9b::a00:5'] };
  const { fetchPublic } = outside(names, ok);
  assert.ok('status' in (await fetchPublic(requestOf('https://public.example/'))));
  assert.deepEqual(await fetchPublic(requestOf('https://private.example/')), { failure: 'blocked' });
});
