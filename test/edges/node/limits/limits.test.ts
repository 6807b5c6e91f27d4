/** Several rates count together: all or none, for a client and for its IPv6 network. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bounds } from '../../../../src/edges/node/limits/bounds.ts';
import {
  allocateLimits,
  createLimiter,
  createRateKeyOf,
  openLimits,
} from '../../../../src/edges/node/limits/limits.ts';
import { settingsOf } from '../../../node-service.ts';

const rateKeyOf = createRateKeyOf('secret');

function startLimiter(changed = {}) {
  const settings = settingsOf({ rateLimitGeneral: 3, rateLimitLookup: 1, rateLimitTools: 0, ...changed });
  const options = { settings, bounds: { ...bounds, networkBudget: 2 }, thread: 1 };
  let nowMs = 0;
  const limiter = createLimiter(openLimits(allocateLimits(bounds, 1), options), () => nowMs);
  return {
    ...limiter,
    advanceTo: (ms: number) => {
      nowMs = ms;
    },
  };
}

describe('a request with several rates', () => {
  const key = rateKeyOf('192.0.2.1');

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

test('an IPv6 network has its own budget, which its rejected clients do not use up', () => {
  const { limit } = startLimiter();
  const allowed = (host: string) => limit(['general'], rateKeyOf(`2001:db8:0:${host}`)).isAllowed;
  assert.deepEqual(['1::1', '1::2', '1::3', '1::4'].map(allowed), [true, true, true, false]);
  assert.deepEqual(['2::1', '3::1', '4::1', '5::1', '5::1'].map(allowed), [true, true, true, false, false]);
  assert.equal(limit(['general'], rateKeyOf('2001:db8:1::1')).isAllowed, true);
});

test('a refund undoes one request in every rate, for the client and its network', () => {
  const { limit, refund } = startLimiter();
  const key = rateKeyOf('2001:db8::1');
  for (let each = 0; each < 20; each += 1) {
    assert.equal(limit(['general', 'lookup'], key).isAllowed, true);
    refund(['general', 'lookup'], key);
  }
});
