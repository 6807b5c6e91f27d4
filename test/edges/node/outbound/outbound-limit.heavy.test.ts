/** Outbound requests are limited process-wide, whichever lookup sends them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { prefixOf } from '../../../../src/core/address.ts';
import type { OutboundRequest, OutboundResult } from '../../../../src/core/platform.ts';
import { createOpenCounts } from '../../../../src/edges/node/limits/counters.ts';
import { allocateTable } from '../../../../src/edges/node/limits/shared-table.ts';
import { limitOutbound } from '../../../../src/edges/node/outbound/outbound-limit.ts';
import { createIdentify } from '../../../../src/ingress/limits/identity.ts';
import { http1Client } from '../../../acceptance/client.ts';
import { assertError } from '../../../acceptance/suite.ts';
import { startNode } from '../../../node-service.ts';

const request: OutboundRequest = {
  method: 'GET',
  url: 'https://example.com/',
  headers: {},
  body: null,
  timeoutMs: 1000,
  maxBodyBytes: 0,
};
const limitsOf = (max: number) => ({
  max,
  totals: createOpenCounts(allocateTable(1, 1), 1, 1),
  clients: createOpenCounts(allocateTable(1024, 1), 1, 1),
  identify: createIdentify('secret'),
});
const overloaded = { failure: 'overloaded' } as const;

/** A resolver over HTTP that never responds. `hanging` returns the connection of the next query. */
async function startHangingResolver(context: TestContext) {
  const resolver = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(resolver, 'listening');
  context.after(() => resolver.close());
  return {
    dohUrl: [`http://127.0.0.1:${(resolver.address() as AddressInfo).port}/dns-query`],
    async hanging(): Promise<Socket> {
      const [socket] = (await once(resolver, 'connection')) as [Socket];
      context.after(() => socket.destroy());
      return socket;
    },
  };
}

function hangingOutbound() {
  const hanging: PromiseWithResolvers<OutboundResult>[] = [];
  const send = () => {
    const pending = Promise.withResolvers<OutboundResult>();
    hanging.push(pending);
    return pending.promise;
  };
  const handshakes = async () => ({ failure: 'unreachable' }) as const;
  return { hanging, outbound: { fetch: send, fetchPublic: send, handshakes, connectBack: null } };
}

test('rejects requests above the limit, unsent, and accepts new ones as soon as one ends, whatever its result', async () => {
  const { hanging, outbound } = hangingOutbound();
  const failures: string[] = [];
  const limit = limitOutbound(outbound, limitsOf(2), (failure) => failures.push(failure));
  const first = limit.fetch(request);
  const second = limit.fetchPublic(request);
  for (const send of [limit.fetch, limit.fetchPublic]) assert.deepEqual(await send(request), overloaded);
  assert.deepEqual([hanging.length, failures, limit.active()], [2, ['overloaded', 'overloaded'], 2]);

  hanging[0]?.resolve({ failure: 'timeout' });
  hanging[1]?.reject(new Error('unexpected'));
  assert.deepEqual(await first, { failure: 'timeout' });
  await assert.rejects(second);
  assert.equal(limit.active(), 0);

  const third = limit.fetchPublic(request);
  hanging[2]?.resolve({ failure: 'unreachable' });
  assert.deepEqual(await third, { failure: 'unreachable' });
});

for (const [address, sameNetwork, other] of [
  ['192.0.2.1', (at: number) => `192.0.2.${at}`, '198.51.100.1'],
  ['2001:db8::1', (at: number) => `2001:db8:0:${at}::1`, '2001:db8:1::1'],
] as const)
  test(`one address has a tenth of the limit, and one network a quarter: ${address}`, async () => {
    const { hanging, outbound } = hangingOutbound();
    const { fetchPublic } = limitOutbound(outbound, limitsOf(100), () => {});
    const isSent = (client: string): boolean => {
      const before = hanging.length;
      fetchPublic({ ...request, client });
      return hanging.length > before;
    };
    const sent = Array.from({ length: 12 }, () => isSent(address)).filter(Boolean).length;
    assert.equal(sent, 10);
    assert.equal(Array.from({ length: 20 }, (_, at) => isSent(sameNetwork(at + 10))).filter(Boolean).length, 15);
    assert.equal(isSent(other), true);
    hanging[0]?.resolve({ failure: 'timeout' });
    await hanging[0]?.promise;
    await new Promise(setImmediate);
    assert.equal(isSent(address), true);
  });

