/** Several rates count together: all or none, for a client and for its IPv6 network. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bounds } from '../../../../src/edges/node/limits/bounds.ts';
import {
  allocateSharedMemory,
  createDocumentLimit,
  createLimiter,
  openLimits,
} from '../../../../src/edges/node/limits/limits.ts';
import { createIdentify } from '../../../../src/ingress/limits/identity.ts';
import { settingsOf } from '../../../node-service.ts';

const identify = createIdentify('secret');

function startLimiter(changed = {}) {
  const settings = settingsOf({ rateLimitGeneral: 3, rateLimitLookup: 1, rateLimitTools: 0, ...changed });
  const options = { settings, bounds: { ...bounds, networkBudget: 2 }, thread: 1 };
  let nowMs = 0;
  const limiter = createLimiter(openLimits(allocateSharedMemory(bounds, 1), options), () => nowMs);
  return {
    ...limiter,
    advanceTo: (ms: number) => {
      nowMs = ms;
    },
  };
}

describe('a request with several rates', () => {
  const key = identify('192.0.2.1');

  test('counts against none if one is exhausted', () => {
    const { limit } = startLimiter();
    assert.deepEqual(limit(['general', 'lookup'], key), { isAllowed: true, remaining: 0, resetSeconds: 60 });
    for (const rates of [['general', 'lookup'] as const, ['lookup', 'general'] as const])
      assert.deepEqual(limit(rates, key), { isAllowed: false, remaining: 0, resetSeconds: 60 });
    assert.deepEqual(limit(['general'], key), { isAllowed: true, remaining: 1, resetSeconds: 60 });
  });

  test('reports the rate with the fewest requests left', () => {
    const { limit, advanceTo } = startLimiter({ rateLimitLookup: 2 });
    limit(['general'], key);
    advanceTo(20_000);
    assert.deepEqual(limit(['general', 'lookup'], key), { isAllowed: true, remaining: 1, resetSeconds: 60 });
    limit(['general'], key);
    assert.deepEqual(limit(['general', 'lookup'], key), { isAllowed: false, remaining: 0, resetSeconds: 40 });
  });

  test('has no limit if none of its rates has one', () => {
    const { limit } = startLimiter();
    assert.deepEqual(limit(['tools'], key), { isAllowed: true, remaining: null, resetSeconds: null });
    assert.deepEqual(limit([], key), { isAllowed: true, remaining: null, resetSeconds: null });
  });
});

test('reports what is left of a rate without counting it', () => {
  const { limit, left, advanceTo } = startLimiter();
  const key = identify('192.0.2.1');
  const read = () => left('general', key);
  assert.deepEqual(read(), { isAllowed: true, remaining: 3, resetSeconds: 60 });
  limit(['general'], key);
  advanceTo(20_000);
  for (let at = 0; at < 3; at += 1) assert.deepEqual(read(), { isAllowed: true, remaining: 2, resetSeconds: 40 });
  limit(['general'], key);
  limit(['general'], key);
  assert.equal(read().remaining, 0);
  advanceTo(60_000);
  assert.equal(read().remaining, 3);
  assert.deepEqual(left('tools', key), { isAllowed: true, remaining: null, resetSeconds: null });
  // Of an IPv6 network, if it has less: two clients have used its budget.
  for (const host of ['1::1', '2::1'])
    for (let at = 0; at < 3; at += 1) limit(['general'], identify(`2001:db8:0:${host}`));
  assert.equal(left('general', identify('2001:db8:0:3::1')).remaining, 0);
});

test('an IPv6 network has its own budget, which its rejected clients do not use up', () => {
  const { limit } = startLimiter();
  const allowed = (host: string) => limit(['general'], identify(`2001:db8:0:${host}`)).isAllowed;
  assert.deepEqual(['1::1', '1::2', '1::3', '1::4'].map(allowed), [true, true, true, false]);
  assert.deepEqual(['2::1', '3::1', '4::1', '5::1', '5::1'].map(allowed), [true, true, true, false, false]);
  assert.equal(limit(['general'], identify('2001:db8:1::1')).isAllowed, true);
});

test('a refund undoes one request in every rate, for the client and its network', () => {
  const { limit, refund } = startLimiter();
  const key = identify('2001:db8::1');
  for (let each = 0; each < 20; each += 1) {
    assert.equal(limit(['general', 'lookup'], key).isAllowed, true);
    refund(['general', 'lookup'], key);
  }
});

test('a burst of connections uses the rate of some seconds, and no more', () => {
  const settings = settingsOf({ connectionRate: 2 });
  const options = { settings, bounds: { ...bounds, connectionBurstSeconds: 3 }, thread: 1 };
  const { connectionRate } = openLimits(allocateSharedMemory(bounds, 1), options);
  const { key } = identify('192.0.2.1');
  const taken = Array.from({ length: 8 }, () => connectionRate.client.consume(key, 0));
  assert.equal(taken.filter((isAllowed) => isAllowed).length, 6);
});

test('tables have as many keys as permitted', () => {
  const bytesOf = (maxRateKeys: number, maxConnectionKeys: number) => {
    const { rates, documents, connections } = allocateSharedMemory({ ...bounds, maxRateKeys, maxConnectionKeys }, 1);
    return [rates.general.client, rates.lookup.network, documents.client, connections].map((each) => each.byteLength);
  };
  assert.deepEqual(
    bytesOf(8_192, 16_384),
    bytesOf(4_096, 8_192).map((bytes) => 2 * bytes),
  );
});

test('bytes of documents count by client and by IPv6 network, in all threads together', () => {
  const megabyte = 2 ** 20;
  const memory = allocateSharedMemory(bounds, 2);
  let nowMs = 0;
  const [one, other] = [1, 2].map((thread) => {
    const settings = settingsOf({ rateLimitDocuments: 2 });
    const tables = openLimits(memory, { settings, bounds: { ...bounds, networkBudget: 2 }, thread });
    return createDocumentLimit(tables, () => nowMs);
  });
  assert.ok(one !== undefined && other !== undefined);
  const client = identify('192.0.2.1');
  assert.deepEqual([one(client, megabyte), other(client, megabyte - 2_048)], [true, true]);
  // Two kilobytes are left for a last document.
  assert.deepEqual([one(client, 0), one(client, 10 * megabyte), other(client, 1)], [true, true, false]);
  assert.equal(one(identify('192.0.2.2'), 1), true);
  nowMs = 60_000;
  assert.equal(one(client, 1), true);
  const got = (host: string) => one(identify(`2001:db8:0:${host}`), 2 * megabyte);
  assert.deepEqual(['1::1', '1::2', '2::1', '3::1'].map(got), [true, false, true, false]);
  assert.equal(one(identify('2001:db8:1::1'), 1), true);
  const unlimited = createDocumentLimit(
    openLimits(allocateSharedMemory(bounds, 1), { settings: settingsOf({ rateLimitDocuments: 0 }), bounds, thread: 1 }),
  );
  for (let each = 0; each < 10; each += 1) assert.equal(unlimited(client, 1_000 * megabyte), true);
});
