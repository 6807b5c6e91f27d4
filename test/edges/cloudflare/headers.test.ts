/** Which headers a client sent, and which Cloudflare added. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitHeaders } from '../../../src/edges/cloudflare/headers.ts';

const peer = '203.0.113.9';
const split = (headers: Record<string, string>, acceptEncoding?: string | null, from: string | null = peer) => {
  const { headers: client, edgeHeaders } = splitHeaders(new Headers(headers), from, acceptEncoding);
  return [{ ...client }, { ...edgeHeaders }];
};

test("moves Cloudflare's own headers away", () => {
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

test('splits what Cloudflare appended from what the client sent', () => {
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

test("leaves a client's claim of another address with the client", () => {
  const claims = { 'true-client-ip': '198.51.100.1', 'x-real-ip': '198.51.100.1', forwarded: 'for=198.51.100.1' };
  assert.deepEqual(split(claims), [claims, {}]);
  assert.deepEqual(split({ ...claims, 'x-forwarded-for': peer }, undefined, null), [
    { ...claims, 'x-forwarded-for': peer },
    {},
  ]);
});

test('shows the encodings that the client takes, not those of Cloudflare', () => {
  const headers = { 'accept-encoding': 'br, gzip' };
  assert.deepEqual(split(headers, 'zstd'), [{ 'accept-encoding': 'zstd' }, headers]);
  assert.deepEqual(split(headers, null), [{}, headers]);
  assert.deepEqual(split(headers, undefined), [headers, {}]);
});

test('gives maps without a prototype', () => {
  const { headers, edgeHeaders } = splitHeaders(new Headers([['__proto__', 'v']]), null, undefined);
  assert.equal(Object.getOwnPropertyDescriptor(headers, '__proto__')?.value, 'v');
  for (const map of [headers, edgeHeaders]) assert.equal(Object.getPrototypeOf(map), null);
});
