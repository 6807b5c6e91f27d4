/** A response that Node's parser rejects is read once more, under the same bounds, from the same addresses. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { OutboundRequest } from '../../../../src/core/platform.ts';
import { createOutbound } from '../../../../src/edges/node/outbound/outbound.ts';
import { createLocalhostCertificate } from '../../../../src/runtime/certificate.ts';
import { malformedHeads } from './malformed-heads.ts';

interface Options {
  readonly request?: Partial<OutboundRequest>;
  readonly tls?: boolean;
  readonly acceptsAnyCertificate?: boolean;
}

/** Sends one request to a server that responds to each connection; counts connections and queries for its address. */
async function fetchFrom(context: TestContext, respond: (socket: Socket) => void, options: Options = {}) {
  const requests: string[] = [];
  const protocols: unknown[] = [];
  let resolved = 0;
  const accept = (socket: Socket): void => {
    socket.on('error', () => {});
    protocols.push((socket as TLSSocket).alpnProtocol);
    socket.once('data', (bytes) => {
      requests.push(bytes.toString('latin1'));
      respond(socket);
    });
  };
  const certificate = { ...(await createLocalhostCertificate()), ALPNProtocols: ['http/1.1', 'h2'] };
  const server = options.tls ? createTlsServer(certificate, accept) : createServer(accept);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const addressesOf = async () => {
    resolved += 1;
    return [{ address: '127.0.0.1', family: 4 as const }];
  };
  const outbound = createOutbound({ addressesOf, acceptsAnyCertificate: options.acceptsAnyCertificate ?? false });
  context.after(async () => {
    await outbound.end();
    server.close();
  });
  const url = `http${options.tls ? 's' : ''}://a.example:${(server.address() as AddressInfo).port}/x?y=z`;
  const headers = { accept: 'text/html', 'user-agent': 'Seenby/1.0' };
  const request = { method: 'GET', url, headers, body: null, timeoutMs: 20_000, maxBodyBytes: 0 } as const;
  const result = await outbound.fetchPublic({ ...request, ...options.request });
  return { result, requests, resolved, protocols };
}

const send = (text: string) => (socket: Socket) => void socket.end(text);
const folded = malformedHeads.folded?.head ?? '';

test('reads every malformed head over a socket', async (context) => {
  for (const [name, { head, kinds }] of Object.entries(malformedHeads)) {
    const { result } = await fetchFrom(context, send(`${head}<p>body`));
    assert.ok('status' in result, `${name}: ${JSON.stringify(result)}`);
    assert.deepEqual([...new Set(result.malformed?.map(({ kind }) => kind))].sort(), [...kinds].sort(), name);
    assert.equal(result.headers['x-last'], '1', name);
  }
});

test('sends the same request again, and resolves the host once', async (context) => {
  const { result, requests, resolved } = await fetchFrom(context, send(folded));
  assert.deepEqual('headers' in result && result.headers['x-a'], 'a; b');
  assert.equal(resolved, 1);
  const linesOf = (request = ''): string[] =>
    request
      .trim()
      .split('\r\n')
      .map((line) => line.toLowerCase())
      .sort();
  assert.equal(requests.length, 2);
  const [first, second] = requests.map(linesOf);
  const isConnection = (line: string): boolean => line.startsWith('connection:');
  assert.deepEqual(
    second?.filter((line) => !isConnection(line)),
    first?.filter((line) => !isConnection(line)),
  );
});

test('keeps repeated headers, cookies and UTF-8 as other responses have them', async (context) => {
  const lines = 'Set-Cookie: a=1\r\nX-A: é\r\nSet-Cookie: b=2\r\nX-A: 2\r\nX B: c\r\nLocation: /x\r\nLocation: /y\r\n';
  const { result } = await fetchFrom(context, send(`HTTP/1.1 302 Found\r\n${lines}\r\n`));
  assert.ok('status' in result);
  assert.deepEqual([result.status, result.setCookies, result.headers['x-a']], [302, ['a=1', 'b=2'], 'é, 2']);
  assert.deepEqual([result.headers.location, result.hasSeveralLocations], ['/x, /y', true]);
});

test('reads the final response behind informational ones, and at most eight of these', async (context) => {
  const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n';
  const { result } = await fetchFrom(context, send(hint.repeat(8) + folded));
  assert.equal('status' in result && result.status, 200);
  const malformed = hint.replace('Link', 'Li nk');
  assert.deepEqual((await fetchFrom(context, send(malformed.repeat(9) + folded))).result, { failure: 'informational' });
});

test('accepts at most 32 KB of headers', async (context) => {
  const long = (size: number): string => folded.replace('a;', 'a'.repeat(size));
  assert.ok('status' in (await fetchFrom(context, send(long(30_000)))).result);
  assert.deepEqual((await fetchFrom(context, send(long(40_000)))).result, { failure: 'too_large' });
  const endless = (socket: Socket): void => {
    const write = (): void => {
      while (!socket.destroyed && socket.write(' : x\r\n'.repeat(1000)));
    };
    socket.write('HTTP/1.1 200 OK\r\n');
    socket.on('drain', write);
    write();
  };
  assert.deepEqual((await fetchFrom(context, endless)).result, { failure: 'too_large' });
});

test('ends on time if the rest of a head does not arrive', async (context) => {
  const begin = (socket: Socket): void => void socket.write('HTTP/1.1 200 OK\r\nX A: a\r\n');
  const { result, requests } = await fetchFrom(context, begin, { request: { timeoutMs: 500 } });
  assert.deepEqual([result, requests.length], [{ failure: 'timeout' }, 2]);
});

test('does not read the body', async (context) => {
  let sent = 0;
  const respond = (socket: Socket): void => {
    socket.write(folded);
    // As much as the client takes, until it closes the connection.
    const write = (): void => {
      while (!socket.destroyed && socket.write('x'.repeat(65_536))) sent += 65_536;
    };
    socket.on('drain', write);
    write();
  };
  const { result } = await fetchFrom(context, respond);
  assert.ok('status' in result);
  // What the buffers of the kernel hold.
  assert.ok(sent < 64 * 1024 * 1024, `${sent} octets`);
});

test('does not read a malformed response whose body a lookup needs', async (context) => {
  const { result, requests } = await fetchFrom(context, send(folded), { request: { maxBodyBytes: 1000 } });
  assert.deepEqual([result, requests.length], [{ failure: 'malformed' }, 1]);
});

test('reports what is no response of HTTP/1.1', async (context) => {
  for (const text of ['<p>hello', 'SSH-2.0-OpenSSH_9.9\r\n', 'HTTP/1.1 OK\r\n\r\n'])
    assert.deepEqual((await fetchFrom(context, send(text))).result, { failure: 'malformed' }, text);
});

test('checks the certificate again', async (context) => {
  const tls = { tls: true };
  assert.deepEqual((await fetchFrom(context, send(folded), tls)).result, { failure: 'certificate' });
  const { result, protocols } = await fetchFrom(context, send(folded), { ...tls, acceptsAnyCertificate: true });
  assert.equal('status' in result && result.status, 200);
  assert.deepEqual(protocols, ['http/1.1', 'http/1.1']);
});
