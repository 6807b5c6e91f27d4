/** The Node edge with connections and requests that are slow, truncated, too large, malformed or of another protocol. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { Service } from '../../src/runtime/serve.ts';
import { http1Client, http2Client, parseReply } from '../acceptance/client.ts';
import { assertError } from '../acceptance/suite.ts';
import { clientHello, inRecords, recut } from '../ingress/hello-bytes.ts';
import { overTcp, rawClient } from '../ingress/raw-client.ts';
import { startNode } from '../node-service.ts';
import { closed } from '../sockets.ts';
import { until } from '../until.ts';

/** For connections that stall. A service with these bounds would also close what a busy machine only delays. */
const shortBounds = {
  helloTimeoutMs: 500,
  handshakeTimeoutMs: 1000,
  headersTimeoutMs: 500,
  requestTimeoutMs: 500,
  idleTimeoutMs: 1500,
  timeoutCheckMs: 50,
};

let service: Service;
let impatient: Service;
let http: string;
let https: string;
let impatientHttps: string;
before(async () => {
  service = await startNode({ host: '127.0.0.1' });
  impatient = await startNode({ host: '127.0.0.1' }, shortBounds);
  http = service.http ?? '';
  https = service.https ?? '';
  impatientHttps = impatient.https ?? '';
});
after(() => Promise.all([service.close(), impatient.close()]));

async function stillAnswers(): Promise<void> {
  for (const client of [http1Client(http), http1Client(https), http2Client(https)]) {
    assert.equal((await client.request('/ip')).body, '127.0.0.1\n');
  }
}

