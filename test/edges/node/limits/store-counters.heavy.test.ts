/** The script in a real server: exact windows, rejected requests that count against nothing, expiry; and the keys of its counters. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import {
  type Counter,
  countCommand,
  createStoreKeys,
  loadCommand,
  readCountReply,
} from '../../../../src/edges/node/limits/store-counters.ts';
import { until } from '../../../until.ts';
import { type RedisServer, skipWithoutRedis, startRedis } from '../store/redis-server.ts';

async function startWithScript(t: TestContext): Promise<RedisServer> {
  const redis = await startRedis(t);
  await redis.command(...loadCommand);
  return redis;
}

/** Counts one request; `left` is -1 if it is rejected. */
async function count(redis: RedisServer, counters: readonly Counter[], windowMs = 60_000) {
  const reply = await redis.command(...countCommand(counters, windowMs));
  const [, left, leftMs] = /^\*2\r\n:(-?\d+)\r\n:(\d+)\r\n$/.exec(reply) ?? assert.fail(reply);
  return { left: Number(left), leftMs: Number(leftMs) };
}

describe('the script', { skip: skipWithoutRedis }, () => {
  test('allows exactly the limit in every window, which begins with the first request', async (t) => {
    const redis = await startWithScript(t);
    const windowMs = 300;
    const limit = 5;
    let previous = -1;
    let beganMs = -windowMs;
    // Windows that rejected a request: on a busy machine, others may end before the limit is reached.
    for (let exhausted = 0; exhausted < 3; ) {
      const sentMs = performance.now();
      const { left, leftMs } = await count(redis, [{ key: 'a', limit }], windowMs);
      assert.ok(leftMs <= windowMs, `${leftMs}`);
      if (left === limit - 1) {
        // The store rounds to milliseconds.
        assert.ok(performance.now() - beganMs >= windowMs - 1, 'a window began before the previous one ended');
        beganMs = sentMs;
      } else {
        assert.equal(left, Math.max(previous - 1, -1));
        if (left === -1 && previous === 0) exhausted += 1;
      }
      previous = left;
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  });

  test('counts nothing if one of several counters is exhausted, and reports the tightest', async (t) => {
    const redis = await startWithScript(t);
    const small = { key: 'small', limit: 1 };
    const large = { key: 'large', limit: 2 };
    const network = { key: 'network', limit: 3 };
    assert.equal((await count(redis, [small])).left, 0);
    for (let each = 0; each < 3; each += 1) assert.equal((await count(redis, [large, network, small])).left, -1);
    assert.equal(await redis.command('EXISTS', 'large', 'network'), ':0\r\n');
    assert.equal((await count(redis, [network, large])).left, 1);
    assert.equal((await count(redis, [large, network])).left, 0);
    assert.equal((await count(redis, [network, large])).left, -1);
    assert.equal(await redis.command('GET', 'network'), '$1\r\n2\r\n');
  });

  test('rejects if the limit has become smaller than the count', async (t) => {
    const redis = await startWithScript(t);
    for (let each = 0; each < 3; each += 1) await count(redis, [{ key: 'a', limit: 5 }]);
    assert.equal((await count(redis, [{ key: 'a', limit: 1 }])).left, -1);
  });

  test('stores only the counters, for a window', async (t) => {
    const redis = await startWithScript(t);
    for (let each = 0; each < 3; each += 1)
      await count(
        redis,
        [
          { key: 'a', limit: 60 },
          { key: 'b', limit: 6000 },
        ],
        100,
      );
    const left = Number((await redis.command('PTTL', 'a')).slice(1));
    assert.ok(left <= 100, `${left} ms`);
    await until(async () => (await redis.command('DBSIZE')) === ':0\r\n');
  });
});

test('a reply of another form is not a count', () => {
  assert.deepEqual(readCountReply([3, 59_000]), { left: 3, leftMs: 59_000 });
  for (const reply of [1, null, 'OK', [], [1], ['1', 2], [1, null]]) assert.equal(readCountReply(reply), null);
});

describe('the keys', () => {
  const midnight = Date.UTC(2026, 10, 23);
  const noon = midnight + 43_200_000;
  const secret = 'a'.repeat(32);

  test('are the same for all instances with the same secret during a day', () => {
    const one = createStoreKeys(secret);
    const other = createStoreKeys(secret);
    const key = one('general', 'client', midnight);
    assert.match(key, /^seenby:count:general:[A-Za-z0-9+/]{22}$/);
    for (const nowMs of [noon, midnight + 86_399_999]) assert.equal(other('general', 'client', nowMs), key);
    assert.notEqual(one('general', 'another', noon), key);
    assert.notEqual(one('lookup', 'client', noon), key);
    assert.notEqual(createStoreKeys('b'.repeat(32))('general', 'client', noon), key);
  });

  test('change every day at midnight', () => {
    const keyOf = createStoreKeys(secret);
    const days = Array.from({ length: 400 }, (_, day) => keyOf('general', 'client', midnight + day * 86_400_000));
    assert.equal(new Set(days).size, days.length);
    assert.notEqual(keyOf('general', 'client', midnight - 1), keyOf('general', 'client', midnight));
  });
});