for (const [address, sameNetwork, other] of [
  ['198.51.100.1', (at: number) => `198.51.100.${at}`, '203.0.113.1'],
  ['2001:db8:7::1', (at: number) => `2001:db8:7:${at}::1`, '2001:db8:8::1'],
] as const)
  test(`lookups that hang use up the share of their address and network, and not that of others: ${address}`, async (context) => {
    const { dohUrl, hanging } = await startHangingResolver(context);
    const settings = { host: '127.0.0.1', dohUrl, maxOutbound: 40, trustProxy: [prefixOf('127.0.0.1')] };
    const service = await startNode(settings);
    context.after(() => service.close());
    const client = http1Client(`${service.http}`);
    const lookUp = (from: string) =>
      client.request('/api/dns?name=example.com', { headers: { 'x-forwarded-for': from } });
    const pending: Promise<unknown>[] = [];
    const hang = async (from: string): Promise<void> => {
      const arrived = hanging();
      pending.push(lookUp(from).catch(() => {}));
      await arrived;
    };
    for (let each = 0; each < 4; each += 1) await hang(address);
    assertError(await lookUp(address), 'overloaded');
    for (let each = 0; each < 6; each += 1) await hang(sameNetwork(10 + each));
    assertError(await lookUp(sameNetwork(20)), 'overloaded');
    await hang(other);
  });

test('one address has at least four requests', async () => {
  const { hanging, outbound } = hangingOutbound();
  const { fetchPublic } = limitOutbound(outbound, limitsOf(10), () => {});
  for (let each = 0; each < 6; each += 1) fetchPublic({ ...request, client: '192.0.2.1' });
  assert.equal(hanging.length, 4);
});

test('has no limit if that is 0', async () => {
  const { hanging, outbound } = hangingOutbound();
  const limit = limitOutbound(outbound, limitsOf(0), (failure) => assert.equal(failure, 'timeout'));
  const sent = Array.from({ length: 1000 }, () => limit.fetchPublic(request));
  assert.equal(limit.active(), 1000);
  for (const { resolve } of hanging) resolve({ failure: 'timeout' });
  await Promise.all(sent);
});

test('a lookup that hangs occupies the limit, and the others learn when to try again', async (context) => {
  const { dohUrl, hanging: arrival } = await startHangingResolver(context);
  const lines: string[] = [];
  const settings = { host: '127.0.0.1', dohUrl, maxOutbound: 1, metricsPort: 0 };
  const service = await startNode(settings, {}, (line) => lines.push(line));
  context.after(() => service.close());
  const lookUp = () => {
    const call = { name: 'dns_lookup', arguments: { name: 'example.com' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    return http1Client(`${service.http}`).request('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  };
  const arrived = arrival();
  const hanging = lookUp().catch(() => {});
  const socket = await arrived;

  const { status, body } = await lookUp();
  const { isError, content } = JSON.parse(body).result;
  assert.deepEqual([status, isError], [200, true]);
  assert.match(content[0].text, /try again in 5 seconds/);
  const rejected = await http1Client(`${service.http}`).request('/api/headers-check?url=https://example.com/');
  assertError(rejected, 'overloaded');
  assert.deepEqual([rejected.status, rejected.headers['retry-after']], [503, '5']);

  const metrics = await http1Client(`${service.metrics}`.replace('/metrics', '')).request('/metrics');
  assert.match(metrics.body, /^seenby_outbound_requests 1$/m);
  assert.deepEqual(lines, ['rejecting lookups: too many outbound requests or open files; MAX_OUTBOUND is 1']);
  assert.match(metrics.body, /^seenby_rejections_total\{reason="outbound"\} 2$/m);
  socket.destroy();
  await hanging;
});

test('a server that sends one byte per second costs a lookup its time limit, and one log line', async (context) => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/dns-message\r\nContent-Length: 100\r\n\r\n';
  const timers: NodeJS.Timeout[] = [];
  const resolver = createServer((socket) => {
    socket.on('error', () => {}).write(head);
    timers.push(setInterval(() => socket.write('x'), 1000));
  }).listen(0, '127.0.0.1');
  context.after(() => {
    for (const timer of timers) clearInterval(timer);
    resolver.close();
  });
  await once(resolver, 'listening');
  const lines: string[] = [];
  const dohUrl = [`http://127.0.0.1:${(resolver.address() as AddressInfo).port}/dns-query`];
  const service = await startNode({ host: '127.0.0.1', dohUrl }, {}, (line) => lines.push(line));
  context.after(() => service.close());
  const lookUp = async () => {
    const params = { name: 'dns_lookup', arguments: { name: 'example.com' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const headers = { 'content-type': 'application/json' };
    const reply = await http1Client(`${service.http}`).request('/mcp', { method: 'POST', headers, body });
    return JSON.parse(reply.body).result.content[0].text;
  };
  for (const text of await Promise.all([lookUp(), lookUp()])) assert.match(text, /within 5 seconds/);
  assert.deepEqual(lines, ['outbound requests time out; other servers or the network are slow']);
});
