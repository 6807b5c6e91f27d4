/** The Node edge behind proxies that send a PROXY header before each connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { networks, prefixOf } from '../../src/core/address.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { http1Client, parseReply, type Reply } from '../acceptance/client.ts';
import { assertError } from '../acceptance/suite.ts';
import { proxyHeader2 } from '../ingress/proxy-header-bytes.ts';
import { overTcp, rawClient } from '../ingress/raw-client.ts';
import { startNode } from '../node-service.ts';
import { untilQuiet } from '../until.ts';

const settings = { host: '127.0.0.1', trustProxy: [prefixOf('127.0.0.1')], proxyProtocol: true } as const;

const header1 = Buffer.from('PROXY TCP4 203.0.113.9 192.0.2.1 4321 443\r\n');
const header2 = proxyHeader2(0x21, 0x11, Buffer.from('cb007109c000020110e101bb', 'hex'));
const local = proxyHeader2(0x20, 0x00, Buffer.alloc(0));

const requestOf = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: seenby.example\r\nConnection: close\r\n${headers}\r\n`;

/** Returns the response to these chunks, sent one after the other. */
async function reply(origin: string | null, pieces: readonly (string | Buffer)[]): Promise<Reply> {
  const client = rawClient(overTcp(`${origin}`));
  for (const piece of pieces) {
    client.socket.write(piece);
    // Each chunk must arrive separately.
    await untilQuiet();
  }
  return parseReply(await client.closed);
}

/** Sends each beginning on a connection of its own, all at the same time. */
async function assertClosed(origin: string | null, beginnings: readonly (string | Buffer)[]): Promise<void> {
  const replies = beginnings.map((bytes) => rawClient(overTcp(`${origin}`), bytes).closed);
  for (const closed of await Promise.all(replies)) assert.equal(closed, '');
}

