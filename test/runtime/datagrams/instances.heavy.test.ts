/** Several instances, each a process, that serve one DNS zone and share a real store: queries may reach any of them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { z } from 'zod';
import { announceMs } from '../../../src/core/name-server.ts';
import { namesOf } from '../../../src/probes/resolvers.ts';
import type { Resolvers } from '../../../src/resources/resolvers.ts';
import { encodeQuery } from '../../../src/wire/dns/message.ts';
import {
  type RedisServer,
  skipWithoutRedis,
  startDocumentedRedis,
  startRedis,
} from '../../edges/node/store/redis-server.ts';
import { findFreePort } from '../../free-port.ts';
import { roundsOf } from '../../random.ts';
import { type Started, start, stop } from '../../service-process.ts';
import { until } from '../../until.ts';

const zone = 'dns.a.example';
const foreignPerSecond = roundsOf(20_000, 0.2);
const skip =
  skipWithoutRedis || (process.platform !== 'linux' && 'only in Linux: sends from several addresses of loopback');

interface Instance extends Started {
  readonly dnsPort: number;
}

const connectedLine = 'store connected; the DNS test shows queries that reach any instance';

async function startInstance(
  t: TestContext,
  redis: RedisServer,
  store = `unix://${redis.path}`,
  settings: Readonly<Record<string, string>> = {},
): Promise<Instance> {
  const dnsPort = await findFreePort();
  const changed = {
    RATE_LIMIT_STORE: store,
    RATE_LIMIT_SECRET: 'a secret that is long enough to be one',
    RATE_LIMIT_GENERAL: '0',
    RATE_LIMIT_DNS: '0',
    CONNECTION_RATE: '0',
    DNS_ZONE: zone,
    DNS_NAME_SERVERS: 'ns.a.example',
    DNS_ADDRESSES: '192.0.2.1',
    DNS_HOST: '127.0.0.1',
    DNS_PORT: `${dnsPort}`,
    ...settings,
  };
  const started = await start('', { changed });
  t.after(() => stop(started));
  await started.prints(new RegExp(connectedLine));
  return { ...started, dnsPort };
}

type Reply = z.infer<typeof Resolvers>;

/** What an error that says "try again" is worth. */
const nothingKnown: Pick<Reply, 'resolvers' | 'truncated' | 'limited'> = {
  resolvers: [],
  truncated: false,
  limited: true,
};

async function read(url: string): Promise<typeof nothingKnown> {
  const response = await fetch(url);
  const body = (await response.json()) as Reply & { readonly error?: string };
  // The thread for DNS has a low priority, so on a busy machine it may not respond.
  if (body.error === 'overloaded') return nothingKnown;
  assert.equal(response.status, 200, JSON.stringify(body));
  return body;
}

const newId = (): string => randomBytes(8).toString('hex');

/** Queries like a resolver: again after half a second without a response. */
async function ask(port: number, name: string, from: string): Promise<void> {
  const socket = createSocket('udp4').bind(0, from);
  await once(socket, 'listening');
  const answered = once(socket, 'message');
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    socket.send(encodeQuery(name, 'A', 'checked'), port, '127.0.0.1');
    if (await Promise.race([answered, delay(500, null)])) break;
  }
  socket.close();
}

/**
 * Runs the test as the page does: the request waits at one instance, and the queries begin a round trip later. The pause in between is longer than
 * that of the page, because the processes of a busy machine do not run for as long as that.
 */
async function observe(atInstance: Instance, queries: (id: string) => Promise<unknown>): ReturnType<typeof read> {
  const id = newId();
  const beganMs = performance.now();
  await (await fetch(`${atInstance.url}/api/probes`)).text();
  const roundTripMs = performance.now() - beganMs;
  const reply = read(`${atInstance.url}/api/resolver?id=${id}&names=6`);
  await delay(roundTripMs + 10 * announceMs);
  await queries(id);
  return reply;
}

/** As `observe`, again until no query may be missing: on a busy machine, a message between instances comes later than clients send queries. */
const observeAll: typeof observe = (atInstance, queries) =>
  until(async () => {
    const reply = await observe(atInstance, queries);
    return !reply.limited && reply;
  });

