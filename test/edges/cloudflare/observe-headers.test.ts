/** The client's headers are separated from Cloudflare's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitHeaders } from '../../../src/edges/cloudflare/observe.ts';

const peer = '203.0.113.9';
const split = (headers: Record<string, string>, acceptEncoding?: string | null, from: string | null = peer) => {
  const { headers: client, edgeHeaders } = splitHeaders(new Headers(headers), from, acceptEncoding);
  return [{ ...client }, { ...edgeHeaders }];
};

test("moves Cloudflare's headers to edgeHeaders", () => {
  const own = {
    'cf-connecting-ip': peer,
    'cf-connecting-ipv6': '2001:db8::1',
    'cf-pseudo-ipv4': '240.16.0.1',
    'cf-ipcountry': 'GB',
    'cf-ray': '8f0a-LHR',
    'cf-visitor': '{"scheme":"https"}',
    'cf-ew-via': '15',
    'cf-worker': 'seenby.example',
    'cdn-loop': 'cloudflare; loops=1',
    'true-client-ip': peer,
    'x-real-ip': peer,
    'x-forwarded-proto': 'https',
    'x-forwarded-for': peer,
    connection: 'Keep-Alive',
  };
  assert.deepEqual(split({ ...own, 'x-other': '1' }), [{ 'x-other': '1' }, own]);
});

test("separates the part that Cloudflare appended from the client's part", () => {
  for (const [sent, client, edge] of [
    ['198.51.100.1, 203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['198.51.100.1,10.0.0.1,203.0.113.9', '198.51.100.1,10.0.0.1', '203.0.113.9'],
    ['203.0.113.9, 203.0.113.9', '203.0.113.9', '203.0.113.9'],
    ['unknown, 203.0.113.9', 'unknown', '203.0.113.9'],
    ['198.51.100.1', '198.51.100.1', undefined],
    ['', '', undefined],
  ] as const)
    assert.deepEqual(
      split({ 'x-forwarded-for': sent }).map((headers) => headers['x-forwarded-for']),
      [client, edge],
    );
  assert.deepEqual(split({ 'x-forwarded-for': '1.2.3.4, 2001:DB8::0' }, undefined, '2001:db8::'), [
    { 'x-forwarded-for': '1.2.3.4' },
    { 'x-forwarded-for': '2001:DB8::0' },
  ]);
  assert.deepEqual(split({ 'cdn-loop': 'other-cdn, cloudflare; loops=1' }), [
    { 'cdn-loop': 'other-cdn' },
    { 'cdn-loop': 'cloudflare; loops=1' },
  ]);
  assert.deepEqual(split({ 'cdn-loop': 'cloudflare-not' }), [{ 'cdn-loop': 'cloudflare-not' }, {}]);
});

test('joins two Cookie lines with a semicolon', () => {
  const received = new Headers([
    ['cookie', 'a=1; b=2'],
    ['cookie', 'c=3'],
  ]);
  assert.equal(splitHeaders(received, peer, undefined).headers.cookie, 'a=1; b=2; c=3');
  for (const cookie of ['a=1, 2', 'a=1,b=2', 'a=1; b="x, y"', ', ', ', =1'])
    assert.equal(split({ cookie })[0]?.cookie, new Headers({ cookie }).get('cookie'));
});

test('keeps another address, sent by the client, in headers', () => {
  const claims = { 'true-client-ip': '198.51.100.1', 'x-real-ip': '198.51.100.1', forwarded: 'for=198.51.100.1' };
  assert.deepEqual(split(claims), [claims, {}]);
  assert.deepEqual(split({ ...claims, 'x-forwarded-for': peer }, undefined, null), [
    { ...claims, 'x-forwarded-for': peer },
    {},
  ]);
});

test("reports the client's Accept-Encoding, not Cloudflare's", () => {
  const headers = { 'accept-encoding': 'br, gzip' };
  assert.deepEqual(split(headers, 'zstd'), [{ 'accept-encoding': 'zstd' }, headers]);
  assert.deepEqual(split(headers, null), [{}, headers]);
  assert.deepEqual(split(headers, undefined), [headers, {}]);
});

test('returns maps without a prototype', () => {
  const { headers, edgeHeaders } = splitHeaders(new Headers([['__proto__', 'v']]), null, undefined);
  assert.equal(Object.getOwnPropertyDescriptor(headers, '__proto__')?.value, 'v');
  for (const map of [headers, edgeHeaders]) assert.equal(Object.getPrototypeOf(map), null);
});
