/** A service that stops loses no request of busy clients. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as requestHttp } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { initialWindowSize, windowUpdateFrame } from '../abuse/http2-attacker.ts';
import { settingsFrame } from '../client/fingerprint/http2-frames.ts';
import { startNode } from '../node-service.ts';
import { until, untilQuiet } from '../until.ts';
import { rawClient } from './raw-client.ts';
import { connectRawHttp2, fingerprintRequest, prefaceBytes, requestFrame } from './raw-http2.ts';
import { serve } from './serve.ts';

/** Long enough for a request on loopback, on a machine that runs other tests as well. */
const bounds = { closeGraceMs: 2_000, closeTimeoutMs: 30_000 };
const clientCount = 15;

interface Outcome {
  served: number;
  lost: string[];
}

/** Sends requests one after the other on one connection until the service closes it or asks for its end. */
async function http1Busy(origin: string, outcome: Outcome): Promise<void> {
  const secure = origin.startsWith('https:');
  const agent = secure
    ? new SecureAgent({ keepAlive: true, maxSockets: 1 })
    : new Agent({ keepAlive: true, maxSockets: 1 });
  const send = secure ? requestHttps : requestHttp;
  for (let isOpen = true; isOpen; ) {
    isOpen = await new Promise<boolean>((resolve) => {
      const request = send(`${origin}/ip`, { agent, rejectUnauthorized: false }, (response) => {
        response.resume().once('end', () => {
          outcome.served += 1;
          resolve(response.headers.connection !== 'close');
        });
      });
      request.once('error', (error: NodeJS.ErrnoException) => {
        outcome.lost.push(`${error.code}`);
        resolve(false);
      });
      request.end();
    });
  }
  agent.destroy();
}

/** The same over HTTP/2, until GOAWAY. A refused stream was not handled, so that a client may repeat it (RFC 9113 §8.7). */
async function http2Busy(origin: string, outcome: Outcome): Promise<void> {
  const session = connectHttp2(origin, { rejectUnauthorized: false });
  session.on('error', () => {});
  await once(session, 'connect');
  const isOpen = (): boolean => !session.closed && !session.destroyed;
  while (isOpen()) {
    await new Promise<void>((resolve) => {
      const stream = session.request({ ':path': '/ip' });
      let status: unknown;
      stream.once('response', (headers) => {
        status = headers[':status'];
      });
      stream.on('error', () => {}).resume();
      stream.once('close', () => {
        if (status === 200) outcome.served += 1;
        else if (stream.rstCode !== 7) outcome.lost.push(`stream ${stream.rstCode}`);
        resolve();
      });
    });
  }
  session.destroy();
}

for (const [name, urlOf, busy] of [
  ['HTTP/1.1', 'http', http1Busy],
  ['HTTP/1.1 over TLS', 'https', http1Busy],
  ['HTTP/2', 'https', http2Busy],
] as const)
  test(`loses no request of ${clientCount} busy clients over ${name}`, async () => {
    const service = await startNode({ host: '127.0.0.1' }, bounds);
    const outcome: Outcome = { served: 0, lost: [] };
    const clients = Array.from({ length: clientCount }, () => busy(`${service[urlOf]}`, outcome));
    await until(() => outcome.served >= 20 * clientCount);
    const before = outcome.served;
    await Promise.all([service.close(), ...clients]);
    assert.deepEqual(outcome.lost, []);
    assert.ok(outcome.served > before);
  });

