/** Limits that instances share through a real server: exact together, and never worse than local while it is slow, gone or hostile. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { RateStoreAddress } from '../../../../src/core/setting-values.ts';
import { until } from '../../../until.ts';
import { skipWithoutRedis, startRedis } from '../store/redis-server.ts';
import { connectedLine, type Instance, identify, lostLine, patient, startInstance } from './shared-instance.ts';

async function countAllowed(results: readonly (boolean | Promise<boolean>)[]): Promise<number> {
  return (await Promise.all(results)).filter(Boolean).length;
}

describe('instances with one store', { skip: skipWithoutRedis }, () => {
  test('allow exactly the limit together, of 1,000 concurrent requests', async (t) => {
    const redis = await startRedis(t);
    const instances = [await startInstance(t, redis.address), await startInstance(t, redis.address)];
    const send = (ip: string) => Array.from({ length: 500 }, () => instances.map(({ limit }) => limit(ip))).flat();
    const [first, second] = await Promise.all([countAllowed(send('192.0.2.1')), countAllowed(send('192.0.2.2'))]);
    assert.deepEqual([first, second], [60, 60]);
    for (const { lines } of instances) assert.deepEqual(lines, [connectedLine]);
  });

  test('count no rejected lookup against the general rate', async (t) => {
    const redis = await startRedis(t);
    const one = await startInstance(t, redis.address);
    const other = await startInstance(t, redis.address);
    const lookups = Array.from({ length: 30 }, () => one.limit('192.0.2.1', ['lookup', 'general']));
    assert.equal(await countAllowed(lookups), 10);
    const more = Array.from({ length: 30 }, () => other.limit('192.0.2.1', ['general', 'lookup']));
    assert.equal(await countAllowed(more), 0);
    const pages = Array.from({ length: 100 }, (_, each) => (each % 2 ? one : other).limit('192.0.2.1'));
    assert.equal(await countAllowed(pages), 50);
    // What the store rejected was refunded locally: each instance has counted only what it allowed.
    for (const { local } of [one, other])
      assert.ok(Array.from({ length: 9 }).every(() => local.limit(['general'], identify('192.0.2.1')).isAllowed));
  });

  test('share the budget of an IPv6 /48', async (t) => {
    const redis = await startRedis(t);
    const changed = { ...patient, networkBudget: 1 };
    const one = await startInstance(t, redis.address, changed);
    const other = await startInstance(t, redis.address, changed);
    const send = (instance: Instance, from: number): readonly (boolean | Promise<boolean>)[] =>
      Array.from({ length: 50 }, (_, each) => instance.limit(`2001:db8:0:${from + each}::1`));
    const allowed = (await countAllowed(send(one, 100))) + (await countAllowed(send(other, 200)));
    assert.equal(allowed, 60);
  });

  test('report what all instances together have left, and the end of the window', async (t) => {
    const redis = await startRedis(t);
    const one = await startInstance(t, redis.address);
    const other = await startInstance(t, redis.address);
    const decisions = [];
    for (const { decide } of [one, other, other, one]) decisions.push(await decide('192.0.2.1'));
    for (const [at, { isAllowed, remaining, resetSeconds }] of decisions.entries()) {
      assert.deepEqual([isAllowed, remaining], [true, 59 - at]);
      assert.ok(resetSeconds !== null && resetSeconds > 50 && resetSeconds <= 60, `${resetSeconds}`);
    }
    for (let each = 0; each < 10; each += 1) await one.limit('192.0.2.1', ['lookup', 'general']);
    const { isAllowed, remaining } = await other.decide('192.0.2.1', ['lookup', 'general']);
    assert.deepEqual([isAllowed, remaining], [false, 0]);
  });

  test('store nothing of an address, and only for a window', async (t) => {
    const redis = await startRedis(t);
    const { limit } = await startInstance(t, redis.address);
    await Promise.all([limit('192.0.2.77', ['lookup', 'general']), limit('2001:db8:77::1')]);
    const keys = (await redis.command('KEYS', '*')).split('\r\n').filter((line) => /^seenby:(?!probe)/.test(line));
    assert.equal(keys.length, 4, keys.join());
    for (const key of keys) {
      assert.match(key, /^seenby:count:(?:general|lookup)(?:\/48)?:[A-Za-z0-9+/]{22}$/);
      const left = Number((await redis.command('PTTL', key)).slice(1));
      assert.ok(left > 0 && left <= 60_000, `${left}`);
    }
  });

  test('allow no unlimited minute while the store is killed and restarted under load, and fail no request', async (t) => {
    const redis = await startRedis(t);
    const instances = [await startInstance(t, redis.address), await startInstance(t, redis.address)];
    const counts = instances.map(() => 0);
    let isRunning = true;
    const load = instances.map(async ({ limit }, at) => {
      while (isRunning) {
        const burst = Array.from({ length: 20 }, () => limit('192.0.2.1'));
        counts[at] = (counts[at] ?? 0) + (await countAllowed(burst));
        await delay(1);
      }
    });
    const total = (): number => counts.reduce((sum, count) => sum + count);
    await until(() => total() >= 60);
    await delay(50);
    assert.equal(total(), 60);
    const linesOf = (lines: readonly string[], isConnected: boolean): string[] =>
      lines.filter((line) => (line === connectedLine) === isConnected);
    for (let round = 1; round <= 2; round += 1) {
      const before = instances.map(({ lines }) => linesOf(lines, false).length);
      await redis.kill();
      for (const [at, { lines }] of instances.entries()) await until(() => linesOf(lines, false).length !== before[at]);
      await redis.start();
      for (const { lines } of instances) await until(() => linesOf(lines, true).length > round);
    }
    isRunning = false;
    await Promise.all(load);
    for (const count of counts) assert.ok(count <= 60, `${counts}`);
    for (const { lines } of instances) {
      assert.equal(linesOf(lines, true).length, 3, lines.join('\n'));
      for (const line of linesOf(lines, false))
        assert.match(line, /not available \((?:ECONNREFUSED|ENOENT|EPIPE|ECONNRESET|connection closed)\b/);
    }
  });

  test('count locally, without waiting, while the store does not respond', async (t) => {
    const redis = await startRedis(t);
    const changed = { ...patient, storeTimeoutMs: 10, storeConnectMs: 50 };
    const { limit, isConnected, waitForLine } = await startInstance(t, redis.address, changed);
    // A busy machine may find the store slow immediately.
    await until(isConnected);
    redis.signal('SIGSTOP');
    const first = Array.from({ length: 30 }, () => limit('192.0.2.1'));
    assert.equal(await countAllowed(first), 30);
    await waitForLine('not available');
    const later = Array.from({ length: 50 }, () => limit('192.0.2.1'));
    assert.deepEqual(later, [...Array(30).fill(true), ...Array(20).fill(false)]);
    redis.signal('SIGCONT');
    await until(isConnected);
    assert.equal(await countAllowed([limit('192.0.2.2')]), 1);
  });

  test('reload the script if the store has discarded it', async (t) => {
    const redis = await startRedis(t);
    const { limit, isConnected, lines } = await startInstance(t, redis.address);
    await redis.command('SCRIPT', 'FLUSH', 'SYNC');
    assert.equal(await limit('192.0.2.1'), true);
    await until(isConnected);
    assert.equal(await limit('192.0.2.1'), true);
    assert.deepEqual(lines, [connectedLine]);
  });
});

const advice = 'set save "" and appendonly no, so that no hash of an IP address is written to disk';
describe('a store that writes to disk', { skip: skipWithoutRedis }, () => {
  const cases = {
    snapshots: [['--save', '3600 1'], `the rate-limit store writes its data to disk; ${advice}`],
    'an append-only file': [['--appendonly', 'yes'], `the rate-limit store writes its data to disk; ${advice}`],
    'what it does not report': [
      ['--rename-command', 'CONFIG', ''],
      `cannot check whether the rate-limit store writes to disk (ERR); ${advice}`,
    ],
  } as const;
  for (const [name, [options, line]] of Object.entries(cases))
    test(`is reported: ${name}`, async (t) => {
      const redis = await startRedis(t, options);
      const { lines, isConnected } = await startInstance(t, redis.address);
      assert.deepEqual(lines, [connectedLine, line]);
      assert.ok(isConnected());
    });
});

for (const [times, line] of [
  [1, `the rate-limit store writes its data to disk; ${advice}`],
  [3, `cannot check whether the rate-limit store writes to disk (no response); ${advice}`],
] as const)
  test(`a store that writes to disk is asked again, at most three times, if it is slow at the start: ${times}`, {
    skip: skipWithoutRedis,
  }, async (t) => {
    const redis = await startRedis(t, ['--save', '3600 1']);
    assert.ok('path' in redis.address.target);
    const { path } = redis.address.target;
    let left = times as number;
    const relay = createServer((socket) => {
      const store = connect(path);
      for (const each of [socket, store])
        each.on('error', () => {}).on('close', () => [socket, store].map((end) => end.destroy()));
      store.pipe(socket);
      socket.on('data', (bytes) => {
        // A query for an option that gets no reply.
        if (left > 0 && bytes.includes('CONFIG')) left -= 1;
        else store.write(bytes);
      });
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    t.after(() => relay.close());
    const { port } = relay.address() as AddressInfo;
    const changed = { ...patient, storeTimeoutMs: 500 };
    const address = { ...redis.address, target: { host: '127.0.0.1', port } };
    const { lines, limit, waitForLine } = await startInstance(t, address, changed);
    await waitForLine('to disk');
    assert.deepEqual(lines, [connectedLine, line]);
    assert.equal(left, 0);
    assert.equal(await limit('192.0.2.1'), true);
  });

describe('a server that is not a store', () => {
  /** A server that handles each connection like this. */
  async function startServer(t: TestContext, handle: (socket: Socket) => void): Promise<RateStoreAddress> {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      t.after(() => socket.destroy());
      handle(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    return {
      target: { host: '127.0.0.1', port },
      isTls: false,
      user: null,
      password: null,
      database: 0,
    };
  }
  const reply = (text: string) => (socket: Socket) => socket.on('data', () => socket.write(text));

  const handlers: Readonly<Record<string, readonly [handle: (socket: Socket) => void, reason: RegExp]>> = {
    'speaks HTTP': [
      reply('HTTP/1.1 400 Bad Request\r\n\r\n'),
      /^unexpected reply; RATE_LIMIT_STORE may name another kind of server; use host and port of a Redis or Valkey server$/,
    ],
    'sends more replies than requests': [
      reply('*2\r\n:1\r\n:1\r\n'.repeat(100)),
      /^unexpected reply; RATE_LIMIT_STORE may name another kind of server; use host and port of a Redis or Valkey server$/,
    ],
    'sends another number': [
      reply(':7\r\n'),
      /^unexpected reply; RATE_LIMIT_STORE may name another kind of server; use host and port of a Redis or Valkey server$/,
    ],
    'sends the password back': [reply("-ERR unknown command 'AUTH' 'secret'\r\n"), /^ERR; the server lacks a command/],
    'closes immediately': [
      (socket) => socket.destroy(),
      /^(?:connection closed|ECONNRESET|EPIPE); the store closes the connection/,
    ],
    'is silent': [() => {}, /^no response/],
  };
  for (const [name, [handle, reason]] of Object.entries(handlers))
    test(`which ${name}, leaves the instance counting for itself`, async (t) => {
      const address = await startServer(t, handle);
      const changed = { ...patient, ...(name === 'is silent' && { storeTimeoutMs: 50 }) };
      const { limit, lines, isConnected } = await startInstance(t, address, changed);
      const [, found = ''] = /^rate-limit store not available \((.*)\); each/.exec(lines[0] ?? '') ?? [];
      assert.match(found, reason, lines.join('\n'));
      assert.equal(lines.length, 1);
      assert.ok(!isConnected());
      const results = Array.from({ length: 100 }, () => limit('192.0.2.1'));
      assert.deepEqual(results, [...Array(60).fill(true), ...Array(40).fill(false)]);
    });

  test('or rejects the service after it was gone, is named in a second line', async (t) => {
    let replies = 0;
    const address = await startServer(t, (socket) => {
      replies += 1;
      if (replies <= 2) socket.destroy();
      else reply("-WRONGPASS invalid username-password pair 'secret'\r\n")(socket);
    });
    const { lines, waitForLine } = await startInstance(t, address);
    await waitForLine('WRONGPASS');
    await until(() => replies >= 6);
    assert.match(lines[0] ?? '', /\((?:connection closed|ECONNRESET|EPIPE); /);
    assert.deepEqual(lines.slice(1), [lostLine('WRONGPASS; correct user and password in RATE_LIMIT_STORE')]);
  });

  test('or does not exist, is named in one line', async (t) => {
    const missing = { target: { path: '/nonexistent/socket' }, isTls: false, user: null, password: null, database: 0 };
    const { lines, limit } = await startInstance(t, missing);
    await delay(100);
    assert.deepEqual(lines, [
      lostLine('ENOENT; the socket file in RATE_LIMIT_STORE does not exist; start the store, or correct the path'),
    ]);
    assert.equal(limit('192.0.2.1'), true);
  });
});
