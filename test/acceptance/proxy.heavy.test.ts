/** The acceptance suite through real proxies, each run from its file of docs/deploy. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { grade } from '../../src/lookups/headers-check/grade.ts';
import { startNode } from '../node-service.ts';
import { type Client, http1Client, http2Client } from './client.ts';
import { assertFields } from './fields.ts';
import {
  acceptanceThrough,
  caller,
  clientsOf,
  type ProxiedEdge,
  pem,
  proxiedEdges,
  startProxied,
  trusted,
} from './proxied.ts';
import { isInstalled, proxies } from './proxies.ts';

const query = 'canary-83-66-89';
const chromium = 'chromium';
const folder = mkdtempSync(join(tmpdir(), 'seenby-'));
after(() => rmSync(folder, { recursive: true }));
/** nginx.test.ts runs the suite through nginx. */
const edges: readonly ProxiedEdge[] = Object.values(proxiedEdges);

const infoOf = async (client: Client, headers: Record<string, string> = {}) =>
  JSON.parse((await client.request('/json', { headers })).body);

const ja3Of = async (client: Client) => {
  const { ja3, ja3n } = JSON.parse((await client.request('/fingerprint')).body);
  return { ja3, ja3n };
};

for (const command of new Set([...edges.map(({ proxy }) => proxy.command), chromium])) {
  test(`finds ${command}`, (context) => {
    if (isInstalled(command)) return;
    assert.ok(!process.env.CI, `${command} is not on this machine`);
    context.skip(`${command} is not on this machine: what needs it did not run`);
  });
}

for (const edge of edges.filter(({ proxy }) => isInstalled(proxy.command))) {
  const { proxy, settings } = edge;
  if (proxy !== proxies.nginx) acceptanceThrough(edge);

  describe(proxy.name, () => {
    let running: Awaited<ReturnType<typeof startProxied>>;
    before(async () => {
      running = await startProxied(proxy, settings);
    });
    after(async () => {
      await running.service.close();
      await running.front.close();
      running.front.remove();
    });

    test("ignores a client's copies of the proxy's headers", async () => {
      const spoofed = {
        'x-forwarded-for': '198.51.100.1',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'ftp',
        forwarded: 'for=198.51.100.1;host=evil.example',
        'x-real-ip': '198.51.100.1',
        'cf-connecting-ip': '198.51.100.1',
        'x-edge-ip': '198.51.100.1',
        'x-edge-http-version': '1.0',
        'x-edge-tls-version': 'TLSv1.1',
        'x-edge-tls-cipher': 'SPOOFED',
        'x-edge-hello-length': '77',
        'x-edge-ciphers-sha1': 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=',
        'x-edge-extensions-sha1': 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=',
        'x-edge-ja3': '77,77,77,77,77',
        'x-edge-ja4': 't13d7777h2_777777777777_777777777777',
        'x-edge-rtt-us': '77000000',
        'x-edge-quic-rtt-us': '77000000',
        'x-edge-delivery-rate': '77',
      };
      for (const client of clientsOf(running.front)) {
        const honest = await infoOf(client);
        const seen = await infoOf(client, spoofed);
        assert.equal(seen.ip, caller);
        // The client sent none, so the proxy must not add one.
        assert.equal(seen.http.acceptEncoding, null);
        // A connection that is kept has another request.
        const http = { ...seen.http, connection: honest.http.connection };
        assert.deepEqual([seen.tls, http, seen.meta], [honest.tls, honest.http, honest.meta]);
        assert.ok(seen.meta.docs.startsWith(client.secure ? running.front.https : running.front.http));
        assert.notEqual(seen.network.clientTcpRttMs, 77_000);
        assert.deepEqual([seen.network.clientQuicRttMs, seen.network.deliveryRateBps], [null, null]);
        assert.equal(seen.headers['x-forwarded-for'], '198.51.100.1');
        assert.equal(seen.headers.forwarded, spoofed.forwarded);
        for (const value of Object.values(seen.edgeHeaders)) assert.ok(!Object.values(spoofed).includes(String(value)));
      }
    });

    test('delivers the start page with headers that get A+', async (context) => {
      const publicUrl = 'https://seenby.example';
      const { service, front } = await startProxied(proxy, { ...settings, publicUrl });
      context.after(async () => {
        await front.close();
        front.remove();
        await service.close();
      });
      for (const client of clientsOf(front).filter(({ secure }) => secure)) {
        const { status, headers } = await client.request('/', { headers: { accept: 'text/html' } });
        const fields = Object.entries(headers).filter((field): field is [string, string] => field[1] !== undefined);
        const hops = [{ url: `${publicUrl}/`, status, location: null }];
        const response = { url: `${publicUrl}/`, finalUrl: `${publicUrl}/`, status, hops, setCookies: [] };
        const graded = grade({ ...response, headers: Object.fromEntries(fields) });
        const failed = graded.checks.filter(({ pass }) => !pass).map(({ id }) => id);
        assert.deepEqual([graded.grade, failed], ['A+', []], client.name);
      }
    });

    test('writes nothing about a client, not even if a request fails', async () => {
      const { service, front } = running;
      const logged = systemLogs(proxy.command);
      const malformed = `GET /${query} HTTP/1.1\r\nHo st: ${query}\r\n\r\n`;
      const sendAll = () =>
        Promise.allSettled([
          ...clientsOf(front).map((client) => client.request(`/json?${query}`, { headers: { 'user-agent': query } })),
          ...clientsOf(front).map((client) => client.request(`/${query}%zz`)),
          ...[front.http, front.https].map((origin) => sendBytes(origin, malformed)),
        ]);
      await sendAll();
      await service.close();
      await sendAll();
      await front.close();
      assert.equal(systemLogs(proxy.command), logged);
      const text = front.written();
      assert.ok(!text.includes(caller), text);
      assert.ok(!text.includes(query), text);
    });
  });
}

