/** The thread for datagrams of a whole service: its end and replacement, and that there is none without a server in it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Started, start, stop } from '../service-process.ts';
import { until } from '../until.ts';
import { askOverTcp, askOverUdp, askUntil } from './dns-client.ts';

const skip =
  process.platform === 'linux' ? false : 'only in Linux: reads the threads of a process, sends from several addresses';

const zone = 'dns.a.example';
const on = {
  DNS_ZONE: zone,
  DNS_HOST: '127.0.0.1',
  DNS_NAME_SERVERS: 'ns.a.example',
  DNS_ADDRESSES: '192.0.2.1',
  METRICS_PORT: '0',
  RATE_LIMIT_GENERAL: '0',
  THREADS: '2',
  NODE_OPTIONS: `--import=${new URL('datagram-thread-commands.ts', import.meta.url).href}`,
};
const newId = (): string => randomBytes(16).toString('hex');

async function startDns(changed = {}): Promise<Started & { readonly port: number }> {
  // The service finds one that is free over UDP and TCP.
  const service = await start('', { changed: { ...on, DNS_PORT: '0', ...changed } });
  const announced = /port (\d+) \(DNS for/;
  await service.prints(announced);
  return { ...service, port: Number(announced.exec(service.printed())?.[1]) };
}

interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Requests the resolvers for an id, on a connection of its own. */
function observe({ url }: Started, id: string, from = '127.0.0.1'): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/resolver?id=${id}&names=1`, { agent: false, localAddress: from });
    sent.once('error', reject).once('response', async (response) => {
      const { statusCode: status = 0, headers } = response;
      const body = Buffer.concat(await response.toArray()).toString();
      resolve({ status, retryAfter: headers['retry-after'], body });
    });
    sent.end();
  });
}

/** A thread that starts or ends does not respond to a query. */
const withoutResponse = (asked: Promise<unknown>): Promise<unknown> => Promise.race([asked.catch(() => {}), delay(50)]);

async function metricsOf({ printed }: Started): Promise<string> {
  return (await fetch(/http:\/\/\S+\/metrics/.exec(printed())?.[0] ?? '')).text();
}

const threadsOf = ({ child }: Started): string[] =>
  readdirSync(`/proc/${child.pid}/task`).map((id) => readFileSync(`/proc/${child.pid}/task/${id}/comm`, 'utf8').trim());

const answeredOf = (metrics: string): number =>
  Number(/seenby_dns_queries_total\{result="NOERROR"\} (\d+)/.exec(metrics)?.[1] ?? 0);

describe('the thread for datagrams', { skip }, () => {
  test('is replaced after a fault, on the same port, while the service goes on', async () => {
    const service = await startDns();
    const ask = () => askOverUdp(service.port, { name: zone, type: 'SOA' });
    const isAnswered = () => until(() => Promise.race([ask().then(() => true), delay(200, false)]));
    const waiting = observe(service, newId());
    let rejected: Reply | null = null;
    let ends = 0;
    // Until a request arrives before the next thread listens: each pause is twice as long as the one before it.
    while (rejected === null) {
      // One that is starting would not hear the signal.
      await isAnswered();
      service.child.kill('SIGUSR2');
      ends += 1;
      await service.prints(new RegExp(`(starting it again[\\s\\S]*){${ends}}`));
      const reply = await observe(service, newId());
      if (reply.status !== 200) rejected = reply;
      assert.equal((await fetch(`${service.url}/ip`)).status, 200);
    }
    assert.deepEqual([rejected.status, rejected.retryAfter], [503, '5']);
    assert.match(rejected.body, /The DNS server is starting or stopping; try again in 5 seconds/);
    // 503 if it still waited, or did not wait yet.
    assert.match(`${(await waiting).status}`, /^(200|503)$/);
    const next = await until(async () => {
      const id = newId();
      const ask = () => askOverTcp(service.port, { name: `1-${id}.${zone}` });
      const reply = await askUntil(observe(service, id), () => withoutResponse(ask()));
      return reply.status !== 503 && reply;
    });
    assert.equal(JSON.parse(next.body).resolvers.length, 1);
    await isAnswered();
    await until(async () => answeredOf(await metricsOf(service)) >= 2, 20);
    assert.match(await metricsOf(service), new RegExp(`event="datagrams_ended",level="error"\\} ${ends}\n`));
    assert.doesNotMatch(service.printed(), /secret/);
    assert.equal(await stop(service), 0);
  });

  test('is known to threads that have replaced others', async () => {
    const service = await startDns();
    service.child.kill('SIGWINCH');
    await service.prints(/(thread \d ended[\s\S]*){2}/);
    // Connections are refused, or get 503, until the next threads have started.
    const reply = await until(async () => {
      const id = newId();
      const ask = () => askOverUdp(service.port, { name: `1-${id}.${zone}` });
      const next = await askUntil(observe(service, id), () => withoutResponse(ask())).catch(() => null);
      return next?.status === 200 && next;
    });
    assert.equal(JSON.parse(reply.body).resolvers.length, 1);
    assert.equal(await stop(service), 0);
  });

  test('starts, and its modules are loaded, only if one of its servers is on', async () => {
    const off = await start('', {
      changed: { ...on, THREADS: '1', DNS_ZONE: '', DNS_HOST: '', DNS_NAME_SERVERS: '', DNS_ADDRESSES: '' },
    });
    const isDatagrams = (name: string): boolean => name.startsWith('seenby datagram');
    assert.deepEqual(threadsOf(off).filter(isDatagrams), []);
    assert.equal(await stop(off), 0);
    assert.doesNotMatch(off.printed(), /loading /);
    const service = await startDns({ THREADS: '1' });
    assert.equal(threadsOf(service).filter(isDatagrams).length, 1);
    assert.equal(await stop(service), 0);
    assert.match(service.printed(), /loading .*\/src\/ingress\/dns\//);
  });
});
