/** Pages and constant texts are compressed if the client accepts it; other responses are not. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { createCompress, preferredCoding } from '../../../src/edges/node/compression.ts';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { createMetrics } from '../../../src/runtime/metrics.ts';
import type { Service } from '../../../src/runtime/serve.ts';
import { sendRequest } from '../../internet/request.ts';
import { startNode } from '../../node-service.ts';

for (const [header, coding] of [
  ['', null],
  ['identity', null],
  ['deflate', null],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['gzip, zstd', 'zstd'],
  ['GZIP;Q=1', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['zstd;q=0, *', 'br'],
  ['*;q=0', null],
  ['*', 'zstd'],
  ['identity;q=0, gzip;q=0.001', 'gzip'],
  ['identity;q=1, gzip;q=0.5', null],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  // An invalid weight counts as 1.
  ['br;q=2, gzip;q=0.1', 'br'],
  ['br;q=x', 'br'],
  [',,;q=1,', null],
] as const)
  test(`"${header}" prefers ${coding ?? 'no compression'}`, () => assert.equal(preferredCoding(header), coding));

test('a constant is compressed as short as possible, a page of one client as fast as possible', () => {
  assert.equal(preferredCoding('gzip, deflate, br, zstd', true), 'br');
  assert.equal(preferredCoding('gzip, deflate, br;q=0.9, zstd', true), 'zstd');
});

describe('a page', () => {
  let service: Service;
  before(async () => {
    service = await startNode({ tlsPort: null });
  });
  after(() => service.close());

  const get = (path: string, acceptEncoding: string, method = 'GET') =>
    sendRequest(`${service.http}${path}`, {
      method,
      headers: { accept: 'text/html', 'accept-encoding': acceptEncoding },
    });

  for (const [coding, decompress] of Object.entries({
    br: brotliDecompressSync,
    zstd: zstdDecompressSync,
    gzip: gunzipSync,
  }))
    test(`decompresses from ${coding} and has less than 40 KB`, async () => {
      for (const path of ['/', '/docs', '/privacy']) {
        const { headers, body } = await get(path, coding);
        assert.equal(headers['content-encoding'], coding);
        assert.equal(Number(headers['content-length']), body.length);
        assert.ok(body.length < 40_000, `${path}: ${body.length}`);
        assert.match(decompress(body).toString(), /^<!doctype html>.*<\/html>\n$/s);
      }
    });

  test('sends Vary, compressed or not', async () => {
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
    const page = await get('/docs', 'br');
    const head = await get('/docs', 'br', 'HEAD');
    assert.equal(head.body.length, 0);
    for (const name of ['content-encoding', 'content-length', 'vary'])
      assert.equal(head.headers[name], page.headers[name], name);
  });

  test('is compressed, and so are constants, but no response of one client or with its Host', async () => {
    for (const path of ['/ip', '/json', '/llms.txt']) {
      const { headers } = await get(path, 'br, gzip');
      assert.equal(headers['content-encoding'], undefined);
      assert.doesNotMatch(headers.vary?.toString() ?? '', /Encoding/);
    }
  });
});

describe('with a public URL', () => {
  let service: Service;
  before(async () => {
    service = await startNode({ tlsPort: null, publicUrl: 'https://seenby.example' });
  });
  after(() => service.close());

  const get = (path: string, coding: string) =>
    sendRequest(`${service.http}${path}`, { headers: { 'accept-encoding': coding } });

  test('large texts of the documentation are compressed too, images and small responses are not', async () => {
    for (const path of ['/openapi.json', '/llms.txt']) {
      const compressed = await get(path, 'gzip');
      const plain = await get(path, 'identity');
      assert.equal(compressed.headers['content-encoding'], 'gzip');
      assert.deepEqual(gunzipSync(compressed.body), plain.body);
      assert.match(`${plain.headers.vary}`, /Accept-Encoding$/);
    }
    for (const path of ['/ip', '/json', '/favicon.ico', '/robots.txt'])
      assert.equal((await get(path, 'gzip')).headers['content-encoding'], undefined, path);
  });
});

describe('compression', () => {
  const compress = createCompress({ ...bounds, maxCompressions: 1 }, createMetrics());
  const page = { status: 200, headers: {}, body: 'a'.repeat(10_000) };

  test('stores the compressed body of a constant response, for each coding', async () => {
    const constant = { ...page, isConstant: true } as const;
    const [first, second] = await Promise.all([compress(constant, 'br'), compress(constant, 'br')]);
    assert.ok(first !== null && first === second);
    assert.equal(await compress(constant, 'br'), first);
    assert.equal((await compress(constant, 'gzip'))?.coding, 'gzip');
  });

  test('keeps no more memory than the bytes of a page, and takes none from the pool of small buffers', async () => {
    const pooled = Buffer.from('pooled');
    for (const coding of ['br', 'zstd', 'gzip']) {
      const { body } = (await compress(page, coding)) ?? assert.fail();
      assert.equal(body.buffer.byteLength, body.length);
    }
    assert.equal(`${pooled}`, 'pooled');
  });

  test('stores no other response', async () => {
    const [first, second] = await Promise.all([compress(page, 'br'), compress(page, 'br')]);
    assert.ok(first !== null && second !== null && first !== second);
    assert.deepEqual(first.body, second.body);
  });

  test('keeps apart pages that follow each other, of any length and alphabet', async () => {
    for (const body of ['b'.repeat(200_000), 'a', '☃'.repeat(80_000), '☃'.repeat(100_000), '']) {
      const compressed = await compress({ ...page, body }, 'br');
      assert.ok(compressed !== null);
      assert.equal(brotliDecompressSync(compressed.body).toString(), body);
    }
  });

  test('compresses a limited number of responses that are longer than a page concurrently', async () => {
    const long = { ...page, body: 'a'.repeat(300_000) };
    const [first, second] = await Promise.all([compress(long, 'br'), compress(long, 'br')]);
    assert.ok(first !== null);
    assert.equal(second, null);
    assert.equal((await compress(page, 'br'))?.coding, 'br');
  });
});
