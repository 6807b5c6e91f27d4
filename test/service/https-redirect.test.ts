/** With REDIRECT_HTTPS, browsers on the plain port are redirected to the public URL; programs are not. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { prefixOf } from '../../src/core/address.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { http1Client, http2Client, type Reply } from '../acceptance/client.ts';
import { rawClient } from '../ingress/raw-client.ts';
import { startNode } from '../node-service.ts';

const publicUrl = 'https://seenby.example';
const publicUrlV4 = 'https://v4.seenby.example:8443';
const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let service: Service;
before(async () => {
  service = await startNode({ host: '127.0.0.1', redirectHttps: true, publicUrl, publicUrlV4 });
});
after(() => service.close());

const send = (path: string, accept: string | null, more: Record<string, string> = {}, method = 'GET'): Promise<Reply> =>
  http1Client(`${service.http}`).request(path, { method, headers: { ...(accept !== null && { accept }), ...more } });

/** The Location of a raw request target; null if the response is not a redirect. */
async function locationOf(target: string, host = 'localhost'): Promise<string | null> {
  const head = `Host: ${host}\r\nAccept: text/html\r\nConnection: close\r\n`;
  const reply = await rawClient(`${service.http}`, Buffer.from(`GET ${target} HTTP/1.1\r\n${head}\r\n`, 'latin1'))
    .closed;
  assert.doesNotMatch(reply, /^injected/im);
  return reply.startsWith('HTTP/1.1 308 ') ? (/^Location: (.*)\r$/m.exec(reply)?.[1] ?? '') : null;
}

describe('REDIRECT_HTTPS', () => {
  test('redirects GET and HEAD that prefer HTML, with path and query', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await send('/docs/?a=b&c', page, { host: 'other.example' }, method);
      assert.deepEqual([status, headers.location, body], [308, `${publicUrl}/docs/?a=b&c`, '']);
      assert.deepEqual([headers['cache-control'], headers.vary], ['no-store', 'Accept']);
      // RFC 6797 §7.2: not over plain HTTP.
      assert.equal(headers['strict-transport-security'], undefined);
    }
    assert.equal((await send('/no-such-page', page)).status, 308);
  });

  test('serves programs, other methods and health checks over plain HTTP', async () => {
    for (const accept of [null, '*/*', 'application/json', 'text/plain, text/html;q=0.5', 'text/html;q=0'])
      assert.equal((await send('/json', accept)).status, 200, String(accept));
    assert.equal((await send('/', '*/*')).body, '127.0.0.1\n');
    assert.equal((await send('/json', page, {}, 'OPTIONS')).status, 204);
    assert.equal((await send('/json', page, {}, 'POST')).status, 405);
    for (const path of ['/healthz', '/readyz']) assert.equal((await send(path, page)).status, 200);
    assert.equal((await send('/.well-known/acme-challenge/token', page)).status, 404);
  });

  test('does not redirect over TLS', async () => {
    for (const client of [http1Client(`${service.https}`), http2Client(`${service.https}`)])
      assert.equal((await client.request('/', { headers: { accept: page } })).status, 200);
  });

  test('leads to the public URL for every request target', async () => {
    const rows = [
      ['//evil.example', '//evil.example'],
      ['/\\evil.example', '/%5Cevil.example'],
      ['/@evil.example', '/@evil.example'],
      ['/%0d%0aInjected:1', '/%0d%0aInjected:1'],
      ['/a"<b>`{|}^', '/a%22%3Cb%3E%60%7B%7C%7D%5E'],
      ['http://evil.example/a?b', '/a?b'],
      ['http://evil.example', '/'],
    ] as const;
    for (const [target, path] of rows) assert.equal(await locationOf(target), publicUrl + path, target);
    // With a line feed, the request line has no version.
    for (const target of ['.evil.example/', '*', '@evil.example', '/a\rInjected: 1', '/a\nInjected: 1'])
      assert.equal(await locationOf(target), null, target);
    assert.equal(await locationOf('/', 'evil.example'), `${publicUrl}/`);
  });

  test('leads from the host for one IP version to its own URL', async () => {
    for (const host of ['v4.seenby.example', 'V4.seenby.example:8080'])
      assert.equal(await locationOf('/a?b', host), `${publicUrlV4}/a?b`, host);
    for (const host of ['v6.seenby.example', 'a.v4.seenby.example', 'v4.seenby.example.evil.example'])
      assert.equal(await locationOf('/', host), `${publicUrl}/`, host);
  });

  test('escapes what is not ASCII, if the parser admits it', async () => {
    const location = await locationOf('/caf\xe9');
    if (location !== null) assert.equal(location, `${publicUrl}/caf%E9`);
  });
});

test('does not redirect in a loop behind a proxy that terminated TLS', async () => {
  const trusting = { host: '127.0.0.1', trustProxy: [prefixOf('127.0.0.1')], redirectHttps: true, publicUrl };
  const proxied = await startNode(trusting);
  const status = async (headers: Record<string, string>) =>
    (await http1Client(`${proxied.http}`).request('/', { headers: { accept: page, ...headers } })).status;
  const forwarded = { 'x-forwarded-for': '203.0.113.9' };
  assert.equal(await status({ ...forwarded, 'x-forwarded-proto': 'https' }), 200);
  assert.equal(await status({ ...forwarded, 'x-forwarded-proto': 'http' }), 308);
  assert.equal(await status(forwarded), 200);
  for (const empty of ['', ' , ']) assert.equal(await status({ ...forwarded, 'x-forwarded-proto': empty }), 200);
  assert.equal(await status({}), 200);
  await proxied.close();
});
