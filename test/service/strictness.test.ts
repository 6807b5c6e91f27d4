/** Messages that Node's parsers accept, but that the protocols forbid or leave open. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2, type OutgoingHttpHeaders } from 'node:http2';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { parseReply } from '../acceptance/client.ts';
import { assertError } from '../acceptance/suite.ts';
import { rawClient } from '../ingress/raw-client.ts';
import { startNode } from '../node-service.ts';
import { closed } from '../sockets.ts';
import { until, untilQuiet } from '../until.ts';

let service: Service;
let http: string;
let https: string;
before(async () => {
  service = await startNode({ host: '127.0.0.1' });
  http = service.http ?? '';
  https = service.https ?? '';
});
after(() => service.close());

/** The responses on one connection, which the service must close. */
async function responsesTo(bytes: string, origin: string = http): Promise<string[]> {
  return (await rawClient(origin, bytes).closed).split(/(?=HTTP\/1\.1 \d{3} )/).filter((text) => text !== '');
}

describe('HTTP/1.0 with Transfer-Encoding', () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const chunked = `${ping.length.toString(16)}\r\n${ping}\r\n0\r\n\r\n`;

  test('gets its response, and the connection is closed without another', async () => {
    for (const origin of [http, https]) {
      const head = 'HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n';
      const next = 'GET /ip HTTP/1.1\r\nHost: a\r\n\r\n';
      for (const request of [
        `POST /mcp ${head}Content-Type: application/json\r\n\r\n${chunked}`,
        `GET /ip ${head}\r\n0\r\n\r\n`,
      ]) {
        const [response = '', ...more] = await responsesTo(request + next, origin);
        assert.match(response, /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/s);
        assert.deepEqual(more, []);
      }
    }
  });

  test('is the cause: without it, HTTP/1.0 stays open if the client requests that', async () => {
    const head = 'GET /ip HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n';
    const responses = await responsesTo(`${head}GET /ip HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    assert.equal(responses.length, 2);
  });
});

describe('a request to upgrade', () => {
  const upgrade = 'HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
  const next = 'GET /ip HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

  test('gets its response, and so does the request pipelined after it', async () => {
    for (const origin of [http, https]) {
      const responses = await responsesTo(`GET /ip ${upgrade}\r\n${next}`, origin);
      assert.deepEqual(
        responses.map((text) => text.slice(0, 15)),
        ['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK'],
      );
    }
  });

  test('closes the connection if it has a body', async () => {
    for (const body of ['Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'])
      for (const [method, path] of [
        ['POST', '/mcp'],
        ['GET', '/ip'],
      ]) {
        const [response = '', ...more] = await responsesTo(`${method} ${path} ${upgrade}${body}${next}`);
        assert.match(response, /^HTTP\/1\.1 \d+ .*\r\nConnection: close\r\n/s);
        assert.deepEqual(more, []);
      }
  });
});

describe('malformed chunks', () => {
  const head =
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

  for (const chunks of ['ZZ\r\n', '5\r\nabcdeXX\r\n0\r\n\r\n', '-1\r\na\r\n', '10000000000000000\r\n', '1 \r\na\r\n'])
    test(`are rejected: ${JSON.stringify(chunks)}`, async () => {
      for (const origin of [http, https]) {
        const responses = await responsesTo(head + chunks, origin);
        assert.equal(responses.length, 1);
        assertError(parseReply(responses[0] ?? ''), 'malformed_request');
        assert.match(responses[0] ?? '', /\r\nConnection: close\r\n/);
      }
    });

  test('are rejected after the responses to the requests before', async () => {
    const [first = '', second = '', ...more] = await responsesTo(`GET /ip HTTP/1.1\r\nHost: a\r\n\r\n${head}ZZ\r\n`);
    assert.equal(parseReply(first).status, 200);
    assertError(parseReply(second), 'malformed_request');
    assert.deepEqual(more, []);
  });
});

describe('a major version of 2 or higher in HTTP/1 syntax', () => {
  for (const version of ['2.0', '2.1', '3.0', '9.9'])
    test(`is rejected as not supported: ${version}`, async () => {
      for (const origin of [http, https]) {
        const request = `GET /json HTTP/${version}\r\nHost: a\r\n\r\n`;
        const responses = await responsesTo(request, origin);
        assert.equal(responses.length, 1);
        assertError(parseReply(responses[0] ?? ''), 'version_not_supported');
      }
    });

  for (const version of ['1.2', '0.3', '2', '10.1', 'x.y'])
    test(`is malformed, not unsupported: ${version}`, async () => {
      const [response = ''] = await responsesTo(`GET /HTTP/3.0 HTTP/${version}\r\nHost: a\r\n\r\n`);
      assertError(parseReply(response), 'malformed_request');
    });
});

describe('a request line', () => {
  const next = 'GET /ip HTTP/1.1\r\nHost: a\r\n\r\n';

  test('without a version is malformed, and ends the connection', async () => {
    for (const origin of [http, https])
      for (const line of ['GET /ip\n', 'GET /ip\r\n', 'GET /ip \r\n', 'GET /ip HTTP/0.9\r\n']) {
        const responses = await responsesTo(`${line}Host: a\r\n\r\n${next}`, origin);
        assert.equal(responses.length, 1, line);
        assertError(parseReply(responses[0] ?? ''), 'malformed_request');
      }
  });

  test('with a byte that must be percent-encoded is rejected with that advice', async () => {
    for (const target of ['/ip?x=\u00fc', '/\x7f', 'ip']) {
      const [response = ''] = await responsesTo(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
      assert.match(JSON.parse(parseReply(response).body).message, /percent-encode/, target);
    }
  });

  test('with the target * is malformed, unless it is that of OPTIONS', async () => {
    const get = (method: string) => responsesTo(`${method} * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    for (const method of ['GET', 'HEAD', 'POST'])
      assert.equal(parseReply((await get(method))[0] ?? '').status, 400, method);
    assert.equal(parseReply((await get('OPTIONS'))[0] ?? '').status, 204);
  });
});