test('sends GOAWAY immediately, and finishes the streams in progress', async (context) => {
  const resolver = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  context.after(() => resolver.close());
  await once(resolver, 'listening');
  const dohUrl = [`http://127.0.0.1:${(resolver.address() as AddressInfo).port}/dns-query`];
  const service = await startNode({ host: '127.0.0.1', dohUrl }, { closeGraceMs: 20 });
  const session = connectHttp2(`${service.https}`, { rejectUnauthorized: false });
  const stream = session.request({ ':path': '/mcp', ':method': 'POST', 'content-type': 'application/json' });
  const params = { name: 'dns_lookup', arguments: { name: 'example.com' } };
  stream.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  const [lookup] = await once(resolver, 'connection');
  const closed = service.close();
  const [code] = await once(session, 'goaway');
  assert.equal(code, 0);
  assert.equal(stream.closed, false);
  lookup.destroy();
  const [headers] = await once(stream, 'response');
  assert.equal(headers[':status'], 200);
  assert.match(Buffer.concat(await stream.toArray()).toString(), /No DNS resolver/);
  await closed;
});

test('closes idle and silent connections after the grace period, and the rest after the timeout', async () => {
  // So far from each other that a busy machine does not mix them up.
  const timeouts = { closeGraceMs: 100, closeTimeoutMs: 3_000 };
  const service = await startNode({ host: '127.0.0.1' }, timeouts);
  const idle = rawClient(`${service.http}`, 'GET /ip HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(idle.socket, 'data');
  const silent = rawClient(`${service.https}`.replace('https:', 'http:'));
  const stuck = rawClient(`${service.http}`, 'GET /ip HTTP/1.1\r\nHost: a\r\n');
  await Promise.all([once(silent.socket, 'connect'), once(stuck.socket, 'connect')]);
  // The server has read what they sent.
  await untilQuiet();
  const began = performance.now();
  const closed = service.close();
  let hasTimedOut = false;
  stuck.closed.then(() => {
    hasTimedOut = true;
  });
  await Promise.all([idle.closed, silent.closed]);
  const afterGraceMs = performance.now() - began;
  assert.equal(hasTimedOut, false);
  await Promise.all([stuck.closed, closed]);
  const afterTimeoutMs = performance.now() - began;
  assert.ok(afterGraceMs >= timeouts.closeGraceMs - 10, `${afterGraceMs}`);
  assert.ok(afterTimeoutMs >= timeouts.closeTimeoutMs - 50, `${afterTimeoutMs}`);
});

test('waits for no client that stays connected after its last response', { timeout: 60_000 }, async (context) => {
  // Longer than the test may take.
  const never = { closeTimeoutMs: 600_000, idleTimeoutMs: 600_000 };
  const service = await startNode({ host: '127.0.0.1' }, { ...never, closeGraceMs: 20 });
  const client = await connectRawHttp2(`${service.https}`, { allowHalfOpen: true });
  context.after(() => client.socket.destroy());
  client.socket.write(Buffer.concat([prefaceBytes, settingsFrame(), requestFrame(fingerprintRequest)]));
  assert.match(await client.body(), /"raw"/);
  const ended = once(client.socket, 'end');
  await Promise.all([service.close(), ended]);
});

test('does not cut off a client that reads its response later than the service has written it', async (context) => {
  const body = 'x'.repeat(400_000);
  const sent = Promise.withResolvers<void>();
  const never = { closeTimeoutMs: 600_000, idleTimeoutMs: 600_000 };
  const { httpsPort, ingress, connections } = await serve(
    context,
    (exchange) => {
      exchange.respond({ status: 200, headers: {}, body });
      sent.resolve();
    },
    { bounds: { ...never, closeGraceMs: 20 } },
  );
  const windowBytes = 1_000_000;
  const client = await connectRawHttp2(`https://127.0.0.1:${httpsPort}`);
  client.socket.pause();
  const settings = settingsFrame([initialWindowSize, windowBytes]);
  client.socket.write(
    Buffer.concat([prefaceBytes, settings, windowUpdateFrame(0, windowBytes), requestFrame(fingerprintRequest)]),
  );
  await sent.promise;
  const closed = ingress.close();
  await until(() => connections[0]?.tlsSocket?.writableFinished);
  // Many times the grace period.
  await delay(500);
  // What clients send while they read would be answered by a reset.
  client.socket.write(windowUpdateFrame(0, 1));
  client.socket.resume();
  assert.equal((await client.body()).length, body.length);
  await closed;
});
