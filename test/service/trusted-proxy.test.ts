/** The Node edge behind trusted proxies: trust, rate limits, rejections. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { prefixOf } from '../../src/core/address.ts';
import { createProxyDetector } from '../../src/edges/node/unknown-proxy.ts';
import type { Exchange } from '../../src/ingress/exchange.ts';
import { createIdentify } from '../../src/ingress/limits/identity.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { type Client, http1Client, http2Client } from '../acceptance/client.ts';
import { assertError } from '../acceptance/suite.ts';
import { startNode } from '../node-service.ts';

const trustProxy = [prefixOf('127.0.0.1')];
const clientsOf = ({ http, https }: Service): Client[] => [http1Client(`${http}`), http2Client(`${https}`)];
const infoOf = async (client: Client, headers: Record<string, string>) =>
  JSON.parse((await client.request('/json', { headers })).body);

const claims = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'seenby.example',
  'x-edge-tls-version': 'TLSv1.2',
  'x-edge-http-version': '3',
};

describe('a peer outside the trusted set', () => {
  test('is the client, and its forwarding headers are ordinary headers', async () => {
    for (const settings of [{}, { trustProxy: [prefixOf('127.0.0.2')], trustEdgeHeaders: ['x-edge'] as const }]) {
      const service = await startNode({ host: '127.0.0.1', ...settings });
      for (const client of clientsOf(service)) {
        const { ip, headers, edgeHeaders, http, meta } = await infoOf(client, claims);
        assert.deepEqual([ip, http.protocol, edgeHeaders], ['127.0.0.1', client.protocol, {}]);
        for (const [name, value] of Object.entries(claims)) assert.equal(headers[name], value);
        assert.match(meta.docs, /127\.0\.0\.1/);
      }
      await service.close();
    }
  });
});

test('a proxy that is not trusted is logged once, and its address nowhere; occasional forged headers are not', async () => {
  const lines: string[] = [];
  const service = await startNode({ host: '127.0.0.1' }, {}, (line) => lines.push(line));
  const [client] = clientsOf(service);
  const send = async (count: number, headers: Record<string, string>) => {
    for (let sent = 0; sent < count; sent += 1) await client?.request('/ip', { headers });
  };
  await send(30, {});
  await send(9, { 'X-Forwarded-For': '203.0.113.9' });
  assert.deepEqual(lines, []);
  await send(20, { 'X-Forwarded-For': '203.0.113.9' });
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^requests from one address carry X-Forwarded-For: .* docs\/troubleshooting\.md$/);
  assert.doesNotMatch(lines[0] ?? '', /\d|private/);
  const page = await client?.request('/', { headers: { accept: 'text/html', 'x-forwarded-for': '203.0.113.9' } });
  assert.match(page?.body ?? '', /set TRUST_PROXY to its address/);
  await service.close();
});

test('requests of many addresses with the header are not a proxy', () => {
  const lines: string[] = [];
  const detect = createProxyDetector((_event, line) => lines.push(line));
  const identify = createIdentify();
  const exchangeOf = (client: number) =>
    ({
      rawHeaders: ['Host', 'a', 'X-Forwarded-For', '203.0.113.9'],
      connection: { identity: identify(`192.0.2.${client % 50}`) },
    }) as unknown as Exchange;
  for (let client = 0; client < 500; client += 1) detect(exchangeOf(client));
  assert.deepEqual(lines, []);
  for (let sent = 0; sent < 20; sent += 1) detect(exchangeOf(7));
  assert.equal(lines.length, 1);
});

describe('a trusted peer', () => {
  let service: Service;
  before(async () => {
    service = await startNode({ host: '127.0.0.1', trustProxy, trustEdgeHeaders: ['x-edge'], rateLimitGeneral: 2 });
  });
  after(() => service.close());

  test('sets the client address, without values of its own connection', async () => {
    for (const [index, client] of clientsOf(service).entries()) {
      const ip = `203.0.113.${index}`;
      const seen = await infoOf(client, { ...claims, 'x-forwarded-for': `198.51.100.1, ${ip}` });
      assert.deepEqual([seen.ip, seen.http.protocol, seen.tls.version], [ip, 'HTTP/3', 'TLSv1.2']);
      assert.equal(seen.headers['x-forwarded-for'], '198.51.100.1');
      const { host, connection, ...trusted } = seen.edgeHeaders;
      assert.deepEqual(trusted, { ...claims, 'x-forwarded-for': ip });
      assert.match(host, /^127\.0\.0\.1:\d+$/);
      assert.equal(connection, client.protocol === 'HTTP/2' ? undefined : 'close');
      assert.deepEqual([seen.headers.host, seen.headers.connection], ['seenby.example', undefined]);
      assert.deepEqual(
        [seen.tls.cipher, seen.tls.clientCiphersSha1, seen.network.clientTcpRttMs, seen.network.deliveryRateBps],
        [null, null, null, null],
      );
      assert.equal(seen.meta.docs, 'https://seenby.example/docs');
    }
  });

  test('is a client with its own TLS connection if it sends no forwarding header', async () => {
    const direct = await startNode({ host: '127.0.0.1', trustProxy, trustEdgeHeaders: ['x-edge', 'cf'] });
    for (const client of [http1Client(`${direct.https}`), http2Client(`${direct.https}`)]) {
      const { ip, tls, http, headers, edgeHeaders } = await infoOf(client, {});
      assert.deepEqual([ip, http.protocol, tls.version, edgeHeaders], ['127.0.0.1', client.protocol, 'TLSv1.3', {}]);
      assert.ok(tls.clientHelloLength > 100);
      assert.match(headers.host, /^127\.0\.0\.1:\d+$/);
    }
    await direct.close();
  });

  test('is not rate-limited, its clients are', async () => {
    const [client] = clientsOf(service);
    assert.ok(client);
    for (const ip of ['192.0.2.1', '192.0.2.2', '[2001:db8::1]:443']) {
      const headers = { 'x-forwarded-for': ip };
      for (const status of [200, 200, 429]) assert.equal((await client.request('/ip', { headers })).status, status);
    }
    // The same /64
    assertError(await client.request('/ip', { headers: { 'x-forwarded-for': '2001:db8::ffff' } }), 'rate_limited');
  });

  test('is rejected with the name of a header that cannot be used', async () => {
    for (const client of clientsOf(service)) {
      for (const [name, value] of [
        ['X-Forwarded-Proto', 'canary'],
        ['X-Forwarded-Host', 'canary/'],
      ] as const) {
        const reply = await client.request('/ip', { headers: { [name.toLowerCase()]: value } });
        const { error, message } = JSON.parse(reply.body);
        assert.deepEqual([reply.status, error], [400, 'malformed_request']);
        assert.match(message, new RegExp(`^${name} of the proxy .* TRUST_PROXY\\.$`));
        assert.doesNotMatch(reply.body, /canary/);
      }
    }
  });
});

test('a header of a trusted proxy that cannot be used is logged at most once a minute, without its value', async () => {
  const lines: string[] = [];
  const service = await startNode({ host: '127.0.0.1', trustProxy }, {}, (line) => lines.push(line));
  const [client] = clientsOf(service);
  for (const headers of [
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-forwarded-for': 'canary' },
    { 'x-forwarded-for': 'canary' },
    { 'x-forwarded-proto': 'canary' },
  ])
    await client?.request('/ip', { headers });
  await service.close();
  const [line = '', ...more] = lines.filter((each) => /X-Forwarded/.test(each));
  assert.match(line, /^X-Forwarded-For of a trusted proxy has an entry that is no IP address, .* TRUST_PROXY_HEADER;/);
  assert.deepEqual(more, []);
  assert.doesNotMatch(lines.join(), /canary|203\.0/);
});

describe('the MCP server on a loopback address', () => {
  test('accepts any host if a trusted peer sets a client address, else only its own', async () => {
    const ping = { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) };
    const headers = { 'content-type': 'application/json', host: 'seenby.example' };
    const named = { 'x-forwarded-for': '192.0.2.1' };
    for (const [settings, added, status] of [
      [{}, named, 403],
      [{ trustProxy }, {}, 403],
      [{ trustProxy }, named, 200],
    ] as const) {
      const service = await startNode({ host: '127.0.0.1', ...settings });
      try {
        const reply = await http1Client(`${service.http}`).request('/mcp', {
          ...ping,
          headers: { ...headers, ...added },
        });
        assert.equal(reply.status, status, reply.body);
      } finally {
        await service.close();
      }
    }
  });
});
