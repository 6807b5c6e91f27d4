/** A window begins with a key's first request; its limit is exact, and it reports what is left. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { unlimited } from '../../../../src/core/platform.ts';
import { createRateWindows, windowValues } from '../../../../src/edges/node/limits/counters.ts';
import { allocateTable } from '../../../../src/edges/node/limits/shared-table.ts';
import { check } from '../../../random.ts';

const keyOf = (name: string) => ({ high: 0, low: name.charCodeAt(0) });

const createWindows = (limit: number) => {
  const { consume, refund, table } = createRateWindows(allocateTable(64, windowValues), limit, 1);
  const decide = (name: string, nowMs: number, before = unlimited) => {
    const decision = { ...before };
    assert.equal(consume(keyOf(name), nowMs, decision), decision.isAllowed);
    return decision;
  };
  return {
    decide,
    isAllowed: (name: string, nowMs: number) => decide(name, nowMs).isAllowed,
    refund: (name: string) => refund(keyOf(name)),
    table,
  };
};

describe('the window', () => {
  test('begins with the first request and lasts 60 seconds, whatever follows', () => {
    const { isAllowed } = createWindows(2);
    const calls: readonly [nowMs: number, allowed: boolean][] = [
      [10_000, true],
      [69_000, true],
      [69_999.9, false],
      // The next window: two requests before its beginning and two after it may be close together.
      [70_000, true],
      [70_001, true],
      [129_999, false],
      [130_000, true],
      [500_000, true],
      [559_999, true],
      [559_999, false],
      [560_000, true],
    ];
    for (const [nowMs, allowed] of calls) assert.equal(isAllowed('a', nowMs), allowed, String(nowMs));
  });

  test('enforces the limit in every window of a long random run, and never rejects a client that waited 60 seconds', () => {
    const pauses = fc.array(fc.nat(11_999), { minLength: 500, maxLength: 500 });
    check(100, pauses, (run) => {
      const { isAllowed } = createWindows(5);
      let nowMs = 0;
      let beginMs = Number.NEGATIVE_INFINITY;
      let count = 0;
      for (const pauseMs of run) {
        nowMs += pauseMs;
        if (nowMs - beginMs >= 60_000) [beginMs, count] = [nowMs, 0];
        const allowed = isAllowed('a', nowMs);
        assert.equal(allowed, count < 5, String(nowMs));
        if (allowed) count += 1;
      }
    });
  });

  test('counts nothing for a rejected request, and is not extended by it', () => {
    const { isAllowed } = createWindows(1);
    assert.equal(isAllowed('a', 0), true);
    for (let nowMs = 1; nowMs < 60_000; nowMs += 10) assert.equal(isAllowed('a', nowMs), false);
    assert.equal(isAllowed('a', 60_000), true);
  });

  test('counts every key separately', () => {
    const { isAllowed } = createWindows(1);
    assert.deepEqual(
      ['a', 'b', 'a', 'b'].map((key) => isAllowed(key, 0)),
      [true, true, false, false],
    );
  });

  test('has no limit and stores nothing if the limit is 0', () => {
    const { decide, table } = createWindows(0);
    for (let call = 0; call < 1000; call += 1) assert.deepEqual(decide('a', 0), unlimited);
    assert.ok(table.expiresMs.every((ms) => ms === 0));
  });

  test('returns what a request took', () => {
    const { isAllowed, refund } = createWindows(2);
    isAllowed('a', 0);
    isAllowed('a', 1);
    refund('a');
    refund('unknown');
    assert.deepEqual(
      [2, 3, 60_000, 60_001].map((nowMs) => isAllowed('a', nowMs)),
      [true, false, true, true],
    );
  });
});

describe('the decision', () => {
  test('states the requests left and the seconds until the window ends, rounded up', () => {
    const { decide } = createWindows(2);
    assert.deepEqual(decide('a', 1000), { isAllowed: true, remaining: 1, resetSeconds: 60 });
    assert.deepEqual(decide('a', 1000.1), { isAllowed: true, remaining: 0, resetSeconds: 60 });
    assert.deepEqual(decide('a', 2500), { isAllowed: false, remaining: 0, resetSeconds: 59 });
    assert.deepEqual(decide('a', 60_999), { isAllowed: false, remaining: 0, resetSeconds: 1 });
    assert.deepEqual(decide('a', 61_000), { isAllowed: true, remaining: 1, resetSeconds: 60 });
  });

  test('keeps the values of the tightest of several windows', () => {
    const { decide } = createWindows(3);
    const tighter = { isAllowed: true, remaining: 1, resetSeconds: 9 };
    assert.deepEqual(decide('a', 0, tighter), tighter);
    const looser = { isAllowed: true, remaining: 50, resetSeconds: 9 };
    assert.deepEqual(decide('a', 0, looser), { isAllowed: true, remaining: 1, resetSeconds: 60 });
    decide('a', 0);
    const exhausted = { isAllowed: true, remaining: 0, resetSeconds: 9 };
    assert.deepEqual(decide('a', 0, exhausted), { isAllowed: false, remaining: 0, resetSeconds: 60 });
  });
});
