/** Round-trip times of the layers, through a relay that ends TCP beside the service and delays what it passes on. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { after, before, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { hasTcpOptions } from '../../src/native/tcp.ts';
import { RoundTrip } from '../../src/resources/round-trip.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { findBun, startBun } from '../acceptance/bun.ts';
import { startNode } from '../node-service.ts';
import { skipBun } from '../quic-clients.ts';
import { startRelay } from '../relay.ts';

const timeout = 300_000;
let service: Service;
before(async () => {
  // In threads of its own, whose iterations are not those of clients and relays.
  service = await startNode({ threads: 2 });
});
after(() => service.close());

interface Visit {
  readonly host: string;
  readonly port: number;
  readonly version: 'TLSv1.2' | 'TLSv1.3';
  readonly alpn: 'h2' | 'http/1.1';
}

const certain = { rejectUnauthorized: false, servername: 'localhost' };

/** Requests the fingerprint on a connection of its own, over HTTP/2 as the second request. */
async function visit({ host, port, version, alpn }: Visit, session?: Buffer) {
  const options = { ...certain, host, port, minVersion: version, maxVersion: version, ALPNProtocols: [alpn] };
  const socket = connect({ ...options, ...(session && { session }) });
  const ticket = once(socket, 'session');
  await once(socket, 'secureConnect');
  const isResumed = socket.isSessionReused();
  const body = await (alpn === 'h2' ? requestOverHttp2(socket) : requestOverHttp1(socket));
  const [next] = isResumed ? [session] : await ticket;
  socket.destroy();
  return { roundTrip: RoundTrip.parse(JSON.parse(body).roundTrip), isResumed, session: next as Buffer };
}

async function requestOverHttp1(socket: TLSSocket): Promise<string> {
  socket.write('GET /fingerprint HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  const response = `${Buffer.concat(await socket.toArray())}`;
  return response.slice(response.indexOf('\r\n\r\n'));
}

async function requestOverHttp2(socket: TLSSocket): Promise<string> {
  const session = connectHttp2('https://localhost', { createConnection: () => socket });
  const get = async (path: string): Promise<string> =>
    `${Buffer.concat(await session.request({ ':path': path }).toArray())}`;
  await get('/ip');
  return get('/fingerprint');
}

/** While this machine is busy, values are null or too large: some of many visits have the right ones. */
const maxVisits = 200;
/** Two round trips of the longest delay take twice this time. */
const oneTripMs = 80;

/** Visits until each layer had a value of one round trip; none may be less. */
async function measure(target: Visit, delayMs: number, session?: Buffer): Promise<void> {
  const expected: Readonly<Partial<Record<string, number>>> = {
    ...(hasTcpOptions && { tcpMs: 0 }),
    tlsMs: delayMs,
    ...(target.alpn === 'h2' && { http2Ms: delayMs }),
  };
  const missing = new Set(Object.keys(expected));
  for (let each = 0; each < maxVisits && missing.size > 0; each += 1) {
    const { roundTrip, isResumed } = await visit(target, session);
    // The other thread cannot decrypt the ticket.
    if (isResumed !== (session !== undefined)) continue;
    for (const [layer, ms] of Object.entries(roundTrip)) {
      const least = expected[layer];
      if (least === undefined) assert.equal(ms, null, layer);
      if (least === undefined || ms === null) continue;
      // A timer may be early by a millisecond, in each direction.
      assert.ok(ms >= least - 2, `${layer}: ${ms} of ${delayMs} ms`);
      if (ms < least + oneTripMs) missing.delete(layer);
    }
  }
  assert.deepEqual([...missing], [], `${delayMs} ms`);
}

for (const host of ['127.0.0.1', '::1'])
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
    for (const alpn of ['http/1.1', 'h2'] as const)
      test(`${version} and ${alpn} to ${host} take the delay of a relay, full and resumed`, { timeout }, async (t) => {
        const isFirst = host === '127.0.0.1' && version === 'TLSv1.3' && alpn === 'h2';
        for (const delayMs of isFirst ? [0, 20, 40, oneTripMs] : [oneTripMs]) {
          const relay = await startRelay(host, Number(new URL(service.https ?? '').port), delayMs);
          t.after(() => relay.close());
          const target = { host, port: relay.port, version, alpn };
          const { session } = await visit(target);
          await measure(target, delayMs);
          await measure(target, delayMs, session);
        }
      });

test('has no value while the service is busy', { timeout }, async (t) => {
  const inThread = await startNode({ host: '127.0.0.1' });
  t.after(() => inThread.close());
  const relay = await startRelay('127.0.0.1', Number(new URL(inThread.https ?? '').port), 20);
  t.after(() => relay.close());
  // Of this thread, with client, relay and service.
  const busy = setInterval(() => {
    const endMs = performance.now() + 8;
    while (performance.now() < endMs);
  }, 10);
  t.after(() => clearInterval(busy));
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const { roundTrip } = await visit({ host: '127.0.0.1', port: relay.port, version, alpn: 'h2' });
    assert.deepEqual([roundTrip.tlsMs, roundTrip.http2Ms], [null, null]);
  }
});

test('of HTTP/3, shows the RTT of QUIC alone', { timeout, skip: skipBun }, async (t) => {
  const quic = await startNode({ host: '127.0.0.1', http3Port: 0 });
  t.after(() => quic.close());
  const bun = startBun(findBun() ?? assert.fail('needs Bun, which npm installs'));
  t.after(() => bun.close());
  const { roundTrip } = JSON.parse((await bun.fetch(`${quic.http3}/fingerprint`)).body);
  assert.ok(roundTrip.quicMs > 0);
  assert.deepEqual({ ...roundTrip, quicMs: null }, { tcpMs: null, tlsMs: null, http2Ms: null, quicMs: null });
});
