/** A shared table is bounded, discards what has expired, and survives threads that end at any moment. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { unlimited } from '../../../../src/core/platform.ts';
import { createOpenCounts, createRateWindows, windowValues } from '../../../../src/edges/node/limits/counters.ts';
import { allocateTable, monotonicMs, openTable } from '../../../../src/edges/node/limits/shared-table.ts';
import { createIdentify } from '../../../../src/ingress/limits/identity.ts';
import type { Key } from '../../../../src/ingress/limits/sip-hash.ts';

type SharedTable = ReturnType<typeof openTable>;

const maxKeys = 65_536;
const limit = 60;
const identify = createIdentify('secret');
const keyAt = (at: number): Key => identify(`10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`).key;
const keyOf = (name: string): Key => identify(name).key;
const allocateWindows = (keys: number): SharedArrayBuffer => allocateTable(keys, windowValues);

/** The windows as one thread sees them; each request is on its own. */
function openWindows(memory: SharedArrayBuffer, perWindow: number, thread = 1) {
  const { consume, table } = createRateWindows(memory, perWindow, thread);
  return { consume: (key: Key, nowMs: number) => consume(key, nowMs, { ...unlimited }), table };
}

/** Returns the number of keys. */
const sizeOf = ({ expiresMs }: SharedTable): number => expiresMs.filter((ms) => ms !== 0).length;

/** Returns the number that all threads have open; the worker gets this function as text. */
function totalOf({ table }: { readonly table: SharedTable }, key: Key): number {
  const entry = table.find(key);
  if (entry === -1) return 0;
  const perKey = table.values.length / table.entries;
  const total = table.values.slice(entry * perKey, (entry + 1) * perKey).reduce((sum, count) => sum + count, 0);
  table.unlock(entry);
  return total;
}

/** Runs the body of a module that imports the limits; `input` is its data. */
function startWorker(body: string, input: unknown): Worker {
  const folder = new URL('../../../../src/edges/node/limits/', import.meta.url).href;
  const source = `
    import { parentPort, workerData as input } from 'node:worker_threads';
    const { createRateWindows, createOpenCounts } = await import('${folder}counters.ts');
    const { openTable, monotonicMs } = await import('${folder}shared-table.ts');
    ${totalOf}
    ${body}`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), { workerData: input });
}

describe('the bound', () => {
  test('discards the key of a full set that expires first', () => {
    const window = openWindows(allocateWindows(8), 1);
    for (let at = 0; at < 8; at += 1) window.consume(keyAt(at), at === 0 ? 100 : at);
    assert.equal(sizeOf(window.table), 8);
    assert.equal(window.consume(keyAt(8), 101), true);
    assert.equal(sizeOf(window.table), 8);
    const allowed = Array.from({ length: 9 }, (_, at) => at).filter((at) => at !== 1 && window.consume(keyAt(at), 102));
    assert.deepEqual(allowed, []);
    assert.equal(window.consume(keyAt(1), 102), true);
  });

  test('counts the addresses of its capacity exactly, up to a few in sets that are full', () => {
    const window = openWindows(allocateWindows(maxKeys), 1);
    const clients = maxKeys / 4;
    for (let at = 0; at < clients; at += 1) assert.equal(window.consume(keyAt(at), 0), true);
    let forgotten = 0;
    for (let at = 0; at < clients; at += 1) if (window.consume(keyAt(at), 1)) forgotten += 1;
    assert.ok(forgotten < clients / 1000, String(forgotten));
  });

  test('has no more entries than its capacity after a million distinct keys', () => {
    const window = openWindows(allocateWindows(maxKeys), limit);
    for (let at = 0; at < 1_000_000; at += 1) window.consume(keyAt(at), at / 1000);
    assert.ok(sizeOf(window.table) > maxKeys * 0.95 && sizeOf(window.table) <= maxKeys, String(sizeOf(window.table)));
  });
});

test('counts a key from 0 after the eviction of another one', () => {
  const counts = createOpenCounts(allocateTable(8, 1), 1, 1);
  for (let at = 0; at < 9; at += 1) assert.ok(counts.add(keyAt(at), 1));
  assert.equal(totalOf(counts, keyAt(8)), 1);
});

test('discards only keys whose window has ended', () => {
  const { consume, table } = openWindows(allocateWindows(8), 2);
  consume(keyOf('a'), 0);
  consume(keyOf('b'), 500);
  consume(keyOf('a'), 600);
  consume(keyOf('c'), 700);
  const sizes = [59_999, 60_000, 60_499, 60_500, 60_700].map((nowMs) => {
    table.prune(nowMs);
    return sizeOf(table);
  });
  assert.deepEqual(sizes, [3, 2, 2, 1, 0]);
  assert.equal(consume(keyOf('a'), 60_700), true);
});

