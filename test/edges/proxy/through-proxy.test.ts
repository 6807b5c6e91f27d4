/** A request that came through a trusted proxy is the caller's: nothing of it is the proxy's own. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { prefixOf } from '../../../src/core/address.ts';
import type { ObservedRequest } from '../../../src/core/observed.ts';
import { type Knowledge, type Trust, throughProxy } from '../../../src/edges/proxy/through-proxy.ts';
import { seenAll } from '../../observed.ts';

const { location, autonomousSystem } = seenAll;
const asked: string[] = [];
const knowledge: Knowledge = {
  rateKeyOf: (ip) => `key of ${ip}`,
  locate: (ip) => {
    asked.push(ip);
    return { ...location, city: `City of ${ip}` };
  },
  autonomousSystem: () => ({ ...autonomousSystem, asn: 64_500 }),
  isAuthority: (text) => /^[\w.:-]+$/.test(text),
};

const peer = '192.0.2.1';

function seenThrough(headers: Record<string, string>, trust: Partial<Trust> = {}): ObservedRequest | null {
  const whole: Trust = { networks: [prefixOf(peer)], header: 'x-forwarded-for', edgeHeaders: [], ...trust };
  const observed = { ...seenAll, ip: peer, origin: 'http://inner.example:8080', headers, onLoopback: true };
  return throughProxy(whole, knowledge)(observed);
}

test('reports the caller, its place and its rate, and null for what is the connection of the proxy', () => {
  const seen = seenThrough({ 'x-forwarded-for': '198.51.100.1, 203.0.113.9', accept: '*/*', 'accept-encoding': 'br' });
  assert.deepEqual(asked, []);
  assert.deepEqual(
    { ...seen, headers: { ...seen?.headers }, edgeHeaders: { ...seen?.edgeHeaders } },
    {
      method: 'GET',
      path: '/json',
      query: '',
      origin: 'http://inner.example:8080',
      ip: '203.0.113.9',
      rateKey: 'key of 203.0.113.9',
      location: { ...location, city: 'City of 203.0.113.9' },
      autonomousSystem: { ...autonomousSystem, asn: 64_500 },
      colo: null,
      transport: { clientTcpRttMs: null, clientQuicRttMs: null, deliveryRateBps: null },
      tls: {
        version: null,
        cipher: null,
        clientHelloLength: null,
        clientCiphersSha1: null,
        clientExtensionsSha1: null,
      },
      protocol: null,
      priority: 'u=0, i',
      acceptEncoding: 'br',
      headers: { 'x-forwarded-for': '198.51.100.1', accept: '*/*', 'accept-encoding': 'br' },
      edgeHeaders: { 'x-forwarded-for': '203.0.113.9' },
      simulated: false,
      onLoopback: false,
    },
  );
});

test('reports the proxy itself where it names nobody', () => {
  assert.equal(seenThrough({ accept: '*/*' })?.ip, peer);
});

describe('is not moved by', () => {
  const passedThrough: Readonly<Record<string, string>> = {
    forwarded: 'for=198.51.100.1;host=evil.example;proto=https',
    'x-edge-ip': '198.51.100.1',
    'x-real-ip': '198.51.100.1',
    'cf-connecting-ip': '198.51.100.1',
    'true-client-ip': '198.51.100.1',
    'x-client-ip': '198.51.100.1',
    via: '1.1 198.51.100.1',
  };
  for (const [name, value] of Object.entries(passedThrough)) {
    test(`a client's own ${name} that the proxy passes through`, () => {
      for (const edgeHeaders of [[], ['x-edge']] as const) {
        const seen = seenThrough({ [name]: value, 'x-forwarded-for': '203.0.113.9' }, { edgeHeaders });
        assert.equal(seen?.ip, '203.0.113.9');
        assert.equal(seen?.origin, 'http://inner.example:8080');
        assert.deepEqual({ ...seen?.headers }, { [name]: value });
      }
    });
  }

  test('an X-Forwarded-For where another header is the one', () => {
    const headers = { 'x-forwarded-for': '198.51.100.1', 'x-real-ip': '203.0.113.9' };
    const seen = seenThrough(headers, { header: 'x-real-ip' });
    assert.equal(seen?.ip, '203.0.113.9');
    assert.deepEqual({ ...seen?.headers }, { 'x-forwarded-for': '198.51.100.1' });
    assert.deepEqual({ ...seen?.edgeHeaders }, { 'x-real-ip': '203.0.113.9' });
  });
});

test('moves what is believed, and leaves the rest with the client', () => {
  const headers = { 'x-edge-tls-version': 'TLSv1.3', 'x-edge-other': 'mine', 'cf-ray': 'a-LHR' };
  const unbelieved = seenThrough(headers);
  assert.deepEqual([{ ...unbelieved?.headers }, unbelieved?.tls.version], [{ ...headers }, null]);
  const believed = seenThrough(headers, { edgeHeaders: ['x-edge', 'cf'] });
  assert.deepEqual({ ...believed?.headers }, { 'x-edge-other': 'mine' });
  assert.deepEqual({ ...believed?.edgeHeaders }, { 'x-edge-tls-version': 'TLSv1.3', 'cf-ray': 'a-LHR' });
  assert.deepEqual([believed?.tls.version, believed?.colo], ['TLSv1.3', 'LHR']);
});

describe('the address that was asked for', () => {
  const origins: readonly (readonly [headers: Record<string, string>, origin: string | null])[] = [
    [{ 'x-forwarded-proto': 'HTTPS', 'x-forwarded-host': 'seenby.example' }, 'https://seenby.example'],
    [{ 'x-forwarded-proto': 'https' }, 'https://inner.example:8080'],
    [{ 'x-forwarded-host': 'seenby.example:444, seenby.example:444' }, 'http://seenby.example:444'],
    [{ 'x-forwarded-proto': 'https, http' }, null],
    [{ 'x-forwarded-proto': 'javascript' }, null],
    [{ 'x-forwarded-proto': '' }, null],
    [{ 'x-forwarded-host': 'a.example, b.example' }, null],
    [{ 'x-forwarded-host': 'evil.example/"><script>' }, null],
    [{ 'x-forwarded-host': '' }, null],
  ];
  for (const [headers, origin] of origins) {
    test(`is ${origin ?? 'refused'} with ${JSON.stringify(headers)}`, () => {
      const seen = seenThrough(headers);
      assert.equal(seen?.origin ?? null, origin);
      if (seen !== null) assert.deepEqual([{ ...seen.headers }, { ...seen.edgeHeaders }], [{}, headers]);
    });
  }
});

test('takes no host from Cloudflare, which passes on the one that a client names', () => {
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
  const seen = seenThrough(headers, { edgeHeaders: ['cf'] });
  assert.equal(seen?.origin, 'https://inner.example:8080');
  assert.equal(seen?.headers['x-forwarded-host'], 'evil.example');
});
