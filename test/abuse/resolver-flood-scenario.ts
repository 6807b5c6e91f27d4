/**
 * Runs in the namespace of a delegated zone: visitors behind a resolver test their DNS, all at the same time (`class`), or one after the other
 * while a thread sends queries with forged addresses of the resolver's network (`flood`). Prints what the visitors and these addresses got.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { namesOf } from '../../src/probes/resolvers.ts';
import { Delegation, dns } from '../internet/delegation.ts';
import { addresses } from '../internet/recursive-resolvers.ts';
import { until } from '../until.ts';
import { queryOf } from '../wire/dns/messages.ts';
import { classSize, type FloodResult, forged, perSecond } from './resolver-flood.ts';

const zone = dns.DNS_ZONE;
const waitMs = 30_000;
/** Queries that are sent without a look at the queues. */
const batchSize = 64;
/** Of a queue of 208 KiB, the default of the kernel. */
const maxWaitingBytes = 65_536;

if (isMainThread) await visit();
else await flood(workerData as SharedArrayBuffer);

/**
 * Sends until the first number of the shared memory is set; then writes the counts after it. Slower than `perSecond` where the machine does not
 * keep up: else the kernel would drop the queries of the visitors, too.
 */
async function flood(shared: SharedArrayBuffer): Promise<void> {
  const counts = new Float64Array(shared);
  const sockets: Socket[] = [];
  for (const address of forged) {
    const socket = createSocket({ type: 'udp4', sendBufferSize: 4_194_304 });
    socket.on('message', ({ length }) => {
      counts[3] = (counts[3] ?? 0) + 1;
      counts[4] = (counts[4] ?? 0) + length;
    });
    await once(socket.bind(0, address), 'listening');
    sockets.push(socket);
  }
  const queries = Array.from({ length: 64 }, () =>
    queryOf({ name: `1-${randomBytes(8).toString('hex')}.${zone}`, edns: {} }),
  );
  const startedMs = performance.now();
  let sent = 0;
  while (counts[0] === 0) {
    const due = ((performance.now() - startedMs) / 1_000) * perSecond;
    while (sent < due && waitingBytes() < maxWaitingBytes) {
      const end = Math.min(sent + batchSize, due);
      for (; sent < end; sent += 1) {
        const query = queries[sent % queries.length] as Uint8Array;
        sockets[sent % sockets.length]?.send(query, 53, addresses.ipv4);
        counts[2] = (counts[2] ?? 0) + query.length;
      }
    }
    counts[1] = sent;
    await delay(1);
  }
  for (const socket of sockets) socket.close();
}

/** In the longest queue of a UDP socket: the fifth column of proc_pid_net(5) has the bytes to send and the bytes received, hexadecimal. */
function waitingBytes(): number {
  const rows = readFileSync('/proc/net/udp', 'utf8').trim().split('\n').slice(1);
  return Math.max(...rows.map((row) => Number.parseInt(row.trim().split(/[ :]+/)[7] ?? '', 16)));
}

async function visit(): Promise<void> {
  using delegation = new Delegation();
  // A test ends soon after its first query, however long a busy machine takes to send it.
  const service = await delegation.serve({ ...dns, RATE_LIMIT_GENERAL: '0' }, { maxWaitMs: waitMs, noQueryMs: waitMs });
  const resolver = new Resolver({ timeout: 5_000, tries: 1 });
  resolver.setServers([addresses.resolver]);
  const test = async (): Promise<FloodResult['visitors'][number]> => {
    const id = randomBytes(8).toString('hex');
    const sent = request(`${service.http}/api/resolver?id=${id}&names=1`).end();
    const response = once(sent, 'response');
    await delay(100);
    for (const name of namesOf(id, zone))
      for (const type of ['A', 'AAAA']) resolver.resolve(name, type).catch(() => {});
    const [incoming] = await response;
    const body = Buffer.concat(await incoming.toArray()).toString();
    // The thread for DNS has a low priority, so on a busy machine it may not respond.
    if (incoming.statusCode === 503) return { resolvers: [], limited: true };
    assert.equal(incoming.statusCode, 200, body);
    return JSON.parse(body);
  };
  // The resolver and the DNS server are starting: until then, there is no query, or an error.
  await until(async () => (await test()).resolvers?.length);
  if (process.argv[2] === 'class') {
    const visitors = await Promise.all(Array.from({ length: classSize }, test));
    await service.close();
    return print({ visitors, sent: 0, sentBytes: 0, received: 0, receivedBytes: 0 });
  }
  const shared = new SharedArrayBuffer(5 * Float64Array.BYTES_PER_ELEMENT);
  const counts = new Float64Array(shared);
  const flooder = new Worker(new URL(import.meta.url), { workerData: shared });
  await until(() => counts[1] !== 0);
  const visitors: FloodResult['visitors'][number][] = [];
  for (let at = 0; at < 10; at += 1) visitors.push(await test());
  counts[0] = 1;
  await once(flooder, 'exit');
  await service.close();
  const [, sent = 0, sentBytes = 0, received = 0, receivedBytes = 0] = counts;
  print({ visitors, sent, sentBytes, received, receivedBytes });
}

function print(result: FloodResult): void {
  process.stdout.write(JSON.stringify(result), () => process.exit());
}
