/** The keys of clients in the store: the same for all instances, others every day. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStoreKeys } from '../../../../../src/edges/node/limits/store/store-keys.ts';

const windowMs = 60_000;
const midnight = Date.UTC(2026, 10, 23);
const secret = 'a'.repeat(32);

test('instances with the same secret have the same keys during a day', () => {
  const [one, other] = [createStoreKeys(secret, windowMs), createStoreKeys(secret, windowMs)];
  const noon = midnight + 43_200_000;
  assert.equal(one(noon).hash('client'), other(noon - 40_000_000).hash('client'));
  assert.notEqual(one(noon).hash('client'), one(noon).hash('another'));
  assert.notEqual(one(noon).hash('client'), createStoreKeys('b'.repeat(32), windowMs)(noon).hash('client'));
  assert.match(one(noon).hash('client'), /^[A-Za-z0-9+/]{22}$/);
});

test('keys of different days differ', () => {
  const keysAt = createStoreKeys(secret, windowMs);
  const days = Array.from({ length: 400 }, (_, day) => keysAt(midnight + day * 86_400_000 + 100_000).hash('client'));
  assert.equal(new Set(days).size, days.length);
});

test('within a window of midnight there are two keys, and the time that separates them', () => {
  const keysAt = createStoreKeys(secret, windowMs);
  const [before, after] = [keysAt(midnight - 100_000).hash('client'), keysAt(midnight + 100_000).hash('client')];
  for (const distance of [-windowMs, -1, 0, 1, windowMs - 1]) {
    const { hash, hashNext, midnightMs } = keysAt(midnight + distance);
    assert.deepEqual([hash('client'), hashNext?.('client'), midnightMs], [before, after, midnight], `${distance}`);
  }
  for (const distance of [-windowMs - 1, windowMs]) assert.equal(keysAt(midnight + distance).hashNext, null);
});