describe('a connection with a PROXY header', () => {
  let service: Service;
  before(async () => {
    service = await startNode(
      { ...settings, rateLimitGeneral: 2, maxConnectionsPerAddress: 2 },
      // A header in single bytes, one in each millisecond, takes long on a busy machine.
      { helloTimeoutMs: 20_000 },
    );
  });
  after(() => service.close());

  for (const [name, header] of [
    ['version 1', header1],
    ['version 2', header2],
  ] as const) {
    test(`reports the client over HTTP, in any division of the bytes, ${name}`, async () => {
      const bytes = Buffer.concat([header, Buffer.from(requestOf('/docs'))]);
      const cuts = [[bytes], [...bytes.subarray(0, header.length + 2)].map((byte) => Buffer.from([byte]))];
      cuts[1]?.push(bytes.subarray(header.length + 2));
      for (const pieces of cuts) assert.equal((await reply(service.http, pieces)).status, 200);
    });
  }

  test('may have extensions of 16 KB in all', async () => {
    const patient = await startNode(settings);
    const extension = (bytes: number) =>
      Buffer.concat([Buffer.from([0x20, bytes >> 8, bytes & 0xff]), Buffer.alloc(bytes, 7)]);
    const addresses = Buffer.from('cb007109c000020110e101bb', 'hex');
    try {
      for (const [bytes, status] of [
        [3_000, 200],
        [16_384 - 12 - 3, 200],
        [16_384 - 12 - 2, null],
      ] as const) {
        const header = proxyHeader2(0x21, 0x11, Buffer.concat([addresses, extension(bytes)]));
        const { closed } = rawClient(`${patient.http}`, Buffer.concat([header, Buffer.from(requestOf('/ip'))]));
        const received = await closed;
        if (status === null) assert.equal(received, '');
        else assert.match(received, /^HTTP\/1\.1 200 .*\r\n\r\n203\.0\.113\.9\n$/s);
      }
    } finally {
      await patient.close();
    }
  });

  test("reports the client's source port, and the proxy's own port if it connects for itself", async () => {
    const service = await startNode(settings);
    try {
      for (const header of [header1, header2])
        assert.equal((await reply(service.http, [header, requestOf('/port')])).body, '4321\n');
      assert.match((await reply(service.http, [local, requestOf('/port')])).body, /^\d{4,5}\n$/);
    } finally {
      await service.close();
    }
  });

  test("sets the client's address and rate limit, without the proxy's measurements", async () => {
    const first = await reply(service.http, [header1, requestOf('/json', 'X-Forwarded-For: 198.51.100.1\r\n')]);
    const second = await reply(service.http, [header2, requestOf('/ip')]);
    const third = await reply(service.http, [header2, requestOf('/ip')]);
    const { ip, headers, edgeHeaders, network, http } = JSON.parse(first.body);
    assert.deepEqual([ip, http.protocol, edgeHeaders], ['203.0.113.9', 'HTTP/1.1', {}]);
    assert.equal(headers['x-forwarded-for'], '198.51.100.1');
    assert.deepEqual([network.clientTcpRttMs, network.deliveryRateBps], [null, null]);
    assert.equal(second.body, '203.0.113.9\n');
    assertError(third, 'rate_limited');
  });

  test("keeps the client's TLS values", async () => {
    const { hostname: host, port } = new URL(`${service.https}`);
    const seen: unknown[] = [];
    for (const from of ['198.51.100.7', '198.51.100.8']) {
      const raw = connect({ host, port: Number(port) });
      raw.write(`PROXY TCP4 ${from} 192.0.2.1 4321 443\r\n`);
      const socket = connectTls({ socket: raw, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
      socket.write(requestOf('/json'));
      const { ip, tls, network } = JSON.parse(parseReply(Buffer.concat(await socket.toArray()).toString()).body);
      assert.deepEqual([ip, tls.version, network.clientTcpRttMs], [from, 'TLSv1.3', null]);
      seen.push(tls.clientCiphersSha1, tls.clientExtensionsSha1, tls.clientHelloLength > 100);
    }
    assert.ok(seen.every((value) => value));
  });

  test('belongs to the proxy if the header has no address, and no HTTP header changes that', async () => {
    for (const header of [local, 'PROXY UNKNOWN\r\n']) {
      const { body } = await reply(service.http, [header, requestOf('/json', 'X-Forwarded-For: 198.51.100.1\r\n')]);
      const { ip, headers } = JSON.parse(body);
      assert.deepEqual([ip, headers['x-forwarded-for']], ['127.0.0.1', '198.51.100.1']);
    }
  });

  test('uses the forwarding header if the named address is a trusted proxy', async () => {
    const lines = 'X-Forwarded-For: 198.51.100.1, 203.0.113.77\r\n';
    const { body } = await reply(service.http, ['PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n', requestOf('/json', lines)]);
    const { ip, http } = JSON.parse(body);
    assert.deepEqual([ip, http.protocol], ['203.0.113.77', null]);
  });

  test('works with Cloudflare in front of the relay', async () => {
    const behind = await startNode({
      ...settings,
      trustProxy: [...settings.trustProxy, ...(networks.cloudflare ?? [])],
      trustProxyHeader: 'cf-connecting-ip',
      trustEdgeHeaders: ['cf'],
    });
    const sent = [
      ...['CF-Connecting-IP: 2001:db8::9', 'CF-Ray: 8f1b2c3d4e5f6a7b-LHR', 'CF-Visitor: {"scheme":"https"}'],
      ...['X-Forwarded-For: 198.51.100.1', 'X-Forwarded-Proto: https', 'Accept-Encoding: gzip, br'],
    ].map((line) => `${line}\r\n`);
    for (const [source, through] of [
      ['172.64.0.1', true],
      ['203.0.113.9', false],
    ] as const) {
      const relay = `PROXY TCP4 ${source} 192.0.2.1 4321 443\r\n`;
      const seen = JSON.parse((await reply(behind.http, [relay, requestOf('/json', sent.join(''))])).body);
      assert.deepEqual(
        [seen.ip, seen.network.colo, seen.http.acceptEncoding, seen.http.protocol],
        through ? ['2001:db8::9', 'LHR', null, null] : [source, null, 'gzip, br', 'HTTP/1.1'],
      );
      assert.equal('cf-ray' in seen.edgeHeaders, through);
      assert.equal('cf-ray' in seen.headers, !through);
      assert.equal(seen.headers['x-forwarded-for'], '198.51.100.1');
      assert.equal(seen.meta.docs, `${through ? 'https' : 'http'}://seenby.example/docs`);
    }
    await behind.close();
  });

  test('counts as a connection of the client', async () => {
    const request = Buffer.from('GET /docs HTTP/1.1\r\nHost: a\r\n\r\n');
    const waiting = [1, 2].map(() => rawClient(`${service.http}`, Buffer.concat([header2, request])));
    await Promise.all(waiting.map(({ socket }) => once(socket, 'data')));
    assert.equal(await rawClient(`${service.http}`, header2).closed, '');
    assert.equal(
      (await reply(service.http, ['PROXY TCP4 192.0.2.7 192.0.2.1 1 2\r\n', requestOf('/docs')])).status,
      200,
    );
    for (const { socket } of waiting) socket.destroy();
  });

  test('is rejected if the header is missing or malformed', async () => {
    for (const origin of [service.http, service.https]) {
      for (const bytes of [requestOf('/ip'), 'PROXY TCP4 203.0.113.9\r\n', `PROXY TCP4 ${'1'.repeat(200)}`]) {
        const response = await reply(origin, [bytes]);
        assertError(response, 'malformed_request');
        assert.match(response.body, /PROXY protocol header/);
      }
    }
  });

  test('is closed without a response if the header is invalid, late or incomplete', async (context) => {
    const impatient = await startNode(settings, { helloTimeoutMs: 500 });
    context.after(() => impatient.close());
    const invalid = Buffer.concat([header2.subarray(0, 12), Buffer.from([0x31, 0, 0, 0])]);
    for (const origin of [impatient.http, impatient.https])
      await assertClosed(origin, [invalid, '\r\n\r\n', '\u0016\u0003\u0001', '', 'PROXY', header2.subarray(0, 20)]);
    const half = rawClient(`${impatient.http}`, 'PROXY TCP4');
    half.socket.end();
    assert.equal(await half.closed, '');
  });
});

describe('a peer that is not trusted', () => {
  test('is the client, and its PROXY header is rejected', async () => {
    const service = await startNode({ ...settings, trustProxy: [prefixOf('127.0.0.2')] });
    assert.equal((await http1Client(`${service.http}`).request('/ip')).body, '127.0.0.1\n');
    assertError(await reply(service.http, [header1, requestOf('/ip')]), 'malformed_request');
    assertError(await reply(service.http, [header2, requestOf('/ip')]), 'malformed_request');
    assertError(await reply(service.https, [header1]), 'https_required');
    assert.equal(await rawClient(overTcp(`${service.https}`), header2).closed, '');
    await service.close();
  });
});

test('does not detect a PROXY header if the setting is off', async () => {
  const service = await startNode({ ...settings, proxyProtocol: false });
  assertError(await reply(service.http, [header1, requestOf('/ip')]), 'malformed_request');
  assert.equal((await http1Client(`${service.http}`).request('/ip')).body, '127.0.0.1\n');
  await service.close();
});