test('pruning finds the keys wherever they are, and those that were created after it', () => {
  const { consume, table } = openWindows(allocateWindows(maxKeys), limit);
  const keys = Array.from({ length: 2_000 }, (_, at) => keyAt(at));
  for (const key of keys) consume(key, 1);
  table.prune(60_000 + 1);
  assert.equal(sizeOf(table), 0);
  for (const key of keys) consume(key, 60_000 + 2);
  table.prune(60_000 + 3);
  assert.equal(sizeOf(table), keys.length);
  table.prune(2 * 60_000 + 2);
  assert.equal(sizeOf(table), 0);
});

describe('several threads', () => {
  test('allow exactly the limit of each address, whatever their order', async () => {
    const memory = allocateWindows(1024);
    const keys = Array.from({ length: 20 }, (_, at) => keyAt(at));
    const body = `
      const windows = createRateWindows(input.memory, ${limit}, input.thread);
      const counts = input.keys.map(() => 0);
      for (let round = 0; round < 500; round += 1)
        input.keys.forEach((key, at) => { if (windows.consume(key, monotonicMs(), { remaining: null })) counts[at] += 1; });
      parentPort.postMessage(counts);`;
    const workers = [1, 2, 3, 4].map((thread) => startWorker(body, { memory, keys, thread }));
    const counts = (await Promise.all(workers.map((worker) => once(worker, 'message')))) as [number[]][];
    const totals = keys.map((_, at) => counts.reduce((total, [each]) => total + (each[at] as number), 0));
    assert.deepEqual(
      totals,
      keys.map(() => limit),
    );
  });

  test('lose no change of a count', async () => {
    const memory = allocateTable(8, 3);
    const keys = ['key', 'kept'].map(keyOf);
    const body = `
      const [key, kept] = input.keys;
      const counts = createOpenCounts(input.memory, 3, input.thread);
      let most = 0;
      for (let round = 0; round < 20_000; round += 1) {
        const added = counts.add(key, 2);
        if (added) { most = Math.max(most, totalOf(counts, key)); counts.remove(key); }
      }
      counts.add(kept, 0);
      parentPort.postMessage(most);`;
    const workers = [1, 2, 3].map((thread) => startWorker(body, { memory, keys, thread }));
    const most = await Promise.all(workers.map((worker) => once(worker, 'message')));
    assert.ok(
      most.every(([count]) => count <= 2),
      String(most),
    );
    const counts = createOpenCounts(memory, 3, 4);
    assert.equal(totalOf(counts, keyOf('key')), 0);
    assert.equal(totalOf(counts, keyOf('kept')), 3);
    counts.removeThread(2);
    assert.equal(totalOf(counts, keyOf('kept')), 2);
  });
});

describe('a thread that ends while it holds a lock', () => {
  const endInside = async (memory: SharedArrayBuffer): Promise<void> => {
    const body = `
      openTable(input.memory, ${windowValues}, 2).getOrCreate(${JSON.stringify(keyOf('key'))});
      process.exit();`;
    await once(startWorker(body, { memory }), 'exit');
  };

  /** Counts how often this thread sleeps because a set is locked. */
  const countSleeps = ({ mock }: TestContext) => mock.method(Atomics, 'wait').mock;

  test('is followed by the next one, once its locks are released', async (context) => {
    const memory = allocateWindows(8);
    await endInside(memory);
    const { consume, table } = openWindows(memory, 1);
    table.unlockThread(2);
    const sleeps = countSleeps(context);
    assert.deepEqual([consume(keyOf('key'), 0), consume(keyOf('key'), 1)], [true, false]);
    assert.equal(sleeps.callCount(), 0);
  });

  test('delays the next one briefly, even if no thread releases its locks', async (context) => {
    const memory = allocateWindows(8);
    await endInside(memory);
    const { consume } = openWindows(memory, 1);
    const sleeps = countSleeps(context);
    assert.deepEqual([consume(keyOf('key'), 0), consume(keyOf('key'), 1)], [true, false]);
    assert.ok(sleeps.callCount() > 0 && sleeps.callCount() <= 200, `${sleeps.callCount()} sleeps`);
    assert.ok(sleeps.calls.every(({ arguments: [, , , sleepMs] }) => sleepMs === 1));
  });

  test('does not delay its successor with the same number, nor the discarding of keys', async (context) => {
    const memory = allocateWindows(8);
    await endInside(memory);
    const sleeps = countSleeps(context);
    openTable(memory, windowValues, 1).prune(monotonicMs());
    const { consume } = openWindows(memory, 1, 2);
    assert.deepEqual([consume(keyOf('key'), 0), consume(keyOf('key'), 1)], [true, false]);
    assert.equal(sleeps.callCount(), 0);
  });
});
