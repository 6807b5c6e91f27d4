/** The QUIC server, with the clients of other projects, over a network that delays and loses datagrams. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempDisposableSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { cryptoFramesIn, deriveInitialKeys, readPacket } from '../../../src/native/quic/packets.ts';
import type { QuicStream } from '../../../src/native/quic.ts';
import { createLocalhostCertificate } from '../../../src/runtime/certificate.ts';
import { AttackConnection } from '../../quic-attacker.ts';
import { bunFetch, ngtcp2, runToEnd, skipBun, skipNgtcp2, startNgtcp2 } from '../../quic-clients.ts';
import { roundsOf } from '../../random.ts';
import { until } from '../../until.ts';
import { headers, startResponder } from './responder.ts';
import { startUdpRelay } from './udp-relay.ts';

const url = 'https://localhost/';
const isAnswered = /\[:status: 200\]/;

/** Joins the CRYPTO frames of the packets with which a client began: after a Retry, those with a token. */
function helloIn(datagrams: readonly Buffer[]): { hello: Buffer; frames: number; datagrams: number } {
  const initials = datagrams.filter((bytes) => ((bytes[0] as number) & 0xf0) === 0xc0 && bytes.length >= 1200);
  const withToken = initials.filter((bytes) => readPacket(bytes)?.hasToken);
  const begun = withToken.length > 0 ? withToken : initials;
  const [first] = begun;
  assert.ok(first !== undefined, 'no Initial packet');
  const keys = deriveInitialKeys(first.subarray(6, 6 + (first[5] as number)));
  const decrypted = begun.map((bytes) => [...cryptoFramesIn(bytes, keys)]);
  const carrying = decrypted.filter((frames) => frames.length > 0);
  const joined = Buffer.alloc(16_384);
  let length = 0;
  for (const { offset, bytes } of carrying.flat()) {
    bytes.copy(joined, offset);
    length = Math.max(length, offset + bytes.length);
  }
  return { hello: joined.subarray(4, length), frames: carrying.flat().length, datagrams: carrying.length };
}

const retries = { ...bounds, maxUnvalidatedHandshakes: 0 };

