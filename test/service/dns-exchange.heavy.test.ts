/** /api/resolver against a whole service with its DNS server: what reaches a request, and what it costs others. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { Settings } from '../../src/core/settings.ts';
import type { Bounds } from '../../src/edges/node/limits/bounds.ts';
import { Resolvers } from '../../src/resources/resolvers.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { startNode } from '../node-service.ts';
import { until } from '../until.ts';
import { askOverTcp, askOverUdp, askUntil } from './dns-client.ts';

const zone = 'dns.a.example';
const skip = process.platform === 'linux' ? false : 'only in Linux: sends from several addresses of loopback';

interface Changed {
  readonly settings?: Partial<Settings>;
  readonly bounds?: Partial<Bounds>;
  readonly log?: (line: string) => void;
  /** Called when the service has begun to handle a request. */
  readonly onRequest?: () => void;
}

const startDns = ({ settings = {}, bounds = {}, log, onRequest }: Changed = {}): Promise<Service> =>
  startNode(
    {
      host: '127.0.0.1',
      tlsPort: null,
      dnsZone: zone,
      dnsPort: 0,
      dnsNameServers: ['ns.a.example'],
      dnsAddresses: ['192.0.2.1'],
      rateLimitDns: 0,
      ...settings,
    },
    // Nothing here waits for a resolver that is far away.
    { noQueryMs: 2_500, lastQueryMs: 100, ...bounds },
    log,
    onRequest &&
      ((app) =>
        (...given) => {
          const response = app(...given);
          onRequest();
          return response;
        }),
  );

const maxAttempts = 10;
/** Between queries or requests that are repeated, so that these leave the processor to the service. */
const pauseMs = 20;
const newId = (): string => randomBytes(16).toString('hex');

interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly json: z.infer<typeof Resolvers> & { readonly error?: string };
}

/** Requests the resolvers for an id, on a connection of its own. */
function observe(service: Service, query: string, { method = 'GET', from = '127.0.0.1' } = {}) {
  const sent = request(`${service.http}/api/resolver?${query}`, { method, agent: false, localAddress: from });
  const reply = new Promise<Reply>((resolve, reject) => {
    sent.once('error', reject).once('response', async (response) => {
      const body = Buffer.concat(await response.toArray()).toString();
      const { 'retry-after': retryAfter } = response.headers;
      resolve({ status: response.statusCode ?? 0, retryAfter, json: body === '' ? null : JSON.parse(body) });
    });
  });
  sent.end();
  return { reply, abort: () => sent.destroy() };
}

const portOf = ({ dns }: Service): number => dns ?? assert.fail('no DNS');

