/** Real proxies write the client's address, scheme and host in their forms, and the service reads them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { prefixOf } from '../../src/core/address.ts';
import type { Settings } from '../../src/core/settings.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { http1Client } from '../acceptance/client.ts';
import { type DeployedProxy, isInstalled, type Machine, proxies, startProxy } from '../acceptance/proxies.ts';
import { startNode } from '../node-service.ts';

const timeout = 60_000;
const pem = await createLocalhostCertificate();
/** Not the proxy's own address, which is trusted. */
const ipv4 = '127.83.66.89';
const ipv6 = '::1';

type Edit = ReturnType<DeployedProxy['edits']>[number];

/** What a line of the proxy's configuration becomes, and what the service then knows of a request over plain HTTP. */
interface Row {
  readonly line: string;
  readonly settings?: Partial<Settings>;
  readonly ip?: string;
  readonly origin?: string;
}

interface Writer {
  readonly proxy: DeployedProxy;
  /** A line of its file. */
  readonly replaces: string;
  /** Also listens on the IPv6 address. */
  readonly listen: (machine: Machine) => Edit;
  readonly rows: readonly Row[];
}

const forwarded = { trustProxyHeader: 'forwarded' };

const writers: readonly Writer[] = [
  {
    proxy: proxies.nginx,
    replaces: 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
    listen: ({ http }) => [`listen 127.0.0.1:${http};`, `listen 127.0.0.1:${http}; listen [::1]:${http};`],
    rows: [
      { line: 'proxy_set_header X-Forwarded-For $remote_addr:$remote_port;' },
      { line: 'proxy_set_header X-Forwarded-For "[$remote_addr]:$remote_port";' },
      { line: `proxy_set_header X-Forwarded-For '"$remote_addr"';` },
      { line: 'proxy_set_header X-Forwarded-For "$remote_addr,";' },
      { line: 'proxy_set_header X-Forwarded-For "$remote_addr, , 127.0.0.1";' },
      {
        line: 'proxy_set_header X-Real-Ip $remote_addr; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
        settings: { trustProxyHeader: 'x-real-ip' },
      },
      {
        line: 'proxy_set_header CloudFront-Viewer-Address $remote_addr:$remote_port;',
        settings: { trustProxyHeader: 'cloudfront-viewer-address' },
      },
      {
        line: `proxy_set_header Forwarded 'for="[$remote_addr]:$remote_port";proto=https;host=seenby.example';`,
        settings: forwarded,
        // This file sets X-Forwarded-Proto, which takes precedence.
        origin: 'http://seenby.example',
      },
      { line: 'proxy_set_header Forwarded "for=$remote_addr;;host=a.example";', settings: forwarded },
      { line: 'proxy_set_header X-Forwarded-For "unix:";', ip: '127.0.0.1' },
    ],
  },
  {
    proxy: proxies.haproxy,
    replaces: 'option forwardfor',
    listen: ({ http }) => [`bind 127.0.0.1:${http}`, `bind 127.0.0.1:${http}\n  bind [::1]:${http}`],
    rows: [
      { line: 'option forwardfor # unchanged' },
      { line: 'http-request set-header x-forwarded-for %[src]:%[src_port]' },
      { line: 'http-request set-header x-forwarded-for [%[src]]:%[src_port]' },
      { line: 'http-request set-header x-forwarded-for %[src]\n  http-request add-header x-forwarded-for 127.0.0.1' },
      {
        line: 'http-request set-header forwarded for=\\"[%[src]]:%[src_port]\\";by=_haproxy;host=seenby.example',
        settings: forwarded,
        origin: 'http://seenby.example',
      },
      {
        line: 'http-request set-header x-forwarded-for %[src]\n  http-request set-header x-forwarded-host seenby.example',
        origin: 'http://seenby.example',
      },
    ],
  },
  {
    proxy: proxies.caddy,
    replaces: 'header_up X-Forwarded-For "{http.request.header.X-Forwarded-For}, {remote_host}"',
    listen: ({ http }) => [`http://:${http} {\nbind 127.0.0.1`, `http://:${http} {\nbind 127.0.0.1 ::1`],
    rows: [
      { line: 'header_up X-Forwarded-For "{http.request.header.X-Forwarded-For}, {remote_host}" # unchanged' },
      { line: '# the default of Caddy' },
      // With brackets and port over IPv6.
      { line: 'header_up X-Forwarded-For {remote}' },
      {
        line: 'header_up X-Forwarded-For {remote_host}\nheader_up X-Forwarded-Proto ""\nheader_up X-Forwarded-Host ""',
      },
      {
        line: 'header_up X-Forwarded-For {remote_host}\nheader_up X-Forwarded-Proto wss\nheader_up X-Forwarded-Host seenby.example',
        origin: 'https://seenby.example',
      },
    ],
  },
];

for (const { proxy, replaces, listen, rows } of writers) {
  const skip = isInstalled(proxy.command) || process.env.CI ? false : `needs ${proxy.command} (apt-get install)`;
  describe(proxy.name, { skip }, () => {
    for (const { line, settings, ip, origin } of rows)
      test(`with ${line.replaceAll('\n', '; ')}`, { timeout }, async (context) => {
        const trustProxy = [prefixOf('127.0.0.1')];
        const service = await startNode({ host: '127.0.0.1', trustProxy, ...settings });
        context.after(() => service.close());
        const edits: DeployedProxy['edits'] = (machine) => [...proxy.edits(machine), listen(machine), [replaces, line]];
        const front = await startProxy({ ...proxy, edits }, service, pem);
        context.after(async () => {
          await front.close();
          front.remove();
        });
        const { port } = new URL(front.http);
        for (const [host, from] of [
          ['127.0.0.1', ipv4],
          ['[::1]', ipv6],
        ] as const) {
          const { status, body } = await http1Client(`http://${host}:${port}`, from).request('/json');
          assert.equal(status, 200, body);
          const info = JSON.parse(body);
          assert.equal(info.ip, ip ?? from);
          if (origin !== undefined) assert.equal(info.meta.docs, `${origin}/docs`);
        }
      });
  });
}
