/** Bodies that a server compresses although the request does not permit it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createOutbound } from '../../../../src/edges/node/outbound/outbound.ts';

/** Requests a server that sends these bytes with this Content-Encoding. */
async function fetchEncoded(context: TestContext, encoding: string, bytes: Uint8Array, maxBodyBytes = 1000) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-encoding': encoding });
    response.end(bytes);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const outbound = createOutbound();
  context.after(async () => {
    await outbound.end();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const result = await outbound.fetch({ method: 'GET', url, headers: {}, body: null, timeoutMs: 10_000, maxBodyBytes });
  return 'failure' in result ? result.failure : new TextDecoder().decode(result.body);
}

test('decodes gzip and br, and leaves any other encoding as it is', async (context) => {
  const text = '{"ldhName": "example.com"}';
  for (const encoding of ['gzip', 'GZIP', ' gzip '])
    assert.equal(await fetchEncoded(context, encoding, gzipSync(text)), text);
  assert.equal(await fetchEncoded(context, 'br', brotliCompressSync(text)), text);
  assert.equal(await fetchEncoded(context, 'identity', Buffer.from(text)), text);
  assert.notEqual(await fetchEncoded(context, 'deflate', deflateSync(text)), text);
  assert.equal(await fetchEncoded(context, 'gzip', Buffer.alloc(0)), '');
});

test('bounds what it decodes', async (context) => {
  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const) {
    assert.equal(await fetchEncoded(context, encoding, compress(Buffer.alloc(1000, 'a'))), 'a'.repeat(1000));
    assert.equal(await fetchEncoded(context, encoding, compress(Buffer.alloc(1001, 'a'))), 'too_large');
    assert.equal(await fetchEncoded(context, encoding, compress(Buffer.alloc(50_000_000)), 2 ** 20), 'too_large');
    assert.equal(await fetchEncoded(context, encoding, compress('a'.repeat(500)).subarray(0, -3)), 'unreachable');
    assert.equal(await fetchEncoded(context, encoding, Buffer.from('not compressed')), 'unreachable');
  }
  const members = Buffer.concat(Array.from({ length: 100 }, () => gzipSync(Buffer.alloc(100))));
  assert.equal(await fetchEncoded(context, 'gzip', members, 5000), 'too_large');
});
