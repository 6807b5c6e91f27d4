/** Messages of every kind count against a rate of their own, before a body is parsed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { http1Client } from '../acceptance/client.ts';
import { cpuClock } from '../cpu-time.ts';
import { startNode } from '../node-service.ts';
import { decisionOf } from '../platform.ts';
import { poster } from './served.ts';

const messageOf = (method: string, id?: number) => ({ jsonrpc: '2.0', ...(id !== undefined && { id }), method });

async function start(context: { after(close: () => Promise<void>): void }, rateLimitTools: number) {
  const service = await startNode({ host: '127.0.0.1', tlsPort: null, rateLimitTools });
  context.after(() => service.close());
  const client = http1Client(`${service.http}`);
  return (body: string, type = 'application/json') =>
    client.request('/mcp', { method: 'POST', headers: { 'content-type': type }, body });
}

test('messages of every kind count, each in a batch, and then a POST is rejected before its body is parsed', async (context) => {
  const send = await start(context, 3);
  const sendAll = (...messages: object[]) => send(JSON.stringify(messages));
  const lists = (count: number) => Array.from({ length: count }, (_, id) => messageOf('tools/list', id));
  assert.equal((await sendAll(messageOf('notifications/initialized'))).status, 202);
  assert.equal((await send('{')).status, 400);
  // Its media type is rejected without a look at its body.
  assert.equal((await send('{}', 'text/plain')).status, 415);
  assert.equal((await sendAll(messageOf('ping', 1), ...lists(8))).status, 200);
  // The last message of the budget admits a whole batch.
  assert.equal(JSON.parse((await sendAll(...lists(10))).body).length, 10);
  for (const body of ['{', JSON.stringify(lists(10)), JSON.stringify(messageOf('initialize', 1))]) {
    const rejected = await send(body);
    assert.deepEqual([rejected.status, rejected.headers['retry-after']], [429, '60']);
    assert.deepEqual(JSON.parse(rejected.body), {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, message: 'Too many requests from this IP; wait 60 seconds.' },
    });
  }
});

test('a rejected batch takes less than 0.2 ms', async () => {
  const post = poster(undefined, { limit: () => decisionOf(false) });
  const body = JSON.stringify(Array.from({ length: 10 }, (_, id) => messageOf('tools/list', id)));
  for (let each = 0; each < 200; each += 1) await post({ body });
  const elapsed = cpuClock();
  for (let each = 0; each < 1_000; each += 1) assert.equal((await post({ body })).status, 429);
  assert.ok(elapsed() / 1_000 < 0.2, `${elapsed() / 1_000} ms`);
});

test('messages have no limit if tool calls have none', async (context) => {
  const send = await start(context, 0);
  for (let each = 0; each < 30; each += 1) assert.equal((await send(JSON.stringify(messageOf('ping', 1)))).status, 200);
});

test('tools/list and server/discover are built and compressed once for clients that number their requests', async (context) => {
  const service = await startNode({ host: '127.0.0.1', tlsPort: null, publicUrl: 'https://seenby.example' });
  context.after(() => service.close());
  const send = async (id: number | string, encoding: string) => {
    const headers = { 'content-type': 'application/json', 'accept-encoding': encoding };
    const response = await fetch(`${service.http}/mcp`, {
      method: 'POST',
      headers,
      body: JSON.stringify(messageOf('tools/list', id as number)),
    });
    return { coding: response.headers.get('content-encoding'), body: await response.text() };
  };
  const plain = await send(3, 'identity');
  assert.equal(plain.coding, null);
  for (const coding of ['gzip', 'br'])
    for (const _ of [1, 2]) assert.deepEqual(await send(3, coding), { coding, body: plain.body });
  // Any number of other ids could fill the memory.
  assert.equal((await send('3', 'gzip')).coding, null);
  assert.equal((await send(16, 'gzip')).coding, null);
  assert.deepEqual(JSON.parse((await send(16, 'gzip')).body).result, JSON.parse(plain.body).result);
  const post = poster();
  const list = (id: unknown) => post({ body: { jsonrpc: '2.0', id, method: 'tools/list' } });
  assert.equal(await list(3), await list(3));
  assert.notEqual(await list(3), await list(4));
});
