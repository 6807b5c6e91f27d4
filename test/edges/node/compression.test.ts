/** Pages travel compressed where the client can read it, everything else as it is. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { preferredCoding } from '../../../src/edges/node/compression.ts';
import type { Service } from '../../../src/edges/node/serve.ts';
import { startNode } from '../../node-service.ts';
import { ask } from '../../world/ask.ts';

for (const [header, coding] of [
  ['', null],
  ['identity', null],
  ['deflate', null],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, zstd', 'zstd'],
  ['GZIP;Q=1', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0, *', 'zstd'],
  ['*;q=0', null],
  ['*', 'br'],
  ['identity;q=0, gzip;q=0.001', 'gzip'],
  ['identity;q=1, gzip;q=0.5', null],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['br;q=2, gzip;q=0.1', 'gzip'],
  ['br;q=x', null],
  [',,;q=1,', null],
] as const)
  test(`"${header}" prefers ${coding ?? 'the page as it is'}`, () => assert.equal(preferredCoding(header), coding));

describe('a page', () => {
  let service: Service;
  before(async () => {
    service = await startNode({ tlsPort: null });
  });
  after(() => service.close());

  const get = (path: string, acceptEncoding: string, method = 'GET') =>
    ask(`${service.http}${path}`, { method, headers: { accept: 'text/html', 'accept-encoding': acceptEncoding } });

  for (const [coding, decompress] of Object.entries({
    br: brotliDecompressSync,
    zstd: zstdDecompressSync,
    gzip: gunzipSync,
  }))
    test(`is readable in ${coding}, and under 40 KB`, async () => {
      for (const path of ['/', '/docs', '/privacy']) {
        const { headers, body } = await get(path, coding);
        assert.equal(headers['content-encoding'], coding);
        assert.equal(Number(headers['content-length']), body.length);
        assert.ok(body.length < 40_000, `${path}: ${body.length}`);
        assert.match(decompress(body).toString(), /^<!doctype html>.*<\/html>\n$/s);
      }
    });

  test('says what it depends on, compressed or not', async () => {
    for (const [path, vary] of [
      ['/', 'Accept, Accept-Encoding'],
      ['/docs', 'Accept-Encoding'],
    ] as const) {
      for (const coding of ['br', 'identity']) assert.equal((await get(path, coding)).headers.vary, vary);
    }
    const { headers, body } = await get('/docs', 'identity');
    assert.equal(headers['content-encoding'], undefined);
    assert.match(body.toString(), /^<!doctype html>/);
  });

  test('has the same headers for HEAD', async () => {
    const [page, head] = [await get('/docs', 'br'), await get('/docs', 'br', 'HEAD')];
    assert.equal(head.body.length, 0);
    for (const name of ['content-encoding', 'content-length', 'vary'])
      assert.equal(head.headers[name], page.headers[name], name);
  });

  test('alone is compressed', async () => {
    for (const path of ['/ip', '/json', '/openapi.json']) {
      const { headers } = await get(path, 'br, gzip');
      assert.equal(headers['content-encoding'], undefined);
      assert.doesNotMatch(headers.vary?.toString() ?? '', /Encoding/);
    }
  });
});
