/** The lease of one instance at a time, by a fake clock and a store of one key: extended, lost, taken over and released. */
import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import type { Send } from '../../../src/edges/node/store/connection.ts';
import { acquireLease, loadCommand } from '../../../src/runtime/acme/lease.ts';
import { untilQuiet } from '../../until.ts';

const leaseMs = 30_000;
let nowMs = 0;
let isAvailable = true;
let key: { readonly value: string; readonly endMs: number } | null = null;
let commands = 0;

mock.method(performance, 'now', () => nowMs);
mock.timers.enable({ apis: ['setInterval'] });
beforeEach(() => {
  isAvailable = true;
  key = null;
  commands = 0;
});

/** What Redis does with the two commands; the heavy tests run the script in a real one. */
const send: Send = async ([name, ...words]) => {
  commands += 1;
  if (!isAvailable) throw new Error('not available');
  if (key !== null && key.endMs <= nowMs) key = null;
  if (name === 'SET') {
    const [, value = '', , , ms] = words;
    if (key !== null) return null;
    key = { value, endMs: nowMs + Number(ms) };
    return 'OK';
  }
  const [, , , token, ms] = words;
  if (key?.value !== token) return 0;
  key = { value: `${token}`, endMs: nowMs + Number(ms) };
  return 1;
};

const acquire = () => acquireLease(send, 'key', leaseMs);

/** Lets the time pass in steps of a second. */
async function pass(ms: number): Promise<void> {
  for (const endMs = nowMs + ms; nowMs < endMs; ) {
    nowMs += 1_000;
    mock.timers.tick(1_000);
    await untilQuiet(() => commands);
  }
}

test('is extended until it is released, and only one has it', async () => {
  const lease = await acquire();
  await pass(10 * leaseMs);
  assert.equal(await acquire(), null);
  assert.equal(lease?.signal.aborted, false);
  await lease?.release();
  const next = await acquire();
  assert.ok(next);
  // Whoever has released it does not end that of another one.
  await lease?.release();
  assert.equal(await acquire(), null);
  const before = commands;
  await next.release();
  await pass(leaseMs);
  assert.equal(commands, before + 1);
});

test('outlives a short failure of the store', async () => {
  const lease = await acquire();
  isAvailable = false;
  await pass(leaseMs / 2);
  isAvailable = true;
  await pass(leaseMs);
  assert.equal(lease?.signal.aborted, false);
  assert.equal(await acquire(), null);
  await lease?.release();
});

test('ends before another one can have it, at whatever moment the store fails', async () => {
  for (let failedMs = 0; failedMs < leaseMs; failedMs += 1_000) {
    const lease = await acquire();
    assert.ok(lease);
    await pass(failedMs);
    isAvailable = false;
    while (!lease.signal.aborted) {
      assert.ok(key !== null && nowMs < key.endMs, String(failedMs));
      await pass(1_000);
    }
    await lease.release();
    isAvailable = true;
    assert.equal(await acquire(), null);
    await pass(leaseMs);
    assert.notEqual(await acquire(), null);
    key = null;
    await pass(leaseMs);
  }
});

test('ends when the store has lost it, or has that of another one', async () => {
  for (const value of [null, { value: 'another', endMs: Number.POSITIVE_INFINITY }]) {
    const lease = await acquire();
    key = value;
    await pass(leaseMs / 3);
    assert.equal(lease?.signal.aborted, true);
    await lease?.release();
    assert.equal(key, value);
    key = null;
  }
});

test('one whose owner was killed can be had when it expires', async () => {
  key = { value: 'of the killed', endMs: nowMs + leaseMs };
  await pass(leaseMs - 1_000);
  assert.equal(await acquire(), null);
  await pass(1_000);
  const lease = await acquire();
  assert.ok(lease);
  await lease.release();
});

test('there is none while the store is not available', async () => {
  isAvailable = false;
  await assert.rejects(acquire);
  assert.match(loadCommand.join(' '), /^SCRIPT LOAD /);
});