describe('/api/resolver with a DNS server', { skip }, () => {
  for (const threads of [1, 3])
    test(`shows each request the queries with its id, over UDP and TCP, with ${threads} threads`, async () => {
      await using service = await disposable(startDns({ settings: { threads } }));
      const observeOnce = (from: string): Promise<Reply> => {
        const id = newId();
        const { reply } = observe(service, `id=${id}&names=3`, { from });
        return askUntil(reply, async () => {
          await askOverUdp(portOf(service), { name: `1-${id}.${zone}`, from });
          await askOverTcp(portOf(service), { name: `a.b.2-${id.toUpperCase()}.${zone}`, type: 'HTTPS', from });
          // Nobody waits for it.
          await askOverUdp(portOf(service), { name: `3-${newId()}.${zone}`, type: 'TXT', from });
        });
      };
      const isComplete = ({ status, json }: Reply): boolean =>
        status === 200 && json.resolvers[0]?.transports.length === 2;
      const replies = await Promise.all(
        Array.from({ length: 8 }, async (_, at) => {
          const from = `127.0.1.${at + 1}`;
          let reply = await observeOnce(from);
          // On a busy machine, queries may arrive after the time that a request waits, and requests find the service overloaded.
          for (let attempt = 1; attempt < maxAttempts && !isComplete(reply); attempt += 1)
            reply = await observeOnce(from);
          return reply;
        }),
      );
      for (const [at, { status, json }] of replies.entries()) {
        assert.equal(status, 200);
        const { resolvers } = Resolvers.parse(json);
        assert.deepEqual([json.zone, resolvers.length], [zone, 1]);
        const [{ address, transports, ednsBufferBytes, mixedCase, minimizesNames, queryTypes } = assert.fail()] =
          resolvers;
        assert.deepEqual([address, transports.toSorted()], [`127.0.1.${at + 1}`, ['tcp', 'udp']]);
        assert.deepEqual(queryTypes.toSorted(), ['A', 'HTTPS']);
        assert.deepEqual([ednsBufferBytes, mixedCase, minimizesNames], [4096, true, false]);
      }
    });

  test('ends when all names were seen, or without a query', async () => {
    await using service = await disposable(startDns({ bounds: { noQueryMs: 1, lastQueryMs: 1 } }));
    const { status, json } = await observe(service, `id=${newId()}`).reply;
    assert.deepEqual([status, json.resolvers, json.truncated], [200, [], false]);
    await using patient = await disposable(startDns({ bounds: { noQueryMs: 60_000, lastQueryMs: 1 } }));
    const id = newId();
    const ask = () => askOverUdp(portOf(patient), { name: `1-${id}.${zone}` });
    const found = await askUntil(observe(patient, `id=${id}&names=1`).reply, ask);
    assert.equal(found.json.resolvers.length, 1);
    // Without a query, after three seconds at most.
    assert.deepEqual((await observe(patient, `id=${newId()}`).reply).json.resolvers, []);
  });

  test('responds to HEAD without a body', async () => {
    await using service = await disposable(startDns());
    const reply = await observe(service, `id=${newId()}`, { method: 'HEAD' }).reply;
    assert.deepEqual(reply, { status: 200, retryAfter: undefined, json: null });
  });

  test('bounds addresses and queries of an id, and says so', async () => {
    await using service = await disposable(startDns({ bounds: { maxResolvers: 2, maxIdQueries: 4 } }));
    const many = newId();
    const repeated = newId();
    const types = ['A', 'AAAA', 'HTTPS', 'TXT', 'NS', 'MX'] as const;
    const ofMany = askUntil(observe(service, `id=${many}&names=3`).reply, async () => {
      for (const at of [1, 2, 3])
        await askOverUdp(portOf(service), { name: `${at}-${many}.${zone}`, from: `127.0.2.${at}` });
    });
    const ofRepeated = askUntil(observe(service, `id=${repeated}&names=1`).reply, async () => {
      for (const type of types) await askOverUdp(portOf(service), { name: `1-${repeated}.${zone}`, type });
    });
    const [first, second] = await Promise.all([ofMany, ofRepeated]);
    assert.deepEqual([first.json.truncated, first.json.resolvers.length], [true, 2]);
    assert.deepEqual([second.json.truncated, second.json.resolvers[0]?.queryTypes.length], [true, 4]);
  });

  test('rejects an id in use, and more requests than may wait; a client that disconnects frees its place', async () => {
    let begun = Promise.withResolvers<void>();
    const bounds = { maxAddressResolverRequests: 2, maxNetworkResolverRequests: 3, maxResolverRequests: 5 };
    await using service = await disposable(
      startDns({ bounds: { ...bounds, noQueryMs: 60_000 }, onRequest: () => begun.resolve() }),
    );
    const begin = async (id: string, from: string) => {
      begun = Promise.withResolvers();
      const observed = observe(service, `id=${id}`, { from });
      await begun.promise;
      return observed;
    };
    const isRejected = async (id: string, from: string): Promise<void> => {
      const { status, retryAfter, json } = await (await begin(id, from)).reply;
      assert.deepEqual([status, retryAfter, json.error], [503, '5', 'overloaded']);
    };
    const first = newId();
    const waiting = [await begin(first, '127.0.3.1'), await begin(newId(), '127.0.3.1')];
    await isRejected(newId(), '127.0.3.1');
    waiting.push(await begin(newId(), '127.0.3.2'));
    await isRejected(newId(), '127.0.3.3');
    const { status, json } = await (await begin(first, '127.0.4.1')).reply;
    assert.deepEqual([status, json.error], [400, 'id_in_use']);
    waiting.push(await begin(newId(), '127.0.4.1'));
    const last = await begin(newId(), '127.0.5.1');
    await isRejected(newId(), '127.0.6.1');
    last.abort();
    await last.reply.catch(() => {});
    // It waits in the place of the one that has disconnected.
    const again = await until(async () => {
      const begun = await begin(newId(), '127.0.6.1');
      return (await Promise.race([begun.reply, delay(50, null)])) === null && begun;
    });
    waiting.push(again);
    const statuses = (await Promise.all(waiting.map(({ reply }) => reply))).map((each) => each.status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200]);
  });

  test('completes what waits while the service stops, and answers over UDP until then', async () => {
    const begun = Promise.withResolvers<void>();
    const service = await startDns({ onRequest: begun.resolve });
    const id = newId();
    const { reply } = observe(service, `id=${id}&names=1`);
    await begun.promise;
    const closed = service.close();
    const { status, json } = await askUntil(reply, () => askOverUdp(portOf(service), { name: `1-${id}.${zone}` }));
    assert.deepEqual([status, json.resolvers.length], [200, 1]);
    await closed;
    await assert.rejects(askOverTcp(portOf(service), { name: zone }), /ECONNREFUSED/);
  });

  test('hands the port over as a whole with REUSE_PORT, once no request waits', async () => {
    const begun = Promise.withResolvers<void>();
    const first = await startDns({ settings: { reusePort: true }, onRequest: begun.resolve });
    const lines: string[] = [];
    await using second = await disposable(
      startDns({ settings: { reusePort: true, dnsPort: portOf(first) }, log: (line) => lines.push(line) }),
    );
    assert.match(lines.join(''), /waiting for port \d+, which another process still has/);
    // Queries reach the first one, so that the second must not report that there were none.
    assert.equal((await observe(second, `id=${newId()}`).reply).status, 503);
    const id = newId();
    const { reply } = observe(first, `id=${id}&names=1`);
    await begun.promise;
    first.drain();
    const ask = () => askOverUdp(portOf(first), { name: `1-${id}.${zone}` });
    assert.equal((await askUntil(reply, ask)).json.resolvers.length, 1);
    assert.equal((await observe(first, `id=${newId()}`).reply).status, 503);
    let last = await observe(second, `id=${newId()}`).reply;
    for (; last.status === 503; last = await observe(second, `id=${newId()}`).reply) await delay(pauseMs);
    assert.equal(last.status, 200);
    await first.close();
    const next = newId();
    const askNext = () => askOverTcp(portOf(first), { name: `1-${next}.${zone}` });
    assert.equal((await askUntil(observe(second, `id=${next}&names=1`).reply, askNext)).json.resolvers.length, 1);
  });

  test('is not found without a zone', async () => {
    await using service = await disposable(startDns({ settings: { dnsZone: null } }));
    assert.equal(service.dns, null);
    assert.deepEqual((await observe(service, `id=${newId()}`).reply).json.error, 'not_enabled');
  });

  test('a port in use ends the start with the setting and what usually has it', async () => {
    await using service = await disposable(startDns());
    await assert.rejects(
      startDns({ settings: { dnsPort: portOf(service) } }),
      /^Error: DNS_PORT: port \d+ is in use at 127\.0\.0\.1, often by systemd-resolved, .*; set DNS_HOST to addresses/,
    );
  });
});

/** The service, closed when its scope ends. */
async function disposable(started: Promise<Service>): Promise<Service & AsyncDisposable> {
  const service = await started;
  return { ...service, [Symbol.asyncDispose]: () => service.close() };
}