describe('Host', () => {
  const longest = `${'a.'.repeat(127)}a`;

  test('has at most 255 characters', async () => {
    const get = (host: string, target = '/ip') =>
      responsesTo(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const [accepted = ''] = await get(longest);
    assert.equal(parseReply(accepted).status, 200);
    for (const [host, target] of [[`${longest}a`], [`${longest}a`, 'http://a/ip'], ['a', `http://${longest}a/ip`]])
      assertError(parseReply((await get(host ?? '', target))[0] ?? ''), 'malformed_request');
  });

  test('has at most 255 characters behind a trusted proxy', async () => {
    const { networks } = await import('../../src/core/address.ts');
    const proxied = await startNode({ host: '127.0.0.1', trustProxy: networks.loopback ?? [] });
    const head = `GET /ip HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-Host: ${longest}`;
    for (const [rest, status] of [
      ['', 200],
      ['a', 400],
    ] as const)
      assert.equal(
        parseReply((await responsesTo(`${head}${rest}\r\n\r\n`, `${proxied.http}`))[0] ?? '').status,
        status,
      );
    await proxied.close();
  });
});

test('over HTTP/2, :authority and host must name the same host', async () => {
  const session = connectHttp2(https, { rejectUnauthorized: false });
  const statusOf = async (headers: OutgoingHttpHeaders): Promise<unknown> => {
    const stream = session.request({ ':path': '/headers', ...headers });
    const [fields] = await once(stream, 'response');
    const body = Buffer.concat(await stream.toArray()).toString();
    return fields[':status'] === 200 ? JSON.parse(body).headers.host : fields[':status'];
  };
  for (const host of ['b.example', 'a.example:444', 'a.example.', 'a.example'.padEnd(256, 'a')])
    assert.equal(await statusOf({ ':authority': 'a.example', host }), 400, host);
  for (const host of ['a.example', 'A.EXAMPLE', 'a.example:443'])
    assert.equal(await statusOf({ ':authority': 'a.example', host }), 'a.example', host);
  assert.equal(await statusOf({ ':authority': 'a.example'.padEnd(256, 'a') }), 400);
  session.destroy();
});

test('what begins as TLS without a ClientHello, or with another record in it, gets an alert (RFC 8446 §6.2)', async () => {
  const { hostname: host, port } = new URL(https);
  const beginning = [1, 0, 0, 200].flatMap((byte) => [22, 3, 1, 0, 1, byte]);
  const unexpectedMessage = 10;
  for (const bytes of [
    [22, 3, 1, 0, 4, 2, 0, 0, 0],
    [22, 3, 1, 0, 0],
    [...beginning, 22, 3, 1, 0, 0],
    [...beginning, 23, 3, 3, 0, 1, 0],
  ]) {
    const socket = connect(Number(port), host);
    socket.on('error', () => {}).write(Buffer.from(bytes));
    const received = Buffer.concat(await socket.toArray().catch(() => []));
    assert.deepEqual([...received], [21, 3, 3, 0, 2, 2, unexpectedMessage]);
  }
});

test('a client that renegotiates TLS gets the alert no_renegotiation (RFC 5246 §7.2.2)', async () => {
  const { hostname: host, port } = new URL(https);
  for (const ALPNProtocols of [['http/1.1'], ['h2']]) {
    const socket = connectTls({
      host,
      port: Number(port),
      rejectUnauthorized: false,
      ALPNProtocols,
      maxVersion: 'TLSv1.2',
    });
    const received: Buffer[] = [];
    let reason = '';
    socket.on('error', ({ message }) => (reason = message)).on('data', (chunk: Buffer) => received.push(chunk));
    await once(socket, 'secureConnect');
    socket.renegotiate({}, () => {});
    await closed(socket);
    assert.match(reason, /no.renegotiation/i);
    assert.ok(!Buffer.concat(received).includes('HTTP/1.1'));
  }
});

test('serves a request with a body that is pipelined as the last of those in flight', async () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const head = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Connection: close', 'Content-Type: application/json'];
  const post = `${head.join('\r\n')}\r\nContent-Length: ${ping.length}\r\n\r\n`;
  // The compression of the page keeps the responses after it waiting, so that all are in flight.
  const page = 'GET /docs HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br\r\n\r\n';
  const before = page + 'GET /ip HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(bounds.maxRequestsInFlight - 2);
  const client = rawClient(http, before + post);
  let received = '';
  client.socket.on('data', (chunk) => (received += chunk.toString('latin1')));
  await until(() => received.split('HTTP/1.1 200 OK').length === bounds.maxRequestsInFlight);
  client.socket.write(ping);
  assert.match(await client.closed, /"id":1\D*$/);
});

