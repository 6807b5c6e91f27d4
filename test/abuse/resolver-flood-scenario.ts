/**
 * Runs in the namespace of a delegated zone: visitors behind a resolver test their DNS, all at the same time (`class`), or one after the other
 * while a thread sends queries with forged addresses of the resolver's network (`flood`). Prints what the visitors and these addresses got.
 */
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
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

if (isMainThread) await visit();
else await flood(workerData as SharedArrayBuffer);

/** Sends until the first number of the shared memory is set; then writes the counts after it. */
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
    for (; sent < ((performance.now() - startedMs) / 1_000) * perSecond; sent += 1) {
      const query = queries[sent % queries.length] as Uint8Array;
      sockets[sent % sockets.length]?.send(query, 53, addresses.ipv4);
      counts[2] = (counts[2] ?? 0) + query.length;
    }
    counts[1] = sent;
    await delay(1);
  }
  for (const socket of sockets) socket.close();
}

async function visit(): Promise<void> {
  using delegation = new Delegation();
  const service = await delegation.serve({ ...dns, RATE_LIMIT_GENERAL: '0' });
  const resolver = new Resolver({ timeout: 5_000, tries: 1 });
  resolver.setServers([addresses.resolver]);
  const test = async (): Promise<FloodResult['visitors'][number]> => {
    const id = randomBytes(8).toString('hex');
    const sent = request(`${service.http}/api/resolver?id=${id}&names=6`).end();
    const response = once(sent, 'response');
    await delay(100);
    for (const name of namesOf(id, zone))
      for (const type of ['A', 'AAAA']) resolver.resolve(name, type).catch(() => {});
    const body = Buffer.concat(await (await response)[0].toArray()).toString();
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
