/** What is reported about a store that is lost, and found again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepConnected } from '../../../../src/edges/node/store/keep-connected.ts';
import { until } from '../../../until.ts';

/** A store whose attempts to connect end with these reasons, one after the other, and then succeed. */
async function startStore(storeStableMs: number) {
  const refused: string[] = [];
  const reports: string[] = [];
  let lose: ((reason: string) => void) | null = null;
  const open = async () => {
    const reason = refused.shift();
    if (reason !== undefined) throw new Error(reason);
    const { promise: lost, resolve } = Promise.withResolvers<string>();
    lose = resolve;
    return { lost, close: () => {} };
  };
  const { connection, end } = await keepConnected(
    open,
    { storeRetryMs: 1, storeStableMs },
    { onLost: (reason) => reports.push(reason), onConnected: () => reports.push('connected') },
  );
  const reconnect = async (reason: string, ...reasons: readonly string[]): Promise<void> => {
    const before = lose;
    refused.push(...reasons);
    before?.(reason);
    await until(() => lose !== before && connection() !== null);
  };
  return { reports, reconnect, [Symbol.dispose]: end };
}

test('one lost connection is not reported if the next one opens', async () => {
  using store = await startStore(60_000);
  await store.reconnect('no response');
  assert.deepEqual(store.reports, ['connected']);
});

test('each reason is reported once until the store has lasted, also after a loss shortly before', async () => {
  using store = await startStore(60_000);
  await store.reconnect('no response');
  await store.reconnect('connection closed', 'ECONNREFUSED', 'ECONNREFUSED', 'LOADING; wait', 'ECONNREFUSED');
  await store.reconnect('connection closed');
  assert.deepEqual(store.reports, ['connected', 'connection closed', 'ECONNREFUSED', 'LOADING; wait']);
});

test('a store that lasts is reported, and so is its next loss', async () => {
  using store = await startStore(1);
  for (let round = 1; round <= 2; round += 1) {
    await store.reconnect('connection closed', 'ECONNREFUSED');
    await until(() => store.reports.length === 1 + 2 * round);
  }
  assert.deepEqual(store.reports, ['connected', 'ECONNREFUSED', 'connected', 'ECONNREFUSED', 'connected']);
});
