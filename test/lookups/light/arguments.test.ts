/** The arguments of the light library: what it accepts, and what its errors state. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as light from '../../../src/lookups/light/light.ts';

test('accepts a Headers, and states what to pass instead of a wrong argument', () => {
  const headers = new Headers({ 'User-Agent': 'curl/8' });
  assert.equal(light.userAgent(headers).kind, 'cli');
  assert.equal(light.userAgent({ 'User-Agent': ['curl/8'], accept: undefined }).kind, 'cli');
  const subject = { own: false, https: null, http2: null, ip: null, nowMs: 0, handshake: null };
  assert.equal(light.headerTraits({ ...subject, headers }).kind, 'cli');
  assert.deepEqual(light.headerTraits({ headers, nowMs: 0 }), light.headerTraits({ ...subject, headers }));
  const site = { url: 'https://a.example/', finalUrl: 'https://a.example/', status: 200, hops: [], setCookies: [] };
  const hsts = new Headers({ 'Strict-Transport-Security': 'max-age=31536000' });
  assert.equal(light.grade({ ...site, headers: hsts }).grade, 'C');
  const plain = { ...site, url: 'http://a.example/', finalUrl: 'http://a.example/' };
  const hops = [{ url: plain.url, status: 200, location: null }];
  assert.deepEqual(light.grade({ ...plain, headers: {} }), light.grade({ ...plain, headers: {}, hops }));
  const nothing = undefined as never;
  for (const [call, message] of [
    [() => light.parseUserAgent(nothing), 'parseUserAgent: the User-Agent must be a string, not undefined'],
    [() => light.userAgent(nothing), /^userAgent: .* an object of header names and values, or a Headers, not undef/],
    [() => light.userAgent([1] as never), /^userAgent: headers must be an object of header names/],
    [
      () => light.userAgent({ 'user-agent': 'curl/8', 'content-length': 5 } as never),
      'userAgent: headers["content-length"] must be a string or an array of strings, not number',
    ],
    [() => light.userAgent({ via: ['a', {}] } as never), 'userAgent: headers["via"][1] must be a string, not object'],
    [() => light.headerTraits(nothing), 'headerTraits: the argument must be an object, not undefined'],
    [() => light.headerTraits({ ...subject, headers: 'a' as never }), /^headerTraits: headers must be .*, not string$/],
    [
      () => light.headerTraits({ ...subject, headers, ip: 5 as never }),
      'headerTraits: ip must be a string or null, not number',
    ],
    [() => light.headerTraits({ headers } as never), 'headerTraits: nowMs must be a number, not undefined'],
    [() => light.grade({} as never), /^grade: headers must be /],
    [() => light.grade({ ...site, headers, status: nothing }), 'grade: status must be a number, not undefined'],
    [
      () => light.grade({ ...site, headers, hops: [{} as never] }),
      'grade: hops[0].url must be a string, not undefined',
    ],
    [
      () => light.grade({ ...site, headers, setCookies: [1 as never] }),
      'grade: setCookies[0] must be a string, not number',
    ],
    [() => light.grade({ ...site, headers, hops: nothing }), 'grade: hops must be an array, not undefined'],
    [() => light.summarize('domain', nothing, ''), /^summarize: the RDAP object must be an object, not undefined$/],
    [() => light.summarize('dns' as never, {}, ''), 'summarize: the kind must be one of domain, ip, autnum'],
    [() => light.tlsFingerprints('a' as never), 'tlsFingerprints: the ClientHello must be a Uint8Array, not string'],
    [() => light.http2Fingerprint(nothing, []), 'http2Fingerprint: the bytes must be a Uint8Array, not undefined'],
    [
      () => light.http2Fingerprint(Uint8Array.of(), nothing),
      'http2Fingerprint: the pseudo-headers must be an array, not undefined',
    ],
  ] as const)
    assert.throws(call, { name: 'TypeError', message });
});