describe("ngtcp2's client", { skip: skipNgtcp2 }, () => {
  test('gets a response over IPv4 and IPv6', async () => {
    await using responder = await startResponder('ok', { host: null });
    for (const [host, ip] of [
      ['127.0.0.1', '127.0.0.1'],
      ['::1', '::1'],
    ] as const) {
      assert.match((await ngtcp2(responder.port, url, [], host)).printed, isAnswered);
      assert.equal(responder.connections.at(-1)?.ip, ip);
    }
  });

  test('is told the limits of streams and idle time', async () => {
    await using responder = await startResponder('ok');
    const { printed } = await ngtcp2(responder.port, url);
    assert.match(printed, /remote transport_parameters initial_max_streams_bidi=100\n/);
    assert.match(printed, /remote transport_parameters max_idle_timeout=30000\n/);
  });

  for (const [name, changed] of [
    ['', bounds],
    [' after a Retry', retries],
  ] as const)
    test(`is observed as it is${name}: ClientHello, connection ids, parameters, address`, async () => {
      await using responder = await startResponder('ok', { bounds: changed });
      await using relay = await startUdpRelay(responder.port);
      const ids = ['--dcid=00112233445566778899aabb', '--scid=0102030405'];
      assert.match((await ngtcp2(relay.port, url, ids)).printed, isAnswered);
      const [connection] = responder.connections;
      assert.ok(connection !== undefined);
      const { hello, frames, datagrams } = helloIn(relay.fromClients);
      const { clientHello, ...observed } = connection.hello;
      assert.deepEqual(Buffer.from(clientHello), hello);
      const expected = { version: 1, destinationIdLength: 12, sourceIdLength: 5, cryptoFrames: frames, datagrams };
      assert.deepEqual(observed, expected);
      assert.deepEqual(connection.tls, { cipher: 'TLS_AES_128_GCM_SHA256', group: 'x25519', isResumed: false });
    });

  test('resumes its session on its next connection', async () => {
    await using responder = await startResponder('ok');
    using folder = mkdtempDisposableSync(join(tmpdir(), 'seenby-quic-'));
    const files = ['session', 'tp'].map((name) => `--${name}-file=${join(folder.path, name)}`);
    for (const isResumed of [false, true]) {
      assert.match((await ngtcp2(responder.port, url, [...files, '--disable-early-data'])).printed, isAnswered);
      assert.equal(responder.connections.at(-1)?.tls.isResumed, isResumed);
    }
  });

  for (const rttMs of [40, 80])
    test(`has the round-trip time of a network with ${rttMs} ms`, async () => {
      await using responder = await startResponder('ok');
      await using relay = await startUdpRelay(responder.port, { delayMs: rttMs / 2 });
      const closed = responder.nextClosed();
      const { printed } = await ngtcp2(relay.port, url, ['--nstreams=20']);
      await closed;
      const measuredMs = responder.rttsMs[0] ?? 0;
      // What the client measures: a busy machine delays datagrams further, and not the same for both.
      const ofClient = [...printed.matchAll(/latest_rtt=(\d+)/g)].map(([, ms]) => Number(ms));
      const leastMs = Math.min(...ofClient);
      const mostMs = Math.max(...ofClient);
      const isWithin = measuredMs >= rttMs && measuredMs <= mostMs * 1.5;
      assert.ok(leastMs >= rttMs && isWithin, `${measuredMs}, the client measured ${ofClient.join()}`);
    });

  test('gets every response although a tenth of the datagrams is lost, repeated or late', async () => {
    await using responder = await startResponder('x'.repeat(20_000));
    let count = 0;
    const fate = () => {
      count += 1;
      return { copies: [0, 2][count % 20] ?? 1, extraMs: count % 10 === 5 ? 30 : 0 };
    };
    await using relay = await startUdpRelay(responder.port, { delayMs: 5, fate });
    const { printed } = await ngtcp2(relay.port, url, ['--nstreams=20', '--no-http-dump']);
    assert.equal(printed.match(/HTTP stream \d+ closed with error code 256/g)?.length, 20, printed.slice(-2000));
    assert.doesNotMatch(printed, /frm rx .* RESET_STREAM/);
  });

  test('changes its keys while it is served', async () => {
    await using responder = await startResponder('x'.repeat(2_000_000));
    await using relay = await startUdpRelay(responder.port, { delayMs: 20 });
    const { printed } = await ngtcp2(relay.port, url, ['--key-update=100ms', '--nstreams=2', '--no-http-dump']);
    assert.match(printed, /HTTP stream 4 closed with error code 256/);
    // The key phase (RFC 9001 §6) of packets from the server.
    assert.match(printed, /pkt rx .* type=1RTT k=1/);
  });

  test('negotiates the version', async () => {
    await using responder = await startResponder('ok');
    await using relay = await startUdpRelay(responder.port);
    const options = ['--version=0x1a2a3a4a', '--preferred-versions=v1'];
    await ngtcp2(relay.port, url, options);
    const [negotiation] = relay.fromServer;
    // RFC 9000 §17.2.1: version 0, and the supported versions at the end.
    assert.equal(negotiation?.readUInt32BE(1), 0);
    assert.equal(negotiation?.readUInt32BE(negotiation.length - 4), 1);
  });

  test('sends a body no faster than it is read, and completely', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'seenby-quic-')), 'body');
    writeFileSync(file, Buffer.alloc(3_000_000, 'body'));
    let received = 0;
    let pausedAt = 0;
    const handle = (stream: QuicStream) => ({
      onData(bytes: Uint8Array, isLast: boolean) {
        received += bytes.length;
        if (pausedAt === 0 && received > 100_000) {
          pausedAt = received;
          stream.pause();
          setTimeout(() => {
            // One stream's window is 512 KB.
            assert.equal(received, pausedAt);
            stream.resume();
          }, 200);
        }
        if (isLast) stream.write(headers, true);
      },
    });
    await using responder = await startResponder('', { handle });
    const { printed } = await ngtcp2(responder.port, url, ['--http-method=POST', `--data=${file}`, '--no-http-dump']);
    assert.match(printed, isAnswered);
    assert.ok(pausedAt > 0 && received > 3_000_000, `${received} bytes`);
    rmSync(dirname(file), { recursive: true });
  });

  test('costs only its own connection if its handler throws', async () => {
    let isFirst = true;
    const handle = () => {
      if (!isFirst) return {};
      isFirst = false;
      throw new Error('a defect');
    };
    await using responder = await startResponder('ok', { handle });
    // H3_INTERNAL_ERROR.
    assert.match((await ngtcp2(responder.port, url)).printed, /CONNECTION_CLOSE\(0x1d\) error_code=\S*\(0x102\)/);
    assert.match((await ngtcp2(responder.port, url)).printed, isAnswered);
  });

  test('is closed when it does not read', async () => {
    // Long enough for the first packets on a machine that runs other tests as well.
    const shortly = { ...bounds, connectionCheckMs: 50, stallTimeoutMs: 2_000 };
    await using responder = await startResponder('x'.repeat(3_000_000), { bounds: shortly });
    await using relay = await startUdpRelay(responder.port, { delayMs: 5 });
    const closed = responder.nextClosed();
    const client = startNgtcp2(relay.port, url, ['--no-http-dump']);
    const ended = runToEnd(client);
    await until(() => relay.fromServer.length >= 20);
    client.kill('SIGSTOP');
    await closed;
    client.kill('SIGKILL');
    await ended;
  });

  test('gets the renewed certificate on its next connection', async () => {
    await using responder = await startResponder('ok');
    const serverBytes = async () => {
      await using relay = await startUdpRelay(responder.port);
      assert.match((await ngtcp2(relay.port, url)).printed, isAnswered);
      return relay;
    };
    await serverBytes();
    responder.endpoint.setCertificate(await createLocalhostCertificate());
    await serverBytes();
    assert.throws(() => responder.endpoint.setCertificate({ cert: 'x', key: 'y' }), /rejects the certificate/);
    await serverBytes();
  });

  test('is not served after the server was drained', async () => {
    await using responder = await startResponder('ok');
    responder.endpoint.drain();
    const { printed } = await ngtcp2(responder.port, url, ['--handshake-timeout=300ms', '--timeout=300ms']);
    assert.doesNotMatch(printed, isAnswered);
  });
});

