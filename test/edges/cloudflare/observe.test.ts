/** Requests are observed from Cloudflare's properties, in all their forms. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unobserved } from '../../../src/core/observed.ts';
import { observe } from '../../../src/edges/cloudflare/observe.ts';
import { http } from '../../../src/resources/connection.ts';
import { Info, info } from '../../../src/resources/info.ts';
import { seenNothing } from '../../observed.ts';
import { austin, requestOf } from './requests.ts';

const infoOf = (cf: object | undefined, headers: Record<string, string> = {}) =>
  info(observe(requestOf(headers, cf as typeof austin)), 'https://seenby.example', 0);

test('reports every field', () => {
  const { ip, ipVersion, location, network, tls, meta, ...more } = infoOf(austin, {
    'cf-connecting-ip': '2001:DB8:0::1',
    'user-agent': 'curl/8',
  });
  const seen = { ip, ipVersion, location, network, tls, http: more.http };
  assert.partialDeepStrictEqual(seen, {
    ip: '2001:db8::1',
    ipVersion: 6,
    location: {
      country: 'US',
      countryName: 'United States',
      region: 'Texas',
      regionCode: 'TX',
      city: 'Austin',
      postalCode: '78701',
      metroCode: '635',
      continent: 'NA',
      timezone: 'America/Chicago',
      isEU: false,
      latitude: 30.2713,
      longitude: -97.7426,
    },
    network: {
      ...unobserved.autonomousSystem,
      asn: 395747,
      asOrganization: 'Example Telecom',
      colo: 'DFW',
      ...unobserved.transport,
      clientQuicRttMs: 9,
      deliveryRateBps: 123_456,
    },
    tls: {
      ...unobserved.tls,
      version: 'TLSv1.3',
      cipher: 'AEAD-AES128-GCM-SHA256',
      clientHelloLength: 508,
      clientCiphersSha1: 'GXSPDLP4G3X+prK73a4wBuOaHRc=',
      clientExtensionsSha1: 'Y7DIC8A6G0/aXviZ8ie/xDbJb7g=',
    },
    http: {
      ...http(seenNothing),
      protocol: 'HTTP/3',
      method: 'GET',
      priority: null,
      acceptEncoding: 'gzip, deflate, br',
    },
  });
  assert.equal(meta.simulated, false);
});

const overTcp = { httpProtocol: 'HTTP/2' };
const noTls = { version: null, cipher: null };
const traps: readonly [what: string, cf: object, expected: object][] = [
  ['numbers as numbers', { latitude: 1.5, tlsClientHelloLength: 508 }, { location: { latitude: 1.5 } }],
  ['an empty latitude', { latitude: '', longitude: null }, { location: { latitude: null, longitude: null } }],
  ['a latitude that is none', { latitude: 'x', longitude: '181' }, { location: { latitude: null, longitude: null } }],
  ['latitude zero', { latitude: '0.00000' }, { location: { latitude: 0 } }],
  ['isEUCountry "1"', { country: 'FR', isEUCountry: '1' }, { location: { isEU: true } }],
  ['isEUCountry true', { country: 'FR', isEUCountry: true }, { location: { isEU: true } }],
  ['isEUCountry false', { country: 'US', isEUCountry: false }, { location: { isEU: false } }],
  ['isEUCountry "0"', { country: 'US', isEUCountry: '0' }, { location: { isEU: false } }],
  ['no isEUCountry', { country: 'FR' }, { location: { isEU: true } }],
  ['an unknown country', { country: 'XX' }, { location: { country: null, countryName: null, isEU: false } }],
  ['Tor', { country: 'T1', continent: 'T1' }, { location: { country: null, countryName: null, continent: null } }],
  ['no country', { country: null, continent: null }, { location: { country: null, continent: null } }],
  ['an empty organization', { asOrganization: '' }, { network: { asOrganization: null } }],
  ['a number as text', { asn: '64496' }, { network: { asn: 64496 } }],
  ['number zero', { asn: 0 }, { network: { asn: null } }],
  ['a round trip of zero', { ...overTcp, clientTcpRtt: 0 }, { network: { clientTcpRttMs: null } }],
  [
    'round trips over TCP',
    { ...overTcp, clientTcpRtt: 12, clientQuicRtt: 0 },
    { network: { clientTcpRttMs: 12, clientQuicRttMs: null } },
  ],
  [
    'a round trip of the other transport',
    { clientTcpRtt: 12, clientQuicRtt: 9 },
    { network: { clientTcpRttMs: null, clientQuicRttMs: 9 } },
  ],
  ['an unknown rate', { edgeL4: { deliveryRate: 0 } }, { network: { deliveryRateBps: null } }],
  ['no rate', { edgeL4: undefined }, { network: { deliveryRateBps: null } }],
  ['a rate that is null', { edgeL4: null }, { network: { deliveryRateBps: null } }],
  ['plain HTTP', { tlsVersion: '', tlsCipher: '' }, { tls: noTls }],
  ['plain HTTP by name', { tlsVersion: 'none', tlsCipher: 'NONE' }, { tls: noTls }],
  ['an empty length', { tlsClientHelloLength: '' }, { tls: { clientHelloLength: null } }],
  ['an empty hash', { tlsClientCiphersSha1: '' }, { tls: { clientCiphersSha1: null } }],
  [
    'a hash in the URL-safe alphabet',
    { tlsClientCiphersSha1: 'GXSPDLP4G3X_prK73a4wBuOaHRc=' },
    { tls: { clientCiphersSha1: null } },
  ],
  [
    'a hash in hexadecimal',
    { tlsClientExtensionsSha1: 'OWFiM2I5ZDc0YWI0YWYzZmFkMGU0ZjhlYjhiYmVkMjgxNTU5YTU2Mg==' },
    { tls: { clientExtensionsSha1: null } },
  ],
  ['an unknown protocol', { httpProtocol: 'SPDY/3' }, { http: { protocol: null } }],
  ['a priority', { requestPriority: 'weight=256;exclusive=1' }, { http: { priority: 'weight=256;exclusive=1' } }],
  ['no encoding', { clientAcceptEncoding: '' }, { http: { acceptEncoding: null } }],
  ['no encoding, as null', { clientAcceptEncoding: null }, { http: { acceptEncoding: null } }],
];
for (const [what, cf, expected] of traps)
  test(`interprets ${what}`, () => {
    const seen = Info.parse(infoOf({ ...austin, isEUCountry: undefined, ...cf }, { 'accept-encoding': 'br, gzip' }));
    assert.partialDeepStrictEqual(seen, expected);
  });

test('returns null without cf, and for members of another type', () => {
  const odd = Object.fromEntries(Object.keys(austin).map((name) => [name, { odd: true }]));
  for (const cf of [undefined, {}, odd]) {
    const { ip, location, network, tls, http } = Info.parse(infoOf(cf));
    const { isEU, ...place } = location;
    const { method, ...spoken } = http;
    assert.deepEqual([ip, isEU, method], [null, false, 'GET']);
    for (const value of Object.values({ ...place, ...network, ...tls, ...spoken })) assert.equal(value, null);
  }
});

test('uses headers if cf has no value', () => {
  const { http } = infoOf({}, { priority: 'u=1', 'accept-encoding': 'gzip' });
  assert.deepEqual([http.priority, http.acceptEncoding], ['u=1', 'gzip']);
});

test('reports the client address', () => {
  for (const [headers, ip] of [
    [{ 'cf-connecting-ip': '203.0.113.9' }, '203.0.113.9'],
    [{ 'cf-connecting-ip': '::ffff:203.0.113.9' }, '203.0.113.9'],
    // Pseudo IPv4: a class E address replaces an IPv6 address.
    [{ 'cf-connecting-ip': '240.16.0.1', 'cf-connecting-ipv6': '2001:DB8::1' }, '2001:db8::1'],
    [{ 'cf-connecting-ip': '203.0.113.9', 'cf-connecting-ipv6': '2001:db8::1' }, '203.0.113.9'],
    [{ 'cf-connecting-ip': 'unknown' }, null],
    [{ 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.9' }, null],
  ] as const)
    assert.equal(observe(requestOf(headers)).ip, ip);
});

test('counts IPv6 clients by their /64', () => {
  const keyOf = (ip: string) => observe(requestOf({ 'cf-connecting-ip': ip })).rateKey;
  assert.equal(keyOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(keyOf('2001:db8:1:2::1'), keyOf('2001:db8:1:2:ffff::'));
  assert.notEqual(keyOf('2001:db8:1:2::'), keyOf('2001:db8:1:3::'));
  assert.equal(keyOf('203.0.113.9'), '203.0.113.9');
});

test('keeps path and query as sent', () => {
  for (const [url, expected] of [
    ['https://a.example', ['https://a.example', '/', '']],
    ['http://a.example:8080/json?format=text', ['http://a.example:8080', '/json', 'format=text']],
    ['https://a.example//../%2e%2E?', ['https://a.example', '//../%2e%2E', '']],
    ['https://a.example/?a=/b?c', ['https://a.example', '/', 'a=/b?c']],
  ] as const) {
    const { origin, path, query } = observe(requestOf({}, undefined, url));
    assert.deepEqual([origin, path, query], expected);
  }
});

test('reports JA3 and JA4 of an account with Bot Management, and null elsewhere', () => {
  const ja3Hash = '0149f47eabf9a20d0893e2a44e5a6323';
  const ja4 = 't13d1517h2_8daaf6152771_cb7bf5808d99';
  const handshakeOf = (botManagement: unknown) => observe(requestOf({}, { ...austin, botManagement })).handshake;
  assert.deepEqual(handshakeOf({ ja3Hash, ja4, score: 99 }), { ...unobserved.handshake, ja3: ja3Hash, ja4 });
  for (const absent of [undefined, null, 'none', { score: 1 }, { ja3Hash: '', ja4: 7 }]) {
    assert.deepEqual(handshakeOf(absent), unobserved.handshake);
  }
});
