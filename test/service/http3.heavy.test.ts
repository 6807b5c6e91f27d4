/** A whole service over HTTP/3: limits over several threads, what a client cannot claim, large responses, and random bytes. */
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { prefixOf } from '../../src/core/address.ts';
import type { Settings } from '../../src/core/settings.ts';
import type { App } from '../../src/http/app.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { type Bun, findBun, startBun } from '../acceptance/bun.ts';
import { http2Client } from '../acceptance/client.ts';
import { startNode } from '../node-service.ts';

const timeout = 60_000;
const program = findBun();
const skip = program === null && !process.env.CI ? 'needs Bun, which npm installs' : false;
let bun: Bun;
if (program !== null) {
  bun = startBun(program);
  after(() => bun.close());
}

const host = '127.0.0.1';

async function serve(context: TestContext, settings: Partial<Settings>, wrap?: (app: App) => App): Promise<Service> {
  const service = await startNode(settings, {}, () => {}, wrap);
  context.after(() => service.close());
  return service;
}

test('counts requests once over all threads and protocols', { timeout, skip }, async (context) => {
  const service = await serve(context, { host, http3Port: 0, threads: 2, rateLimitGeneral: 40 });
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async () => (await bun.fetch(`${service.http3}/ip`)).status),
  );
  assert.deepEqual(
    [200, 429].map((status) => statuses.filter((each) => each === status).length),
    [40, 60],
  );
  assert.equal((await http2Client(service.https ?? '').request('/ip')).status, 429);
});

test('believes no header about the client, even from the address of a trusted proxy', {
  timeout,
  skip,
}, async (context) => {
  const trust = { trustProxy: [prefixOf('127.0.0.1')], trustEdgeHeaders: ['x-edge'] as const };
  const service = await serve(context, { host, http3Port: 0, ...trust });
  const claims = { 'x-forwarded-for': '192.0.2.9', 'x-edge-http-version': '1.1', 'x-edge-quic-rtt-us': '9000000' };
  const info = JSON.parse((await bun.fetch(`${service.http3}/json`, { headers: claims })).body);
  assert.deepEqual([info.ip, info.http.protocol, info.edgeHeaders], ['127.0.0.1', 'HTTP/3', {}]);
  assert.ok(info.network.clientQuicRttMs > 0);
  assert.notEqual(info.network.clientQuicRttMs, 9_000);
  for (const [name, value] of Object.entries(claims)) assert.equal(info.headers[name], value);
});

test('sends a response of 1 MB', { timeout, skip }, async (context) => {
  const large = 'a'.repeat(1_000_000);
  const wrap =
    (app: App): App =>
    (observed, ...rest) =>
      observed.path === '/large'
        ? { status: 200, headers: { 'Content-Type': 'text/plain' }, body: large }
        : app(observed, ...rest);
  const service = await serve(context, { host, http3Port: 0 }, wrap);
  const replies = await Promise.all([1, 2, 3].map(() => bun.fetch(`${service.http3}/large`)));
  for (const { status, body } of replies) assert.ok(status === 200 && body === large);
});

test('responds to the requests that have arrived before it stops', { timeout, skip }, async (context) => {
  const held = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const wrap =
    (app: App): App =>
    async (observed, ...rest) => {
      arrived.resolve();
      await held.promise;
      return app(observed, ...rest);
    };
  const service = await startNode({ host, http3Port: 0 }, {}, () => {}, wrap);
  context.after(() => service.close());
  const pending = bun.fetch(`${service.http3}/ip`);
  await arrived.promise;
  const closed = service.close();
  held.resolve();
  assert.deepEqual([(await pending).status, await closed], [200, undefined]);
});

test('announces HTTP/3 to clients over HTTPS', { timeout, skip }, async (context) => {
  const service = await serve(context, { host, http3Port: 0 });
  const { port } = new URL(service.http3 ?? '');
  const { headers } = await http2Client(service.https ?? '').request('/ip');
  assert.equal(headers['alt-svc'], `h3=":${port}"; ma=86400`);
  assert.equal((await bun.fetch(`${service.http3}/ip`)).headers['alt-svc'], headers['alt-svc']);
  service.drain();
  assert.equal((await http2Client(service.https ?? '').request('/ip')).headers['alt-svc'], 'clear');
});
