/** docs/deploy/nginx-proxy-manager.conf in the server block that Nginx Proxy Manager generates (its template of version 2), with nginx. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixOf } from '../../src/core/address.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { http2Client } from '../acceptance/client.ts';
import { type DeployedProxy, startProxy } from '../acceptance/proxies.ts';
import { startNode } from '../node-service.ts';

const managed: DeployedProxy = {
  name: 'Nginx Proxy Manager',
  command: 'nginx',
  file: 'nginx-proxy-manager.conf',
  args: (file, folder) => ['-p', folder, '-c', file, '-e', 'stderr', '-g', `daemon off; pid ${folder}/pid;`],
  edits: ({ http, https, cert, key, upstreamHttp }) => [
    [
      /^.+$/s,
      `events {}
http {
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {
    set $forward_scheme http;
    set $server "127.0.0.1";
    set $port ${upstreamHttp};
    listen 127.0.0.1:${http};
    listen 127.0.0.1:${https} ssl http2;
    server_name _;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate ${cert};
    ssl_certificate_key ${key};
    access_log access.log;
$&
  }
}
`,
    ],
  ],
};

test('passes the client and what nginx observes on, removes forged headers, and logs nothing', async (t) => {
  const settings = { host: '127.0.0.1', trustProxy: [prefixOf('127.0.0.1')], trustEdgeHeaders: ['x-edge'] as const };
  const service = await startNode({ ...settings, tlsPort: null });
  t.after(service.close);
  const proxy = await startProxy(managed, service, await createLocalhostCertificate());
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
