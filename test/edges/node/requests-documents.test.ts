/** The bytes of documents that one address gets are limited, and nothing else is. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { http1Client } from '../../acceptance/client.ts';
import { startNode } from '../../node-service.ts';

const megabyte = 2 ** 20;
const service = await startNode({ host: '127.0.0.1', tlsPort: null, metricsPort: 0, rateLimitDocuments: 1 });
after(() => service.close());
const client = http1Client(service.http ?? '');

const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  client.request(path, { method, headers });

test('documents are sent until their bytes reach the limit; then 429, a code of its own and Retry-After', async () => {
  const { body } = await get('/openapi.json');
  const mostRequests = Math.ceil(megabyte / body.length);
  for (let sent = 1; sent < mostRequests; sent += 1) {
    assert.equal((await get('/openapi.json', {}, 'HEAD')).status, 200);
    assert.equal((await get('/openapi.json')).status, 200, `request ${sent} of ${mostRequests}`);
  }
  for (const path of ['/openapi.json', '/docs', '/privacy', '/llms.txt', '/favicon.ico', '/robots.txt']) {
    const rejected = await get(path);
    assert.deepEqual([rejected.status, rejected.headers['retry-after']], [429, '60'], path);
    const { error, message } = JSON.parse(rejected.body);
    assert.deepEqual([error, message], ['document_limit', 'Too many bytes of documents for this IP; wait 60 seconds.']);
    assert.equal((await get(path, {}, 'HEAD')).status, 200, path);
  }
  for (const path of ['/', '/json', '/healthz', '/mcp']) assert.notEqual((await get(path)).status, 429, path);
  const metrics = await (await fetch(service.metrics ?? '')).text();
  assert.match(metrics, /seenby_rejections_total\{reason="document_bytes"\} 6/);
});

test('bytes count as they are sent, compressed', async (context) => {
  const other = await startNode({ host: '127.0.0.1', tlsPort: null, rateLimitDocuments: 1 });
  context.after(() => other.close());
  const { request } = http1Client(other.http ?? '');
  const compressed = { method: 'GET', headers: { 'accept-encoding': 'br' } };
  // 4 MB of text.
  for (let each = 0; each < 20; each += 1) assert.equal((await request('/openapi.json', compressed)).status, 200);
});