/** Sends queries for names of no request to the ports, some thousands per second, until it is ended. */
const flood = `
const { createSocket } = require('node:dgram');
const { workerData, parentPort } = require('node:worker_threads');
const socket = createSocket('udp4').bind(0, '127.0.3.1');
const { ports, perSecond } = workerData;
const query = Buffer.from(workerData.query);
let sent = 0;
const beganMs = performance.now();
const timer = setInterval(() => {
  for (const end = (performance.now() - beganMs) * perSecond / 1000; sent < end; sent += 1) {
    query.writeUInt16BE(sent & 0xffff, 0);
    // Eight digits of the id: another name each time.
    query.write(sent.toString(16).padStart(8, '0'), 15);
    socket.send(Buffer.from(query), ports[sent % ports.length], '127.0.0.1');
  }
}, 5);
socket.on('error', () => {});
parentPort.on('message', () => {
  clearInterval(timer);
  parentPort.postMessage({ sent, seconds: (performance.now() - beganMs) / 1000 });
  setTimeout(() => process.exit(), 50);
});
`;

/** Seconds of CPU that a process has used. */
function cpuSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const published = (seen: string): number => seen.match(/"PUBLISH"/g)?.length ?? 0;

/** Everything that the store gets while `run` runs, and afterwards until there are so many publications. */
async function monitor(redis: RedisServer, run: () => Promise<unknown>, publications = 0): Promise<string> {
  const socket = connect(redis.path);
  let seen = '';
  socket.on('data', (chunk) => {
    seen += chunk;
  });
  socket.write('MONITOR\r\n');
  await once(socket, 'data');
  await run();
  await until(() => published(seen) >= publications);
  await redis.command('ECHO', 'end of the test');
  await until(() => seen.includes('end of the test'));
  socket.destroy();
  return seen;
}

/** The channels that all instances of a zone receive. */
async function channelsOf(redis: RedisServer): Promise<string[]> {
  const channels = await redis.command('PUBSUB', 'CHANNELS');
  return channels.match(/^seenby:dns:[^:\r]+(?=\r)/gm) ?? [];
}

