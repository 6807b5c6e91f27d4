/** The reader of HTTP/2 connection prefaces: every way to cut one, clients that wait, and bytes that are none. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { after, before, describe, test } from 'node:test';
import * as fc from 'fast-check';
import { readHttp2Preface } from '../../src/ingress/first-bytes.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { http1Client, http2Client } from '../acceptance/client.ts';
import { frame, priorityFrame, settingsFrame, windowUpdateFrame } from '../client/fingerprint/http2-frames.ts';
import { startNode } from '../node-service.ts';
import { checkConcurrently, mutationOf } from '../random.ts';
import { closed } from '../sockets.ts';
import {
  connectRawHttp2,
  fingerprintOf,
  fingerprintRequest,
  plainOpening,
  prefaceBytes,
  requestFrame,
} from './raw-http2.ts';

const opening = Buffer.concat([
  prefaceBytes,
  settingsFrame([0x3a4a, 5], [4, 65535], [3, 100]),
  windowUpdateFrame(1_000_000),
  priorityFrame({ streamId: 3, exclusive: false, dependsOn: 0, weight: 201 }),
]);
const request = requestFrame(fingerprintRequest, '80000003ff');
const expectedText = '14922:5;4:65535;3:100|1000000|3:0:0:201|m,s,a,p';

let service: Service;
let https: string;
before(async () => {
  service = await startNode({ host: '127.0.0.1', maxConnectionsPerAddress: 0 }, { helloTimeoutMs: 1000 });
  https = service.https ?? '';
});
after(() => service.close());

test('needs more bytes until the priority of the first HEADERS frame arrives', () => {
  const bytes = Buffer.concat([opening, request]);
  const end = opening.length + 9 + 6;
  for (let length = 0; length < bytes.length; length += 1) {
    const reading = readHttp2Preface(bytes.subarray(0, length), false);
    if (length >= end) assert.deepEqual(reading, new Uint8Array(bytes.subarray(prefaceBytes.length, end)));
    else {
      assert.ok(typeof reading === 'number' && reading > length && reading <= end, `${length}`);
      const frames = readHttp2Preface(bytes.subarray(0, length), true);
      assert.equal(frames instanceof Uint8Array, length >= prefaceBytes.length + 9 + 18, `${length}`);
    }
  }
});

test('rejects other bytes as a preface, and stops at 4 KB', () => {
  for (const other of ['GET / HTTP/1.1', 'PRI * HTTP/1.0', `${prefaceBytes}\0\0\0\x08\0\0\0\0\0`]) {
    assert.equal(readHttp2Preface(Buffer.from(other, 'latin1'), false), null);
  }
  const endless = Buffer.concat([plainOpening, ...Array.from({ length: 1000 }, () => windowUpdateFrame(1))]);
  const frames = readHttp2Preface(endless, false);
  assert.ok(frames instanceof Uint8Array);
  const end = prefaceBytes.length + frames.length;
  assert.ok(end <= 4096 && end > 4000, `${end}`);
  const claimed = Buffer.concat([plainOpening, Buffer.from('ffffff0700', 'hex'), Buffer.alloc(4)]);
  assert.deepEqual(readHttp2Preface(claimed, false), new Uint8Array(plainOpening.subarray(prefaceBytes.length)));
});

describe('a client gets the same fingerprint if its opening comes', () => {
  const cuts: Readonly<Record<string, readonly Buffer[]>> = {
    'in one piece': [Buffer.concat([opening, request])],
    'frame by frame': [opening.subarray(0, 24), opening.subarray(24, 51), opening.subarray(51), request],
    'in two reads': [opening, request],
    'byte by byte': [...Buffer.concat([opening, request])].map((byte) => Buffer.from([byte])),
  };
  for (const [name, pieces] of Object.entries(cuts)) {
    test(name, async () => {
      const patient = await startNode({ host: '127.0.0.1' }, { prefaceGraceMs: 5000 });
      const { akamai, http } = await fingerprintOf(patient.https ?? '', pieces);
      assert.equal(akamai.text, expectedText);
      assert.deepEqual(http.headersPriority, { weight: 256, exclusive: true, dependsOn: 3 });
      assert.deepEqual(http.settings[0], { id: 0x3a4a, name: null, value: 5 });
      assert.deepEqual(http.headerOrder, ['user-agent']);
      assert.deepEqual(
        http.headers.map(([name]: [string]) => name),
        ['user-agent'],
      );
      assert.deepEqual(
        http.frames.map(({ name }: { name: string }) => name),
        ['SETTINGS', 'WINDOW_UPDATE', 'PRIORITY', 'HEADERS'],
      );
      await patient.close();
    });
  }
});

test('does not delay a client that waits for the SETTINGS of the server', async () => {
  const client = await connectRawHttp2(https);
  client.socket.write(opening);
  // Without the grace period, the service closes the connection when the time for the preface is over.
  await client.frameOf(4);
  client.socket.write(request);
  const { akamai, http } = JSON.parse(await client.body());
  assert.equal(akamai.text, expectedText);
  assert.equal(http.headersPriority, null);
  client.socket.destroy();
});

test('reports no HTTP/2 over HTTP/1.1, but names as they were sent', async () => {
  const { socket, body } = await connectHttp1(https);
  socket.write(
    'GET /fingerprint HTTP/1.1\r\nHOST: localhost\r\nx-b: 1\r\nX-A: 2\r\nx-B: 3\r\nConnection: close\r\n\r\n',
  );
  const { akamai, http, ja4 } = JSON.parse((await body()).split('\r\n\r\n')[1] ?? '');
  assert.deepEqual(akamai, { hash: null, text: null });
  assert.deepEqual(http.headerOrder, ['HOST', 'x-b', 'X-A', 'x-B', 'Connection']);
  assert.deepEqual(http.headers.slice(1, 4), [
    ['x-b', '1'],
    ['X-A', '2'],
    ['x-B', '3'],
  ]);
  assert.equal(http.frames, null);
  assert.deepEqual([http.settings, http.pseudoHeaderOrder], [null, null]);
  assert.match(ja4, /^t13/);
});

async function connectHttp1(origin: string) {
  const { socket } = await connectRawHttp2(origin, { ALPNProtocols: ['http/1.1'] });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return {
    socket,
    async body(): Promise<string> {
      await closed(socket);
      return Buffer.concat(chunks).toString();
    },
  };
}

test('passes on a body of 8 MB that is sent in one piece', async () => {
  const session = connectHttp2(https, { rejectUnauthorized: false });
  const stream = session.request({ ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json' });
  stream.on('error', () => {});
  stream.end(Buffer.alloc(8_000_000, 0x20));
  const [headers] = await once(stream, 'response');
  assert.equal(headers[':status'], 413);
  stream.resume();
  const next = session.request({ ':path': '/ip' });
  assert.equal((await once(next, 'response'))[0][':status'], 200);
  session.destroy();
});

test('closes a client that ends its side, or is silent, within its opening', async () => {
  const starts = [0, 10, 24, 40].map((length) => opening.subarray(0, length));
  await Promise.all(
    starts.flatMap((start) =>
      [true, false].map(async (ends) => {
        const { socket } = await connectRawHttp2(https);
        if (ends) socket.end(start);
        else socket.write(start);
        await closed(socket);
      }),
    ),
  );
});

test('marks a resumed session, which keeps the part of JA4 that names the cipher suites', async () => {
  const first = await connectRawHttp2(https);
  const ticket = once(first.socket, 'session');
  first.socket.write(Buffer.concat([opening, request]));
  const [whole, [session]] = [JSON.parse(await first.body()), await ticket];
  first.socket.destroy();
  const resumed = await fingerprintOf(https, [Buffer.concat([opening, request])], { session });
  assert.deepEqual([whole.tls.preSharedKey, resumed.tls.preSharedKey], [false, true]);
  assert.equal(resumed.tls.extensions.at(-1).name, 'pre_shared_key');
  assert.notEqual(resumed.ja4, whole.ja4);
  assert.equal(resumed.ja4.split('_')[1], whole.ja4.split('_')[1]);
  assert.equal(resumed.akamai.hash, whole.akamai.hash);
});

test('serves a client whose ClientHello is above 16 KB, without a TLS fingerprint', async () => {
  const ALPNProtocols = ['h2', ...Array.from({ length: 80 }, (_, n) => `${n}`.padEnd(250, 'x'))];
  const { ja3, ja4, tls, akamai } = await fingerprintOf(https, [Buffer.concat([opening, request])], { ALPNProtocols });
  assert.deepEqual([ja3, ja4, tls.cipherSuites], [{ hash: null, text: null }, null, null]);
  assert.equal(akamai.text, expectedText);
});

test('shows a ClientHello below 16 KB whole', async () => {
  const ALPNProtocols = ['h2', ...Array.from({ length: 50 }, (_, n) => `${n}`.padEnd(250, 'x'))];
  const { tls } = await fingerprintOf(https, [Buffer.concat([opening, request])], { ALPNProtocols });
  assert.deepEqual(tls.alpn, ALPNProtocols);
});

test('survives mutated openings', async (t) => {
  // With the usual timeout: a busy machine may take longer than one second to start a handshake.
  const service = await startNode({ host: '127.0.0.1', maxConnectionsPerAddress: 0 });
  t.after(() => service.close());
  const https = service.https ?? '';
  const inserted = fc.record({
    type: fc.nat(11),
    flags: fc.nat(255),
    stream: fc.nat(3),
    bytes: fc.nat(299),
  });
  const mutation = fc.record({
    start: mutationOf([Buffer.concat([opening, request])]),
    end: fc.option(inserted, { freq: 3 }),
  });
  let { session } = await sessionOf(https);
  const send = async ({
    start,
    end,
  }: {
    start: Buffer;
    end: { type: number; flags: number; stream: number; bytes: number } | null;
  }) => {
    const client = await connectRawHttp2(https, session === undefined ? {} : { session });
    client.socket.once('session', (ticket: Buffer) => {
      session = ticket;
    });
    const last = end === null ? [] : [frame(end.type, end.flags, end.stream, Buffer.alloc(end.bytes))];
    client.socket.end(Buffer.concat([start, ...last]));
    await closed(client.socket);
  };
  await checkConcurrently(1500, mutation, send, async () => {
    assert.equal((await http2Client(https).request('/ip')).status, 200);
    assert.equal((await http1Client(https).request('/ip')).status, 200);
  });
});

/** A session ticket, so that further handshakes are cheap. */
async function sessionOf(origin: string): Promise<{ session: Buffer | undefined }> {
  const { socket } = await connectRawHttp2(origin);
  const [session] = await once(socket, 'session');
  socket.destroy();
  return { session };
}
