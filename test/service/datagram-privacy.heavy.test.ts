/** Nothing about a resolver or its client stays in a service: not in its heaps, nor in its log and metrics. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { folder, type Started, start, stop } from '../service-process.ts';
import { askOverTcp, askOverUdp, askUntil } from './dns-client.ts';

const skip = process.platform === 'linux' ? false : 'only in Linux: sends from several addresses of loopback';
const zone = 'dns.a.example';
const snapshots = join(folder, 'snapshots');
/** Of resolvers: no other part of the test has them. */
const from = ['127.77.88.1', '127.77.88.2', '127.77.99.3'];
const requests = 3;
const maxRounds = 5;
const newId = (): string => randomBytes(16).toString('hex');

/** A request whose names are resolved until its response has arrived. */
function observe({ url }: Started, port: number, id: string): Promise<string> {
  const response = fetch(`${url}/api/resolver?id=${id}&names=1`);
  return askUntil(
    response.then((arrived) => arrived.text()),
    async () => {
      // Together, because the request ends some time after the first one.
      await Promise.all(from.map((address) => askOverUdp(port, { name: `1-${id}.${zone}`, from: address })));
      await askOverTcp(port, { name: `a.b.1-${id}.${zone}`, from: from[0] ?? '' });
    },
  );
}

/** Has both threads write their heaps; returns these as text. */
async function heapsOf(service: Started, round: number): Promise<readonly string[]> {
  service.child.kill('SIGUSR2');
  await service.prints(new RegExp(`(snapshot ${round} of thread \\d+[\\s\\S]*){2}`));
  const files = readdirSync(snapshots).filter((name) => name.startsWith(`${round}-`));
  return files.map((name) => readFileSync(join(snapshots, name), 'latin1'));
}

test('heaps, log and metrics contain no id and no address of a resolver', {
  skip,
  timeout: 300_000,
}, async () => {
  mkdirSync(snapshots);
  const service = await start('', {
    changed: {
      DNS_ZONE: zone,
      DNS_HOST: '127.0.0.1',
      DNS_PORT: '0',
      DNS_NAME_SERVERS: 'ns.a.example',
      DNS_ADDRESSES: '192.0.2.1',
      METRICS_PORT: '0',
      RATE_LIMIT_DNS: '0',
      SNAPSHOTS: snapshots,
      NODE_OPTIONS: `--import=${new URL('heap-snapshot-commands.ts', import.meta.url).href}`,
    },
  });
  const announced = /port (\d+) \(DNS for/;
  await service.prints(announced);
  const port = Number(announced.exec(service.printed())?.[1]);
  const ids = Array.from({ length: requests }, newId);
  for (const id of ids) assert.ok((await observe(service, port, id)).includes(from[2] ?? ''));
  const tags = [...ids, ...from];
  let round = 0;
  let heaps: readonly string[] = [];
  const found = (text: string): boolean => heaps.some((heap) => heap.includes(text));
  const readHeaps = async (): Promise<void> => {
    round += 1;
    heaps = await heapsOf(service, round);
  };
  // The method finds what is kept: the id of a request that waits. On a busy machine, it may not wait long enough.
  for (let isFound = false; !isFound; isFound = found(tags.at(-1) ?? '')) {
    assert.ok(round < maxRounds);
    const waiting = newId();
    tags.push(waiting);
    const responses = Array.from({ length: 2 }, () => fetch(`${service.url}/api/resolver?id=${waiting}`));
    // The second one is rejected, because the first one waits.
    await Promise.race(responses);
    await readHeaps();
    await Promise.all(responses);
  }
  assert.deepEqual([heaps.length, heaps.every((heap) => heap.includes(zone))], [2, true]);
  // The counts of a second have passed then; a text that matched a pattern stays with V8 until the next match.
  for (const lastRound = round + maxRounds; tags.some(found) && round < lastRound; ) {
    await delay(1_500);
    await fetch(`${service.url}/ip`);
    // A response may be lost on a busy machine.
    await Promise.race([askOverUdp(port, { name: zone, type: 'SOA' }), delay(1_500)]);
    await readHeaps();
  }
  assert.deepEqual(tags.filter(found), []);
  const metrics = await (await fetch(/http:\/\/\S+\/metrics/.exec(service.printed())?.[0] ?? '')).text();
  assert.match(metrics, /seenby_dns_queries_total/);
  for (const text of [metrics, service.printed()])
    assert.deepEqual(
      tags.filter((tag) => text.includes(tag)),
      [],
    );
  assert.equal(await stop(service), 0);
});