/** Waits for the end of a handshake; returns the name of its group, or the error code. */
async function handshakeWith(port: number, offer: { protocol?: string; groups?: string }): Promise<number | 'open'> {
  const client = new AttackConnection(port, '127.0.0.1', offer);
  await until(() => {
    client.handle();
    return client.isOpen || client.isClosed;
  });
  const { closeCode } = client;
  client.close();
  return closeCode === -1 ? 'open' : closeCode;
}

describe('a handshake', { skip: process.platform === 'linux' ? false : 'needs Linux' }, () => {
  test('uses the groups of the server, if needed after a HelloRetryRequest', async () => {
    await using responder = await startResponder('ok');
    for (const groups of ['X25519MLKEM768', 'X25519', 'P-256', 'P-384', 'P-521:P-384'])
      assert.equal(await handshakeWith(responder.port, { groups }), 'open', groups);
    const used = ['X25519MLKEM768', 'x25519', 'secp256r1', 'secp384r1', 'secp384r1'];
    await until(() => responder.connections.length === used.length);
    assert.deepEqual(
      responder.connections.map(({ tls }) => tls.group),
      used,
    );
  });

  test('that fails is closed immediately, however many datagrams its ClientHello takes', async () => {
    await using responder = await startResponder('ok');
    const handshakeFailure = 0x128;
    const noApplicationProtocol = 0x178;
    assert.equal(await handshakeWith(responder.port, { groups: 'P-521' }), handshakeFailure);
    assert.equal(await handshakeWith(responder.port, { groups: 'ffdhe2048' }), handshakeFailure);
    for (const groups of ['X25519', 'X25519MLKEM768'])
      assert.equal(await handshakeWith(responder.port, { groups, protocol: 'h9' }), noApplicationProtocol, groups);
    assert.equal(responder.connections.length, 0);
  });
});

