/** The script in a real server: exact windows, rejected requests that count against nothing, midnight, expiry. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Counter, countCommand, loadCommand } from '../../../../../src/edges/node/limits/store/count-script.ts';
import { type RedisServer, skipWithoutRedis, startRedis } from './redis-server.ts';

const farMs = Date.UTC(2100, 0, 1);

async function startWithScript(t: TestContext): Promise<RedisServer> {
  const redis = await startRedis(t);
  await redis.command(...loadCommand);
  return redis;
}

const times = (key: string, limit: number): Counter => ({ kind: 'times', key, nextKey: null, limit });
const bucket = (key: string, limit: number): Counter => ({ kind: 'bucket', key, nextKey: null, limit });

/** Counts one request; whether it is allowed. */
async function count(redis: RedisServer, counters: readonly Counter[], windowMs = 60_000, midnightMs = farMs) {
  const reply = await redis.command(...countCommand(counters, windowMs, midnightMs));
  assert.match(reply, /^:[01]\r\n$/);
  return reply === ':1\r\n';
}

describe('the script', { skip: skipWithoutRedis, timeout: 60_000 }, () => {
  test('allows exactly the limit in every window, which slides', async (t) => {
    const redis = await startWithScript(t);
    const [windowMs, limit] = [300, 5];
    const allowed: (readonly [startMs: number, endMs: number])[] = [];
    const beginMs = performance.now();
    while (performance.now() - beginMs < 4 * windowMs) {
      const startMs = performance.now();
      const isAllowed = await count(redis, [times('a', limit)], windowMs);
      const endMs = performance.now();
      // The store counted somewhere between the two, in whole milliseconds.
      const certain = allowed.filter(([start]) => start > endMs - windowMs + 1).length;
      const possible = allowed.filter(([, end]) => end > startMs - windowMs - 1).length;
      assert.ok(isAllowed ? certain < limit : possible >= limit, `${isAllowed} after ${certain} to ${possible}`);
      if (isAllowed) allowed.push([startMs, endMs]);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    assert.ok(allowed.length > limit, `${allowed.length} in four windows`);
  });

  test('counts nothing if one of several counters is exhausted', async (t) => {
    const redis = await startWithScript(t);
    assert.ok(await count(redis, [times('small', 1)]));
    for (let each = 0; each < 3; each += 1) {
      assert.ok(!(await count(redis, [times('large', 2), bucket('network', 2), times('small', 1)])));
    }
    assert.equal(await redis.command('EXISTS', 'large', 'network'), ':0\r\n');
    assert.ok(await count(redis, [times('large', 2), bucket('network', 2)]));
    assert.ok(await count(redis, [times('large', 2), bucket('network', 2)]));
    assert.ok(!(await count(redis, [times('large', 3), bucket('network', 2)])));
    assert.equal(await redis.command('LLEN', 'large'), ':2\r\n');
  });

  test('refills a bucket steadily', async (t) => {
    const redis = await startWithScript(t);
    const beginMs = performance.now();
    let [counted, allowed] = [0, 0];
    // 10 tokens in 500 ms.
    const countOne = async (): Promise<boolean> => {
      const isAllowed = await count(redis, [bucket('b', 10)], 500);
      counted += 1;
      if (isAllowed) allowed += 1;
      const most = 11 + (performance.now() - beginMs) / 50;
      assert.ok(allowed >= Math.min(counted, 10) && allowed <= most, `${allowed} of ${counted}, at most ${most}`);
      return isAllowed;
    };
    while (await countOne());
    while (!(await countOne()));
  });

  test('continues under the next key from midnight on', async (t) => {
    const redis = await startWithScript(t);
    const both = [
      { ...times('times-1', 2), nextKey: 'times-2' },
      { ...bucket('bucket-1', 2), nextKey: 'bucket-2' },
    ];
    assert.ok(await count(redis, both, 60_000, farMs));
    assert.equal(await redis.command('EXISTS', 'times-2', 'bucket-2'), ':0\r\n');
    assert.ok(await count(redis, both, 60_000, 0));
    assert.equal(await redis.command('EXISTS', 'times-1', 'bucket-1'), ':0\r\n');
    assert.ok(!(await count(redis, both, 60_000, 0)));
    assert.ok(!(await count(redis, [times('times-2', 2)])));
    assert.ok(!(await count(redis, [bucket('bucket-2', 2)])));
  });

  test('discards times far ahead, from before the clock was set back', async (t) => {
    const redis = await startWithScript(t);
    await redis.command('RPUSH', 'a', `${Date.now() + 3_600_000}`);
    assert.ok(await count(redis, [times('a', 1)]));
    assert.ok(!(await count(redis, [times('a', 1)])));
  });

  test('stores only the counters, for a window', async (t) => {
    const redis = await startWithScript(t);
    await count(redis, [times('a', 60), bucket('b', 6000)], 100);
    const left = Number((await redis.command('PTTL', 'a')).slice(1));
    assert.ok(left <= 100, `${left} ms`);
    while ((await redis.command('DBSIZE')) !== ':0\r\n') await new Promise((resolve) => setTimeout(resolve, 5));
  });
});
