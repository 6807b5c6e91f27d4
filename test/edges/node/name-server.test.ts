/** Requests that wait for DNS queries: what they return if the thread that receives these starts, ends or does not respond. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announceMs, maxWaitMs } from '../../../src/core/name-server.ts';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { createOpenCounts } from '../../../src/edges/node/limits/counters.ts';
import { allocateTable } from '../../../src/edges/node/limits/shared-table.ts';
import { createNameServer, type QueryMessage, type WaitMessage } from '../../../src/edges/node/name-server.ts';
import { createIdentify } from '../../../src/ingress/limits/identity.ts';

const counts = {
  totals: createOpenCounts(allocateTable(1, 1), 1, 1),
  clients: createOpenCounts(allocateTable(1024, 1), 1, 1),
  identify: createIdentify(),
};
const id = '0123456789abcdef';
const query = {
  address: '192.0.2.53',
  transport: 'udp',
  number: 1,
  depth: 0,
  hasMixedCase: false,
  type: 1,
  ednsBufferBytes: null,
  dnssecOk: false,
  hasCookie: false,
  clientSubnet: null,
} as const;

/** `respond`: what the thread for datagrams sends when it gets a message. */
function setUp(respond: (message: WaitMessage) => readonly QueryMessage[], now = () => 0) {
  const { nameServer, receive } = createNameServer({
    bounds: { ...bounds, noQueryMs: 20, lastQueryMs: 1 },
    counts,
    now,
    isReplaced: () => false,
    send: (message) => setImmediate(() => respond(message).forEach(receive)),
  });
  const observe = () => nameServer.observe({ id, names: 1, client: '192.0.2.1', onDisconnect: () => {} });
  return { observe, receive };
}

/** Of a thread that listens. */
const responsesTo = (message: WaitMessage): readonly QueryMessage[] => {
  if (message.kind === 'hello') return [{ kind: 'started' }];
  if (message.kind === 'confirm') return [{ kind: 'confirmed', id }];
  return message.kind === 'watch' ? [{ kind: 'watching', id }] : [];
};

const starting = { code: 'overloaded', message: /starting or stopping/ };

test('a thread that starts later than the one for datagrams learns that queries are received', async () => {
  const { observe } = setUp(responsesTo);
  await assert.rejects(observe(), starting);
  await new Promise(setImmediate);
  assert.deepEqual(await observe(), { queries: [], isTruncated: false, isLimited: false });
});

test('queries may be missing if the thread for datagrams is too busy to read those that have arrived', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { observe, receive } = setUp(() => []);
  receive({ kind: 'started' });
  const busy = observe();
  receive({ kind: 'watching', id });
  context.mock.timers.tick(maxWaitMs);
  assert.deepEqual(await busy, { queries: [], isTruncated: false, isLimited: true });
  const late = observe();
  receive({ kind: 'watching', id });
  context.mock.timers.tick(20);
  receive({ kind: 'query', id, query });
  receive({ kind: 'confirmed', id });
  context.mock.timers.tick(1);
  receive({ kind: 'confirmed', id });
  assert.deepEqual(await late, { queries: [query], isTruncated: false, isLimited: false });
  const partial = observe();
  receive({ kind: 'watching', id });
  receive({ kind: 'query', id, query });
  context.mock.timers.tick(maxWaitMs);
  assert.deepEqual(await partial, { queries: [query], isTruncated: false, isLimited: true });
});

test('a request learns that the DNS server has limited its responses while it waited', async () => {
  const { observe, receive } = setUp((message) =>
    message.kind === 'watch' ? [...responsesTo(message), { kind: 'limited', id }] : responsesTo(message),
  );
  receive({ kind: 'started' });
  assert.equal((await observe()).isLimited, true);
});

test('queries may be missing if the thread for datagrams watches the id later than clients send them', async () => {
  let nowMs = 0;
  const watchAfter = async (ms: number): Promise<boolean> => {
    const respond = (message: WaitMessage) => {
      if (message.kind === 'watch' && message.id === id) nowMs += ms;
      return responsesTo(message);
    };
    const { observe, receive } = setUp(respond, () => nowMs);
    receive({ kind: 'started' });
    return (await observe()).isLimited;
  };
  assert.deepEqual([await watchAfter(announceMs), await watchAfter(announceMs + 1)], [false, true]);
});

test('no queries is a result only if the thread for datagrams has confirmed that it passes them on', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { observe, receive } = setUp(() => []);
  receive({ kind: 'started' });
  // Its id is free again after each.
  for (const _ of [1, 2]) {
    const ended = assert.rejects(observe(), { code: 'overloaded', message: /does not respond/ });
    context.mock.timers.tick(maxWaitMs);
    await ended;
  }
});

test('a request ends without a result when the thread for datagrams ends, because later queries are lost', async () => {
  const { observe, receive } = setUp((message) =>
    message.kind === 'watch' ? [...responsesTo(message), { kind: 'query', id, query }, { kind: 'ended' }] : [],
  );
  receive({ kind: 'started' });
  await assert.rejects(observe(), { code: 'overloaded', message: /does not respond/ });
  await assert.rejects(observe(), starting);
});