describe('instances that share a zone', { skip }, () => {
  test(`show the queries of 100 tests, whichever instances they reach, or say that some may be missing, beside ${foreignPerSecond} foreign queries a second`, async (t) => {
    const redis = await startRedis(t);
    const instances = await Promise.all([1, 2, 3].map(() => startInstance(t, redis)));
    const at = (number: number): Instance => instances[number % instances.length] ?? assert.fail();
    const query = Buffer.from(encodeQuery(`1-${newId()}.${zone}`, 'A', 'checked'));
    const ports = instances.map(({ dnsPort }) => dnsPort);
    const worker = new Worker(flood, { eval: true, workerData: { ports, query, perSecond: foreignPerSecond } });
    t.after(() => worker.terminate());
    const before = { redis: cpuSeconds(redis.pid()), ms: performance.now() };
    let complete = 0;
    const incomplete: string[] = [];
    const runTest = async (number: number): Promise<void> => {
      const expected = new Set<string>();
      const { resolvers, truncated, limited } = await observe(at(number), (id) =>
        Promise.all(
          namesOf(id, zone).map((name, each) => {
            const from = `127.0.1.${1 + ((number * 7 + each) % 200)}`;
            expected.add(from);
            // Those of every second test reach only instances where no request waits.
            return ask(at(number + 1 + (number % 2 === 0 ? each % 2 : each)).dnsPort, name, from);
          }),
        ),
      );
      const addresses = resolvers.map(({ address }) => address);
      assert.equal(truncated, false);
      if (isDeepStrictEqual(addresses.toSorted(), [...expected].toSorted())) complete += 1;
      // Beside other tests, two processors do not keep up with that many queries.
      else if (!limited) incomplete.push(`test ${number}: ${addresses.length} of ${expected.size} addresses`);
    };
    const all = Array.from({ length: 100 }, (_, number) => number);
    const runners = Array.from({ length: 4 }, async () => {
      for (let number = all.shift(); number !== undefined; number = all.shift()) await runTest(number);
    });
    await Promise.all(runners);
    const seconds = (performance.now() - before.ms) / 1000;
    const cpu = cpuSeconds(redis.pid()) - before.redis;
    const ended = once(worker, 'message');
    worker.postMessage('end');
    const [sent] = await ended;
    await once(worker, 'exit');
    t.diagnostic(`${complete} of 100 tests complete in ${seconds.toFixed(1)} s`);
    t.diagnostic(`foreign queries: ${Math.round(sent.sent / sent.seconds)} per second`);
    t.diagnostic(`CPU of the store: ${((cpu / seconds) * 100).toFixed(1)} % of one processor`);
    assert.deepEqual(incomplete, []);
    assert.ok(complete > 0);
  });

  test('tell the store no address and no id, and nothing of a query that no request waits for', async (t) => {
    const redis = await startRedis(t);
    const one = await startInstance(t, redis);
    const other = await startInstance(t, redis);
    const foreign = await monitor(redis, async () => {
      for (let each = 0; each < 50; each += 1) await ask(other.dnsPort, `1-${newId()}.${zone}`, '127.0.1.1');
    });
    assert.equal(published(foreign), 0, foreign);
    const ids: string[] = [];
    // The start of the request and the confirmation with a reply each, its end, and six queries. The end comes after the response.
    const publications = 11;
    const lookUp = async (): Promise<void> => {
      const { resolvers } = await observe(one, (id) => {
        ids.push(id);
        return Promise.all(namesOf(id, zone).map((name) => ask(other.dnsPort, name, '127.0.1.77')));
      });
      assert.deepEqual(
        resolvers.map(({ address }) => address),
        ['127.0.1.77'],
      );
    };
    const seen = await monitor(redis, lookUp, publications);
    assert.doesNotMatch(seen, new RegExp(`127\\.0\\.1|${ids.join('|')}|a\\.example`));
    assert.equal(await redis.command('DBSIZE'), ':0\r\n');
  });

  test('know that no query arrived only if all of them have read what arrived', async (t) => {
    const redis = await startRedis(t);
    const one = await startInstance(t, redis);
    const other = await startInstance(t, redis);
    const silent = await observeAll(one, async () => {});
    assert.deepEqual(silent.resolvers, []);
    // bash has been replaced by the service.
    other.child.kill('SIGSTOP');
    const unknown = await observe(one, async () => {});
    other.child.kill('SIGCONT');
    assert.deepEqual([unknown.resolvers, unknown.limited], [[], true]);
  });

  test('show queries that reach the own instance while the store is gone, and all when it is back', async (t) => {
    const redis = await startRedis(t);
    const one = await startInstance(t, redis);
    const other = await startInstance(t, redis);
    await redis.kill();
    await one.prints(/store not available \(\S+\); the DNS test shows only queries that reach this instance/);
    const ask6 = (ports: readonly number[]) => (id: string) =>
      Promise.all(namesOf(id, zone).map((name, each) => ask(ports[each % ports.length] ?? 0, name, '127.0.1.5')));
    const alone = await observe(one, ask6([one.dnsPort]));
    assert.deepEqual([alone.resolvers.length, alone.limited], [1, true]);
    const blind = await observe(one, ask6([other.dnsPort]));
    assert.deepEqual([blind.resolvers.length, blind.limited], [0, true]);
    await redis.start();
    const counts = (instance: Instance): number => instance.printed().split(connectedLine).length - 1;
    await until(() => counts(one) === 2 && counts(other) === 2);
    const together = await observeAll(one, ask6([other.dnsPort]));
    assert.equal(together.resolvers.length, 1);
  });

  test('have the permissions that they need as the user of the documentation', async (t) => {
    const redis = await startDocumentedRedis(t, await findFreePort());
    const one = await startInstance(t, redis, redis.url);
    const other = await startInstance(t, redis, redis.url);
    const { resolvers } = await observe(one, (id) => ask(other.dnsPort, `1-${id}.${zone}`, '127.0.1.6'));
    assert.equal(resolvers.length, 1);
    // The first sign of life comes after ten seconds.
    await delay(12_000);
    for (const { printed } of [one, other]) assert.doesNotMatch(printed(), /not available/);
  });

  test('share no channel with those of another secret or zone', async (t) => {
    const redis = await startRedis(t);
    const address = `unix://${redis.path}`;
    await Promise.all([
      startInstance(t, redis),
      startInstance(t, redis, address, { RATE_LIMIT_SECRET: 'another secret that is long enough to be one' }),
      startInstance(t, redis, address, { DNS_ZONE: 'other.a.example' }),
    ]);
    assert.equal(new Set(await channelsOf(redis)).size, 3);
  });

  test('ignore messages that none of them has sent', async (t) => {
    const redis = await startRedis(t);
    const one = await startInstance(t, redis);
    const [channel] = await channelsOf(redis);
    for (const text of ['', 'text', Buffer.alloc(64).toString('base64'), '{"from":"x","message":{"kind":"hello"}}'])
      assert.equal(await redis.command('PUBLISH', channel ?? '', text), ':1\r\n');
    const { resolvers } = await observe(one, (id) => ask(one.dnsPort, `1-${id}.${zone}`, '127.0.1.6'));
    assert.equal(resolvers.length, 1);
    assert.doesNotMatch(one.printed(), /error|not available/);
  });
});