describe("Bun's fetch", { skip: skipBun }, () => {
  test('loses no request of cold bursts of 65 and 200', async () => {
    for (let round = 0; round < roundsOf(20, 0.15); round += 1)
      for (const count of [65, 200]) {
        await using responder = await startResponder('ok');
        const responses = await bunFetch(`https://127.0.0.1:${responder.port}/`, count);
        assert.deepEqual(responses, Array(count).fill([200, 'ok']), `${count} in round ${round}`);
      }
  });

  test('aborts a response, which its stream learns', async () => {
    const stopped = Promise.withResolvers<void>();
    const arrived = new AbortController();
    const handle = (stream: QuicStream) => ({
      onData() {
        stream.write(Buffer.concat([headers, Buffer.from([0, 0x44, 0x00, 1])]));
        arrived.abort();
      },
      onStopSending: () => stopped.resolve(),
    });
    await using responder = await startResponder('', { handle });
    const responses = bunFetch(`https://127.0.0.1:${responder.port}/`, 1, arrived.signal);
    await stopped.promise;
    assert.equal((await responses)[0]?.[0], 0);
  });

  test('gets a response of a megabyte', async () => {
    const body = 'abcdefghij'.repeat(100_000);
    await using responder = await startResponder(body);
    assert.deepEqual(await bunFetch(`https://127.0.0.1:${responder.port}/`, 3), Array(3).fill([200, body]));
  });

  for (const [name, changed] of [
    ['', bounds],
    [' after a Retry', retries],
  ] as const)
    test(`is observed as it is${name}, with a ClientHello in two datagrams`, async () => {
      await using responder = await startResponder('ok', { bounds: changed });
      await using relay = await startUdpRelay(responder.port);
      assert.deepEqual(await bunFetch(`https://127.0.0.1:${relay.port}/`, 1), [[200, 'ok']]);
      const { hello, frames, datagrams } = helloIn(relay.fromClients);
      const observed = responder.connections[0]?.hello;
      assert.deepEqual(Buffer.from(observed?.clientHello ?? []), hello);
      assert.equal(observed?.cryptoFrames, frames);
      assert.equal(observed?.datagrams, datagrams);
      assert.ok(datagrams >= 2);
    });

  test('is rejected by admission, and counted until it closes', async () => {
    let open = 0;
    let rejected = 0;
    let requests = 0;
    const ended = new AbortController();
    // Bun repeats the requests of a rejected connection until it is told to end.
    const endAfterBoth = () => {
      if (rejected > 0 && requests > 0) ended.abort();
    };
    const admit = () => {
      if (open === 2) {
        rejected += 1;
        endAfterBoth();
        return null;
      }
      open += 1;
      return () => {
        open -= 1;
      };
    };
    const handle = () => {
      requests += 1;
      endAfterBoth();
      return {};
    };
    const shortly = { ...bounds, connectionCheckMs: 20 };
    await using responder = await startResponder('ok', { admit, handle, bounds: shortly });
    // Bun opens four connections or so for 200 requests: how many, and how many requests each carries, depends on its time.
    const responses = await bunFetch(`https://127.0.0.1:${responder.port}/`, 200, ended.signal);
    assert.equal(responder.connections.length, 2);
    assert.ok(responses.some(([status]) => status === 0));
  });
});

test('sends unknown senders only version negotiation, with fewer bytes than it receives', async () => {
  await using responder = await startResponder('ok');
  const socket = createSocket('udp4');
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  const replies: Buffer[] = [];
  socket.on('message', (reply) => replies.push(reply));
  const packet = (bytes: readonly number[], length: number) =>
    Buffer.concat([Buffer.from(bytes), Buffer.alloc(length)]).subarray(0, length);
  const ids = [8, 1, 2, 3, 4, 5, 6, 7, 8, 0];
  const silent = [
    packet([0x40, 1, 2, 3, 4, 5, 6, 7, 8], 1200),
    packet([0xc0, 0, 0, 0, 1, ...ids, 0], 100),
    packet([0xc0, 0, 0, 0, 1, ...ids, 0], 1200),
    packet([0xe0, 0, 0, 0, 1, ...ids, 0], 1200),
    packet([0xc0, 0, 0, 0, 0, ...ids, 0], 1200),
    packet([0xc0, 1, 2, 3, 4, ...ids, 0], 1199),
    packet([0xc0], 1),
    packet([], 0),
  ];
  for (const bytes of silent) socket.send(bytes, responder.port, '127.0.0.1');
  // Answered last, so that the others have been handled.
  socket.send(packet([0xc0, 1, 2, 3, 4, ...ids, 0], 1200), responder.port, '127.0.0.1');
  await until(() => replies.length > 0);
  assert.deepEqual(
    replies.map((reply) => reply.readUInt32BE(1)),
    [0],
  );
  assert.ok((replies[0] as Buffer).length < 100);
  socket.close();
});