describe('an unknown method over HTTP/1.1', () => {
  test('is 405 with Allow on known paths and 404 elsewhere, and closes the connection', async () => {
    const next = 'GET /ip HTTP/1.1\r\nHost: a\r\n\r\n';
    for (const origin of [http, https])
      for (const method of ['FOO', 'get', 'X-Y', 'SOURCE', 'DESCRIBE', "!#$%&'*+-.^_`|~1"])
        for (const [path, code] of [
          ['/ip', 'method_not_allowed'],
          ['/mcp', 'method_not_allowed'],
          ['/no-such-path', 'not_found'],
        ] as const) {
          const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`;
          const [response = '', ...more] = await responsesTo(head, origin);
          const reply = parseReply(response);
          assertError(reply, code);
          assert.equal(reply.headers.connection, 'close');
          if (code === 'method_not_allowed') assert.match(reply.headers.allow ?? '', path === '/mcp' ? /POST/ : /GET/);
          assert.deepEqual(more, []);
          // Pipelined behind a request without a body.
          assert.equal((await responsesTo(next + head, origin)).length, 2);
        }
  });

  test('is replaced only at the start of a request', async () => {
    const { socket, closed } = rawClient(http);
    // A value of a header, and a body, that look like a request line at the start of a packet.
    for (const part of ['GET /headers HTTP/1.1\r\nHost: a\r\nX-A: one ', 'two three\r\n\r\n']) {
      socket.write(part);
      await untilQuiet(() => socket.bytesRead);
    }
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 12\r\n\r\n',
    );
    await untilQuiet(() => socket.bytesRead);
    socket.write('FOO /ip HTTP');
    const text = await closed;
    assert.match(text, /"x-a": "one two three"/i);
    assert.doesNotMatch(text, /405/);
  });

  test('is malformed without a Host, or without a target', async () => {
    for (const head of ['FOO /ip HTTP/1.1\r\n\r\n', 'FOO\r\n\r\n', 'FOO  HTTP/1.1\r\nHost: a\r\n\r\n'])
      assertError(parseReply((await responsesTo(head))[0] ?? ''), 'malformed_request');
  });
});

describe('a request target', () => {
  test('may name an empty port, and no user information', async () => {
    const get = async (target: string, host: string): Promise<number> =>
      parseReply((await responsesTo(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`))[0] ?? '')
        .status;
    assert.deepEqual(
      [
        await get('/ip', 'a:'),
        await get('/ip', '[2001:db8::1]:'),
        await get('http://a:/ip', 'a'),
        await get('/ip', ':'),
      ],
      [200, 200, 200, 400],
    );
    for (const target of ['http://user@a/ip', 'http://user:secret@a/ip', 'http://@a/ip', 'https://:@a/ip'])
      assert.equal(await get(target, 'a'), 400, target);
    assert.equal(await get('http://a/ip?at=@', 'a'), 200);
    const info = (await responsesTo('GET /json HTTP/1.1\r\nHost: a.example:\r\nConnection: close\r\n\r\n'))[0] ?? '';
    assert.match(info, /"docs": "http:\/\/a\.example\/docs"/);
  });

  test('is too long with 414, and headers with 431', async () => {
    const long = 'a'.repeat(17_000);
    for (const origin of [http, https]) {
      const next = 'GET /ip HTTP/1.1\r\nHost: a\r\n\r\n';
      for (const before of ['', next]) {
        const at = before === '' ? 0 : 1;
        const path = await responsesTo(`${before}GET /${long} HTTP/1.1\r\nHost: a\r\n\r\n`, origin);
        assertError(parseReply(path[at] ?? ''), 'uri_too_long');
        const header = await responsesTo(`${before}GET /ip HTTP/1.1\r\nHost: a\r\nX: ${long}\r\n\r\n`, origin);
        assertError(parseReply(header[at] ?? ''), 'headers_too_large');
      }
    }
  });
});