/** Content of the log folder of its package. */
function systemLogs(command: string): string {
  const logs = join('/var/log', command);
  if (!existsSync(logs)) return '';
  return readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), 'latin1'))
    .join('\n');
}

/** Sends bytes that are not a request, and waits for the response or the end. */
async function sendBytes(origin: string, bytes: string): Promise<void> {
  const { hostname: host, port } = new URL(origin);
  const socket = connect({ host, port: Number(port), localAddress: caller });
  socket.end(bytes);
  await socket.toArray();
}

describe('HAProxy', { skip: !isInstalled(proxies.haproxy.command) }, () => {
  test('reports the same ClientHello and JA3 as Seenby itself', async () => {
    const direct = await startNode({ host: '127.0.0.1' });
    const { service, front } = await startProxied(proxies.haproxy, trusted);
    for (const clientOf of [http1Client, http2Client]) {
      const own = await infoOf(clientOf(`${direct.https}`));
      const seen = await infoOf(clientOf(front.https, caller));
      const { clientHelloLength, clientCiphersSha1, clientExtensionsSha1, version } = own.tls;
      assert.ok(clientHelloLength > 0);
      assert.deepEqual(seen.tls, { ...seen.tls, clientHelloLength, clientCiphersSha1, clientExtensionsSha1, version });
      const direct3 = await ja3Of(clientOf(`${direct.https}`));
      const seen3 = await ja3Of(clientOf(front.https, caller));
      assert.match(direct3.ja3.text, /^771,\d+-.*,\d/);
      assert.deepEqual(seen3, direct3);
    }
    await front.close();
    front.remove();
    await Promise.all([service.close(), direct.close()]);
  });
});

describe('Caddy', { skip: !isInstalled(proxies.caddy.command) || !isInstalled(chromium) }, () => {
  test("forwards a browser's HTTP/3", async () => {
    const { service, front } = await startProxied(proxies.caddy, trusted);
    const spki = new X509Certificate(pem.cert).publicKey.export({ type: 'spki', format: 'der' });
    const at = `localhost:${new URL(front.https).port}`;
    const { stdout } = await promisify(execFile)(chromium, [
      ...['--headless=new', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(folder, 'browser')}`],
      ...['--host-resolver-rules=MAP localhost 127.0.0.1', `--origin-to-force-quic-on=${at}`],
      `--ignore-certificate-errors-spki-list=${createHash('sha256').update(spki).digest('base64')}`,
      ...['--dump-dom', `https://${at}/json`],
    ]);
    const info = JSON.parse(/<pre>(.*)<\/pre>/s.exec(stdout)?.[1] ?? stdout);
    assert.deepEqual([info.http.protocol, info.tls.version], ['HTTP/3', 'TLSv1.3']);
    assert.match(info.http.acceptEncoding, /\bbr\b/);
    assert.equal(info.meta.docs, `https://${at}/docs`);
    assertFields('Caddy, HTTP/3', info, info.http.protocol);
    await front.close();
    front.remove();
    await service.close();
  });
});
