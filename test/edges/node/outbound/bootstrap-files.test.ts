/** Bootstrap files are fetched once, cached, revalidated with their ETag, and kept if IANA fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboundRequest, OutboundResult } from '../../../../src/core/platform.ts';
import { createBootstrapFiles } from '../../../../src/edges/node/outbound/bootstrap-files.ts';
import { outboundUserAgent } from '../../../../src/lookups/outbound.ts';

const hourMs = 3_600_000;

/** The file published on this day of January. */
const fileOf = (day: number, headers: Record<string, string> = {}): OutboundResult => ({
  status: 200,
  headers,
  setCookies: [],
  body: new TextEncoder().encode(
    JSON.stringify({
      version: '1.0',
      publication: `2026-01-0${day}T00:00:00Z`,
      services: [[['com'], ['https://rdap.example/com/']]],
    }),
  ),
});
const notModified: OutboundResult = { status: 304, headers: {}, setCookies: [], body: new Uint8Array() };

/** Bootstrap files whose source returns these responses, the last one repeatedly. */
function filesFrom(...responses: OutboundResult[]) {
  const requested: OutboundRequest[] = [];
  const clock = { nowMs: 1_000_000 };
  const registryFile = createBootstrapFiles({
    settings: { rdapBootstrapUrl: 'https://iana.example/rdap', publicUrl: 'https://seenby.example' },
    fetch: async (request) => {
      requested.push(request);
      return (responses.length > 1 ? responses.shift() : responses[0]) as OutboundResult;
    },
    now: () => clock.nowMs,
  });
  /** Returns the day of the file used at this time. */
  const dayAfter = async (ms: number) => {
    clock.nowMs += ms;
    const file = await registryFile('dns');
    return 'failure' in file ? file.failure : Number(file.publication?.slice(8, 10));
  };
  return { registryFile, dayAfter, requested };
}

test('fetches a file on first use, with our User-Agent', async () => {
  const { registryFile, requested } = filesFrom(fileOf(1));
  assert.equal(requested.length, 0);
  const file = await registryFile('dns');
  assert.ok('services' in file);
  assert.deepEqual(file.services, [{ entries: ['com'], urls: ['https://rdap.example/com/'] }]);
  assert.equal(requested[0]?.url, 'https://iana.example/rdap/dns.json');
  assert.deepEqual(requested[0]?.headers, {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': outboundUserAgent('https://seenby.example'),
  });
});

test('shares one fetch of each file between concurrent lookups', async () => {
  const { registryFile, requested } = filesFrom(fileOf(1));
  await Promise.all([registryFile('dns'), registryFile('dns'), registryFile('asn'), registryFile('dns')]);
  assert.deepEqual(
    requested.map(({ url }) => url),
    ['https://iana.example/rdap/dns.json', 'https://iana.example/rdap/asn.json'],
  );
});

test('keeps a file fresh for its max-age, at least an hour and at most a day', async () => {
  for (const [cacheControl, lifetimeMs] of [
    ['public, max-age=7200', 2 * hourMs],
    ['max-age="7200"', 2 * hourMs],
    ['max-age=0', hourMs],
    ['no-store', hourMs],
    ['s-maxage=7200', hourMs],
    ['max-age=99999999999', 24 * hourMs],
  ] as const) {
    const { dayAfter, requested } = filesFrom(fileOf(1, { 'cache-control': cacheControl }), fileOf(2));
    assert.equal(await dayAfter(0), 1);
    assert.equal(await dayAfter(lifetimeMs - 1), 1, cacheControl);
    assert.equal(requested.length, 1);
    assert.equal(await dayAfter(1), 2, cacheControl);
  }
});

test('revalidates a stale file with its ETag', async () => {
  const { dayAfter, requested } = filesFrom(fileOf(1, { etag: '"1-gzip"' }), notModified, fileOf(2));
  await dayAfter(0);
  assert.equal(await dayAfter(hourMs), 1);
  assert.equal(requested[1]?.headers['if-none-match'], '"1-gzip"');
  assert.equal(await dayAfter(hourMs - 1), 1);
  assert.equal(requested.length, 2);
  assert.equal(await dayAfter(1), 2);
});

test('uses the stale copy if the source fails, and retries after five minutes', async () => {
  for (const failure of [
    { failure: 'timeout' },
    { ...notModified, status: 500 },
    { ...notModified, status: 200, body: new TextEncoder().encode('<html>') },
  ] as const) {
    const { dayAfter, requested } = filesFrom(fileOf(1, { etag: '"1"' }), failure, fileOf(2));
    await dayAfter(0);
    assert.equal(await dayAfter(24 * hourMs), 1);
    assert.equal(await dayAfter(5 * 60_000 - 1), 1);
    assert.equal(requested.length, 2);
    assert.equal(await dayAfter(1), 2);
  }
});

test('returns the failure without a copy, and fetches again on the next use', async () => {
  const late = [{ failure: 'timeout' }, { failure: 'overloaded' }] as const;
  const { dayAfter } = filesFrom({ failure: 'unresolved' }, notModified, ...late, fileOf(1));
  for (const failure of ['unavailable', 'unavailable', 'timeout', 'overloaded'])
    assert.equal(await dayAfter(0), failure);
  assert.equal(await dayAfter(0), 1);
});