test('the link of an error of the parser names the host of the request, and no address of the machine', async () => {
  const docsOf = async (bytes: string): Promise<string> =>
    JSON.parse(parseReply((await responsesTo(bytes))[0] ?? '').body).docs;
  assert.equal(
    await docsOf('GET /ip HTTP/1.1\r\nHost: seenby.example\r\n: x\r\n\r\n'),
    'http://seenby.example/docs#errors',
  );
  assert.match(await docsOf('FOO\r\n\r\n'), /^http:\/\/localhost:\d+\/docs#errors$/);
  assert.match(await docsOf('GET /ip HTTP/1.1\r\nHost: "><a\r\n: x\r\n\r\n'), /^http:\/\/localhost:\d+\/docs#errors$/);
});

test('a client that offers only http/1.0 by ALPN is served', async () => {
  const { hostname, port } = new URL(https);
  for (const [offered, selected] of [
    [['http/1.0'], 'http/1.0'],
    [['http/1.0', 'http/1.1'], 'http/1.1'],
    [['http/1.0', 'h2'], 'h2'],
  ] as const) {
    const socket = connectTls({
      host: hostname,
      port: Number(port),
      rejectUnauthorized: false,
      ALPNProtocols: [...offered],
    });
    await once(socket, 'secureConnect');
    assert.equal(socket.alpnProtocol, selected);
    if (selected !== 'h2') {
      socket.write('GET /ip HTTP/1.0\r\n\r\n');
      const [reply] = await once(socket, 'data');
      assert.match(String(reply), /^HTTP\/1\.1 200 /);
    }
    socket.destroy();
  }
});