describe('the HTTPS port', () => {
  test('returns https_required to a client that sends plain HTTP', async () => {
    for (const request of [
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
      'POST /x HTTP/1.0\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ]) {
      assertError(parseReply(await rawClient(overTcp(https), request).closed), 'https_required');
    }
  });

  test('closes connections that are neither TLS nor HTTP without a response', async () => {
    const others = ['SSH-2.0-OpenSSH\r\n', '\x80\x2e\x01\x03\x01', '\x15\x03\x01\x00\x02\x02\x28', '\0'];
    for (const bytes of others) {
      assert.equal(await rawClient(overTcp(https), Buffer.from(bytes, 'latin1')).closed, '', JSON.stringify(bytes));
    }
    await stillAnswers();
  });

  test('ends an empty record of a handshake with an alert', async () => {
    const record = Buffer.from('1603010000', 'hex');
    // Fatal (2): unexpected_message (10); RFC 8446 §5.1 forbids empty records of a handshake.
    assert.equal(await rawClient(overTcp(https), record).closed, '\x15\x03\x03\0\x02\x02\n');
    await stillAnswers();
  });

  test('closes connections that stall before, within and after the hello', async () => {
    const hello = inRecords(clientHello({}), 100);
    const stalled = [Buffer.alloc(0), hello.subarray(0, 1), hello.subarray(0, 60), hello.subarray(0, hello.length - 1)];
    await Promise.all(stalled.map((bytes) => rawClient(overTcp(impatientHttps), bytes).closed));
  });

  test('enforces the deadline of the hello for a client that sends byte by byte', async () => {
    const hello = inRecords(clientHello({}), 1);
    const { socket, closed } = rawClient(overTcp(impatientHttps));
    let sent = 0;
    const drip = setInterval(() => socket.write(hello.subarray(sent, ++sent)), 20);
    await closed;
    clearInterval(drip);
    assert.ok(sent < hello.length);
  });

  test('closes a client that ends its side within the hello', async () => {
    const { socket, closed } = rawClient(overTcp(https), inRecords(clientHello({}), 100).subarray(0, 40));
    socket.end();
    await closed;
  });

  test('leaves malformed and oversized hellos to the TLS library, which closes them', async () => {
    const malformed = clientHello({ cipherSuites: Buffer.from('130', 'hex') }).fill(0xff, 34);
    const oversized = clientHello({ extensions: [{ id: 21, content: Buffer.alloc(20_000) }] });
    for (const body of [malformed, oversized]) await rawClient(overTcp(https), inRecords(body, 16_000)).closed;
    await stillAnswers();
  });

  test('closes a connection that is silent after its handshake, on both HTTP versions', async () => {
    for (const protocol of ['http/1.1', 'h2']) {
      const { hostname: host, port } = new URL(impatientHttps);
      const socket = connectTls({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: [protocol] });
      socket.on('error', () => {}).resume();
      await closed(socket);
    }
  });

  test('accepts connections while 500 others stall', async () => {
    const many = await startNode({ host: '127.0.0.1', maxConnectionsPerAddress: 0 }, { helloTimeoutMs: 60_000 });
    const address = many.https ?? '';
    const stalled = Array.from({ length: 500 }, () => rawClient(overTcp(address), Buffer.from('160301', 'hex')));
    await Promise.all(stalled.map(({ socket }) => once(socket, 'connect')));
    assert.equal((await http2Client(address).request('/ip')).status, 200);
    for (const { socket } of stalled) socket.destroy();
    await many.close();
  });

  test('computes the same fingerprint for any division of the hello', async () => {
    const patient = await startNode({ host: '127.0.0.1' });
    const seen = (cut: (bytes: Buffer) => Buffer[]) => tlsThrough(cut, patient.https ?? '');
    const whole = await seen((bytes) => [bytes]);
    assert.ok(whole.clientHelloLength > 100);
    const cuts: Record<string, (bytes: Buffer) => Buffer[]> = {
      'single bytes': (bytes) => [...bytes].map((byte) => Buffer.from([byte])),
      'two records': (bytes) => [recut(bytes.subarray(5), Math.ceil((bytes.length - 5) / 2))],
      '17 records': (bytes) => [recut(bytes.subarray(5), Math.floor((bytes.length - 5) / 17))],
      'records of one byte': (bytes) => [recut(bytes.subarray(5), 1)],
      'records of two bytes in segments of three': (bytes) =>
        recut(bytes.subarray(5), 2)
          .toString('hex')
          .match(/.{1,6}/g)
          ?.map((hex) => Buffer.from(hex, 'hex')) ?? [],
    };
    for (const [name, cut] of Object.entries(cuts)) assert.deepEqual(await seen(cut), whole, name);
    await patient.close();
  });
});

/** Returns `tls` of /json for a client whose first flight passes a relay that divides it. */
async function tlsThrough(cut: (bytes: Buffer) => Buffer[], origin: string): Promise<{ clientHelloLength: number }> {
  const { hostname: host, port } = new URL(origin);
  const relay = createServer((client) => {
    const server = connect({ host, port: Number(port), noDelay: true });
    client.once('data', async (bytes: Buffer) => {
      client.pause();
      for (const piece of cut(bytes)) {
        server.write(piece);
        await new Promise(setImmediate);
      }
      client.pipe(server).pipe(client);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => socket.destroy()).on('close', () => other.destroy());
    }
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port: relayPort } = relay.address() as { port: number };
  const reply = await http1Client(`https://127.0.0.1:${relayPort}`).request('/json');
  relay.close();
  return JSON.parse(reply.body).tls;
}

describe('requests', () => {
  const cases: [what: string, bytes: string, error: Parameters<typeof assertError>[1]][] = [
    ['no HTTP at all', 'FOO\r\n\r\n', 'malformed_request'],
    ['an HTTP/2 preface on the plain port', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'version_not_supported'],
    ['a TLS hello on the plain port', inRecords(clientHello({}), 16_384).toString('latin1'), 'malformed_request'],
    ['no host', 'GET /ip HTTP/1.1\r\nConnection: close\r\n\r\n', 'malformed_request'],
    ['two hosts', 'GET /ip HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 'malformed_request'],
    ['a host that is none', 'GET /ip HTTP/1.1\r\nHost: a b<>\r\nConnection: close\r\n\r\n', 'malformed_request'],
    ['a header without a name', 'GET /ip HTTP/1.1\r\n: x\r\nHost: a\r\n\r\n', 'malformed_request'],
    ['a NUL in a header', 'GET /ip HTTP/1.1\r\nHost: a\r\nx: a\0b\r\n\r\n', 'malformed_request'],
    [
      'two contradicting lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'malformed_request',
    ],
    ['headers of 17 KB', `GET /ip HTTP/1.1\r\nHost: a\r\nx: ${'a'.repeat(17_000)}\r\n\r\n`, 'headers_too_large'],
    ['a path of 17 KB', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 'uri_too_long'],
    ['CONNECT', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n', 'method_not_allowed'],
    [
      'an unknown expectation on no path',
      'GET /x HTTP/1.1\r\nHost: a\r\nExpect: x\r\nConnection: close\r\n\r\n',
      'not_found',
    ],
  ];
  for (const [what, bytes, error] of cases) {
    test(`get ${error}: ${what}`, async () => {
      const send = Buffer.from(bytes, 'latin1');
      assertError(parseReply(await rawClient(http, send).closed), error);
      if (!what.includes('plain port')) assertError(parseReply(await rawClient(https, send).closed), error);
    });
  }

  test('get request_timeout: headers that do not end', async (context) => {
    const send = 'GET /ip HTTP/1.1\r\nHost: a\r\nx: ';
    // Only the time for headers is short: a TLS handshake that exceeds its time is closed without a response.
    const { headersTimeoutMs, requestTimeoutMs, timeoutCheckMs } = shortBounds;
    const own = await startNode({ host: '127.0.0.1' }, { headersTimeoutMs, requestTimeoutMs, timeoutCheckMs });
    context.after(() => own.close());
    const origins = [own.http ?? '', own.https ?? ''];
    const replies = await Promise.all(origins.map((origin) => rawClient(origin, send).closed));
    for (const reply of replies) assertError(parseReply(reply), 'request_timeout');
  });

  test('with 17 KB of headers get a response over HTTP/2 too, and the connection stays open', async () => {
    const session = connectHttp2(https, { rejectUnauthorized: false });
    const statusOf = async (headers: Record<string, string>): Promise<unknown> => {
      const stream = session.request({ ':path': '/ip', ...headers });
      const [fields] = await once(stream, 'response');
      stream.resume();
      await once(stream, 'end');
      return fields[':status'];
    };
    assert.equal(await statusOf({ x: 'a'.repeat(17_000) }), 431);
    const withHeaders = (count: number) =>
      statusOf(Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'a'])));
    assert.equal(await withHeaders(500), 200);
    // Above 512, the library resets the stream before there is a request.
    await assert.rejects(withHeaders(1000), /NGHTTP2_ENHANCE_YOUR_CALM/);
    assert.equal(await withHeaders(1), 200);
    session.destroy();
  });

  test('keep all of thousands of headers', async () => {
    const headers = Array.from({ length: 2500 }, (_, index) => `${index}:\r\n`).join('');
    const reply = parseReply(
      await rawClient(http, `GET /headers HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`).closed,
    );
    assert.equal(Object.keys(JSON.parse(reply.body).headers).length, 2502);
  });

  test('report repeats, cookies, and bytes above 0x7f as received', async () => {
    const lines = [
      'Cookie: a=1',
      'Cookie: b=2',
      'X-A: 1',
      'x-a: 2',
      'X-Utf8: é',
      'X-Latin: \xe9',
      '__proto__: p',
      'X-Empty:',
    ];
    const bytes = lines.map((line) => Buffer.from(line, line.startsWith('X-Latin') ? 'latin1' : 'utf8'));
    const head = Buffer.from('GET /headers HTTP/1.1\r\nHost: A.example\r\nConnection: close\r\n');
    const send = Buffer.concat([head, ...bytes.flatMap((line) => [line, Buffer.from('\r\n')]), Buffer.from('\r\n')]);
    const reply = await rawClient(http, send).closed;
    const { headers } = JSON.parse(Buffer.from(reply, 'latin1').toString().split('\r\n\r\n')[1] ?? '');
    assert.deepEqual(Object.entries(headers), [
      ['host', 'A.example'],
      ['connection', 'close'],
      ['cookie', 'a=1; b=2'],
      ['x-a', '1, 2'],
      ['x-utf8', 'é'],
      ['x-latin', 'é'],
      ['__proto__', 'p'],
      ['x-empty', ''],
    ]);
  });

  test('of HTTP/1.0 need no host', async () => {
    const reply = parseReply(await rawClient(http, 'GET /json HTTP/1.0\r\n\r\n').closed);
    const { http: seen, meta, headers } = JSON.parse(reply.body);
    assert.deepEqual([seen.protocol, meta.docs, headers], ['HTTP/1.0', `${http}/docs`, {}]);
  });

  test('with a truncated body get one response', async () => {
    for (const method of ['GET', 'POST']) {
      const head = `${method} /nope HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const reply = await rawClient(http, `${head}ZZ\r\n`).closed;
      assert.equal(reply.split('HTTP/1.1 ').length, 2, reply);
      assertError(parseReply(reply), 'not_found');
    }
  });

  test('with an invalid host are rejected', async () => {
    for (const host of ['a:99999', '1.2.3.999', '[:::]', 'a"b', 'a/b', 'ä']) {
      const send = `GET /ip HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      assertError(parseReply(await rawClient(http, send).closed), 'malformed_request');
    }
  });

  test('in absolute form use the host in the target', async () => {
    const send = `GET http://b.example:81/json?format=json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const reply = parseReply(await rawClient(http, send).closed);
    assert.equal(JSON.parse(reply.body).meta.docs, 'http://b.example:81/docs');
  });

  test('with a body get a response without waiting for it', async () => {
    const { socket, closed } = rawClient(http, 'POST /json HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc');
    await once(socket, 'data');
    socket.end();
    assertError(parseReply(await closed), 'method_not_allowed');
  });

  test('leave the service working', stillAnswers);
});

describe('connections', () => {
  test('above the limit of their address are closed until others close', async () => {
    const capped = await startNode({ host: '127.0.0.1', maxConnectionsPerAddress: 3 });
    const origin = capped.http ?? '';
    const open = Array.from({ length: 3 }, () => rawClient(origin));
    await Promise.all(open.map(({ socket }) => once(socket, 'connect')));
    await assert.rejects(http1Client(origin).request('/ip'));
    open[0]?.socket.destroy();
    await open[0]?.closed;
    const reply = () =>
      http1Client(origin)
        .request('/ip')
        .catch(() => null);
    await until(async () => (await reply())?.status === 200);
    for (const { socket } of open) socket.destroy();
    await capped.close();
  });

  test('above the limit of the port take the place of those without a request', async () => {
    const capped = await startNode({ host: '127.0.0.1', maxConnections: 2 });
    const origin = capped.http ?? '';
    const open = Array.from({ length: 2 }, () => rawClient(origin));
    await Promise.all(open.map(({ socket }) => once(socket, 'connect')));
    assert.equal((await http1Client(origin).request('/ip')).status, 200);
    await open[0]?.closed;
    open[1]?.socket.destroy();
    await capped.close();
  });
});
