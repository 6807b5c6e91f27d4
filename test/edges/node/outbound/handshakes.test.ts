/** Handshakes with servers of this process; `handshakes-laboratory.heavy.test.ts` compares what they show with OpenSSL's programs. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { generate } from 'selfsigned';
import { createHandshakes } from '../../../../src/edges/node/outbound/handshakes.ts';
import type { HostAddress, HostAddresses } from '../../../../src/edges/node/outbound/public-lookup.ts';

const { private: key, cert } = await generate([{ name: 'commonName', value: 'a.test' }], {
  algorithm: 'sha256',
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'a.test' }] }],
});

const listen = async (context: TestContext, server: Server): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => server.close());
  return (server.address() as AddressInfo).port;
};

const serve = async (context: TestContext, options: TlsOptions = {}) => {
  const server = createTlsServer({ key, cert, ...options });
  return { server, port: await listen(context, server) };
};

/** The family decides how many are used, not where they lead. */
const addressesOf = (count: number, family: 4 | 6 = 4): readonly HostAddress[] =>
  Array.from({ length: count }, () => ({ address: '127.0.0.1', family }));

const openHandshakes = (addresses: readonly HostAddress[], found: Partial<HostAddresses> = {}) =>
  createHandshakes({
    allAddressesOf: async () => ({ addresses, unknownVersions: [], omitted: 0, ...found }),
    ca: [],
    waitForTurn: async () => {},
    watch: () => {},
  });

const request = (port: number, timeoutMs = 5_000) => ({ host: 'a.test', port, timeoutMs });

/** What handshakes with one address found. */
async function handshakeWith(port: number, timeoutMs?: number) {
  const found = await openHandshakes(addressesOf(1)).handshakes(request(port, timeoutMs));
  if ('failure' in found) assert.fail(found.failure);
  const [handshake] = found.handshakes;
  return { handshake: handshake ?? assert.fail(), old: found.oldVersions };
}

test('reports what was negotiated, completes the handshake and sends no data', async (context) => {
  const { server, port } = await serve(context, { ALPNProtocols: ['http/1.1'], minVersion: 'TLSv1.2' });
  const ended = new Promise((resolve) => {
    server.on('secureConnection', async (socket) => {
      const { length } = Buffer.concat(await socket.toArray());
      resolve([socket.servername, length]);
    });
  });
  const { handshake, old } = await handshakeWith(port);
  const { outcome, protocol, cipher, alpn, peer } = handshake;
  assert.deepEqual([outcome, protocol, cipher, alpn], ['ok', 'TLSv1.3', 'TLS_AES_256_GCM_SHA384', 'http/1.1']);
  assert.deepEqual([peer?.matchedName, peer?.verifyError, peer?.root], ['a.test', 'self-signed certificate', null]);
  assert.deepEqual([old?.outcome, old?.detail, old?.peer], ['alert', 'protocol_version', null]);
  assert.deepEqual(await ended, ['a.test', 0]);
});

test('names the group of a hybrid key exchange', async (context) => {
  const { port } = await serve(context, { ecdhCurve: 'X25519MLKEM768' });
  assert.equal((await handshakeWith(port)).handshake.group, 'X25519MLKEM768');
});

test('tells an old version from one that is only offered', async (context) => {
  const { port } = await serve(context, { minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' });
  const { handshake, old } = await handshakeWith(port);
  assert.deepEqual([handshake.protocol, old?.outcome, old?.protocol], ['TLSv1.3', 'ok', 'TLSv1.1']);
  const { port: onlyOld } = await serve(context, {
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1',
    ciphers: 'DEFAULT:@SECLEVEL=0',
  });
  const first = await handshakeWith(onlyOld);
  assert.equal(first.handshake.protocol, 'TLSv1');
  assert.equal(first.old, first.handshake);
});

test('a server that is silent, refuses, closes or speaks another protocol has an outcome of its own', async (context) => {
  const portOf = (respond: string | null | undefined) => {
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .once('data', () => {
          if (respond === null) socket.destroy();
          else if (respond !== undefined) socket.end(respond);
        });
      context.after(() => socket.destroy());
    });
    return listen(context, server);
  };
  const outcomeOf = async (port: number, timeoutMs?: number) => {
    const { outcome, detail } = (await handshakeWith(port, timeoutMs)).handshake;
    return [outcome, detail];
  };
  assert.deepEqual(await outcomeOf(await portOf(undefined), 200), ['timeout', 'connected, but no handshake']);
  assert.deepEqual(await outcomeOf(await portOf(null)), ['closed', null]);
  assert.deepEqual(await outcomeOf(await portOf('HTTP/1.1 400 Bad Request\r\n\r\n')), ['no_tls', null]);
  assert.deepEqual(await outcomeOf(await portOf('220 mail.example ESMTP\r\n')), ['no_tls', null]);
  assert.deepEqual(await outcomeOf(await portOf('\x15\x03\x03\x00\x02\x02\x78')), ['alert', 'no_application_protocol']);
  const closing = createServer();
  const free = await listen(context, closing);
  await new Promise((resolve) => closing.close(resolve));
  assert.deepEqual(await outcomeOf(free), ['refused', null]);
});

test('uses at most four addresses of each IP version, and then no further handshake', async (context) => {
  const { server, port } = await serve(context);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  const many = [...addressesOf(7), ...addressesOf(6, 6)];
  const { handshakes } = openHandshakes(many, { omitted: 3, unknownVersions: [6] });
  const found = await handshakes(request(port));
  if ('failure' in found) assert.fail(found.failure);
  assert.deepEqual(
    [found.handshakes.length, found.omitted, found.unknownVersions, found.oldVersions, connections],
    [8, 8, [6], null, 8],
  );
});

test('counts each connection, and says which were not made', async (context) => {
  const { port } = await serve(context);
  let left = 3;
  const found = await openHandshakes(addressesOf(4)).handshakes(request(port), async (run) => {
    left -= 1;
    return left < 0 ? { failure: 'overloaded' } : run();
  });
  if ('failure' in found) assert.fail(found.failure);
  assert.deepEqual(
    found.handshakes.map(({ outcome }) => outcome),
    ['ok', 'ok', 'overloaded', 'overloaded'],
  );
  const rejected = await openHandshakes(addressesOf(1)).handshakes(request(port), async () => ({
    failure: 'overloaded',
  }));
  assert.deepEqual(rejected, { failure: 'overloaded' });
});

test('ends with the service', async (context) => {
  const server = createServer((socket) => socket.on('error', () => {}));
  const port = await listen(context, server);
  const { handshakes, end } = openHandshakes(addressesOf(1));
  const pending = handshakes(request(port, 600_000));
  const [socket] = await once(server, 'connection');
  end();
  const found = await pending;
  assert.ok('handshakes' in found && found.handshakes[0]?.outcome === 'failed');
  await once(socket, 'close');
});
