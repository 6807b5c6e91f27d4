/** Challenges of a certificate authority: only open ones get a response. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { readAhead, readClientHello } from '../../../src/ingress/first-bytes.ts';
import { createChallenges } from '../../../src/runtime/acme/challenges.ts';
import { type Certificate, createLocalhostCertificate } from '../../../src/runtime/certificate.ts';
import { closed } from '../../sockets.ts';

describe('HTTP-01', () => {
  const challenges = createChallenges(60_000);
  const path = '/.well-known/acme-challenge/token-1';
  const send = (target: string, method = 'GET') => challenges.httpResponse({ method, path: target });

  test('responds to an open token, and to nothing else', () => {
    assert.equal(send(path), null);
    const challenge = { type: 'http-01', token: 'token-1', keyAuthorization: 'token-1.thumbprint' } as const;
    challenges.update({ kind: 'challenge', challenge });
    const response = send(path);
    assert.deepEqual([response?.status, response?.body], [200, 'token-1.thumbprint']);
    assert.equal(response?.headers['Cache-Control'], 'no-store');
    assert.equal(send(path, 'HEAD')?.status, 200);
    for (const other of ['token-2', 'token-1/', 'TOKEN-1', '', '../acme-challenge/token-1', '%74oken-1'])
      assert.equal(send(`/.well-known/acme-challenge/${other}`), null, other);
    assert.equal(send(path, 'POST'), null);
    challenges.update({ kind: 'challenges-ended' });
    assert.equal(send(path), null);
  });
});

describe('TLS-ALPN-01', () => {
  let challenges = createChallenges(60_000);
  let certificate: Certificate;
  const openChallenge = (): void =>
    challenges.update({ kind: 'challenge', challenge: { type: 'tls-alpn-01', domain: 'localhost', certificate } });
  const passedOn: Socket[] = [];
  let server: Server;
  let port: number;
  before(async () => {
    certificate = await createLocalhostCertificate();
    openChallenge();
    server = createServer((socket) => {
      readAhead(socket, { timeoutMs: 5000, parse: readClientHello }, (reading) => {
        if ('body' in reading && challenges.takeOver(socket, reading.body)) return;
        passedOn.push(socket);
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());

  const open = (ALPNProtocols: string[], servername: string, socket?: Socket): TLSSocket => {
    const client = connectTls({
      ...(socket === undefined ? { host: '127.0.0.1', port } : { socket }),
      ALPNProtocols,
      servername,
      rejectUnauthorized: false,
    });
    client.on('error', () => {});
    return client;
  };

  test('completes the handshake with the certificate of the challenge, and closes the connection', async () => {
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const client = connectTls({
        host: '127.0.0.1',
        port,
        servername: 'LOCALHOST',
        ALPNProtocols: ['acme-tls/1'],
        rejectUnauthorized: false,
        maxVersion,
      });
      await once(client, 'secureConnect');
      assert.equal(client.alpnProtocol, 'acme-tls/1');
      assert.equal(client.getPeerX509Certificate()?.checkHost('localhost'), 'localhost');
      client.resume();
      await closed(client);
    }
  });

  // The names that Python's ipaddress derives (reverse_pointer).
  for (const [domain, name] of [
    ['192.0.2.1', '1.2.0.192.in-addr.arpa'],
    ['2001:db8::1', `1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`],
  ] as const)
    test(`responds for ${domain} to its reverse name`, async () => {
      challenges.update({ kind: 'challenge', challenge: { type: 'tls-alpn-01', domain, certificate } });
      const client = open(['acme-tls/1'], name);
      await once(client, 'secureConnect');
      assert.equal(client.alpnProtocol, 'acme-tls/1');
      client.resume();
      await closed(client);
    });

  test('also reads a ClientHello that arrives byte by byte', async () => {
    const { hello, raw } = await captureHello(['acme-tls/1']);
    const socket = connect(port, '127.0.0.1').setNoDelay();
    const received = once(socket, 'data');
    for (const byte of hello) {
      socket.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    const [record] = await received;
    // A handshake record: the ServerHello.
    assert.equal(record[0], 0x16);
    raw.destroy();
    socket.destroy();
  });

  test('closes a connection that stops during the handshake', async () => {
    challenges = createChallenges(100);
    openChallenge();
    const { hello, raw } = await captureHello(['acme-tls/1']);
    const socket = connect(port, '127.0.0.1').resume();
    socket.on('error', () => {});
    socket.write(hello);
    await closed(socket);
    raw.destroy();
  });

  test('passes on what is not a challenge, or not an open one', async () => {
    for (const [protocols, name] of [
      [['acme-tls/1', 'h2'], 'localhost'],
      [['h2', 'http/1.1'], 'localhost'],
      [['acme-tls/1'], 'other.example'],
    ] as const) {
      const before = passedOn.length;
      await closed(open([...protocols], name));
      assert.equal(passedOn.length, before + 1);
    }
    challenges.update({ kind: 'challenges-ended' });
    const before = passedOn.length;
    await closed(open(['acme-tls/1'], 'localhost'));
    assert.equal(passedOn.length, before + 1);
  });

  test('ignores a malformed ClientHello', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(40), Buffer.alloc(500, 0xff)])
      assert.equal(
        challenges.takeOver(
          connect(port, '127.0.0.1')
            .on('error', () => {})
            .destroy(),
          bytes,
        ),
        false,
      );
  });

  /** The first bytes of a client that offers these protocols. */
  async function captureHello(protocols: string[]): Promise<{ hello: Buffer; raw: Server & { destroy(): void } }> {
    const sink = createServer();
    const connected = once(sink.listen(0, '127.0.0.1'), 'connection');
    await once(sink, 'listening');
    const client = connect((sink.address() as AddressInfo).port, '127.0.0.1');
    const secured = open(protocols, 'localhost', client);
    const [socket] = (await connected) as [Socket];
    const [hello] = await once(socket, 'data');
    const destroy = (): void => {
      for (const each of [secured, client, socket]) each.destroy();
      sink.close();
    };
    return { hello, raw: Object.assign(sink, { destroy }) };
  }
});
