/** docs/deploy/nginx-proxy-manager.conf in the server block that Nginx Proxy Manager generates (its template of version 2), with nginx. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixOf } from '../../src/core/address.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { http2Client } from '../acceptance/client.ts';
import { proxies, startProxy } from '../acceptance/proxies.ts';
import { startNode } from '../node-service.ts';

test('passes the client and what nginx observes on, removes forged headers, and logs nothing', async (t) => {
  const settings = { host: '127.0.0.1', trustProxy: [prefixOf('127.0.0.1')], trustEdgeHeaders: ['x-edge'] as const };
  const service = await startNode({ ...settings, tlsPort: null });
  t.after(service.close);
  const proxy = await startProxy(proxies.nginxProxyManager, service, await createLocalhostCertificate());
  t.after(() => proxy.close().then(proxy.remove));
  const headers = {
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-host': 'forged.example',
    'x-forwarded-proto': 'http',
    'x-edge-ja4': 'forged',
    'x-edge-quic-rtt-us': '7',
  };
  const { body } = await http2Client(proxy.https).request('/json', { headers });
  const info = JSON.parse(body);
  assert.deepEqual([info.http.protocol, info.tls.version], ['HTTP/2', 'TLSv1.3']);
  assert.deepEqual([info.network.clientQuicRttMs, info.edgeHeaders['x-edge-ja4']], [null, undefined]);
  assert.match(info.meta.docs, /^https:\/\/127\.0\.0\.1:/);
  assert.equal(info.headers['x-forwarded-host'], undefined);
  assert.ok(info.network.clientTcpRttMs > 0);
  assert.doesNotMatch(proxy.written(), /203\.0\.113\.9/);
});

test('logs nothing about a request if Seenby is down', async (t) => {
  const down = { http: 'http://127.0.0.1:1', https: null };
  const proxy = await startProxy(proxies.nginxProxyManager, down, await createLocalhostCertificate());
  t.after(() => proxy.close().then(proxy.remove));
  const { status } = await http2Client(proxy.https, '127.83.66.89').request('/json?canary-83-66-89');
  assert.equal(status, 502);
  await proxy.close();
  assert.doesNotMatch(proxy.written(), /127\.83\.66\.89|canary/);
});
