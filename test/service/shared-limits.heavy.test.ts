/** Two services with one store, over HTTP: requests, MCP batches, privacy page, metrics. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { privacyPage } from '../../src/http/page/documents/privacy.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { openRedis, type RedisServer, skipWithoutRedis } from '../edges/node/store/redis-server.ts';
import { startNode } from '../node-service.ts';
import { site } from '../request-context.ts';
import { until } from '../until.ts';

describe('two services with one store', { skip: skipWithoutRedis }, () => {
  const services: Service[] = [];
  let redis: RedisServer;

  before(async () => {
    redis = await openRedis();
    const settings = {
      rateLimitStore: redis.address,
      rateLimitSecret: 'a secret that is long enough to be one',
      rateLimitGeneral: 60,
      rateLimitTools: 15,
      maxConnectionsPerAddress: 0,
      tlsPort: null,
      metricsPort: 0,
    };
    // A busy machine does not find the store slow.
    const start = () => startNode(settings, { storeTimeoutMs: 5_000 });
    services.push(...(await Promise.all([start(), start()])));
  });
  after(async () => {
    await Promise.all(services.map((service) => service.close()));
    await redis.end();
  });

  test('accept exactly the general rate together, of 1,000 concurrent requests', async () => {
    const requests = Array.from({ length: 500 }, () => services.map(({ http }) => fetch(`${http}/ip`))).flat();
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 60);
    assert.equal(statuses.filter((status) => status === 429).length, 940);
  });

  test('count each tool call of a batch', async () => {
    const batch = Array.from({ length: 10 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'parse_ua', arguments: { user_agent: 'curl/8.5.0' } },
    }));
    const results = await Promise.all(
      services.map(async ({ http }) => {
        const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
        const response = await fetch(`${http}/mcp`, { method: 'POST', headers, body: JSON.stringify(batch) });
        return (await response.json()) as { result: { isError?: boolean } }[];
      }),
    );
    assert.equal(results.flat().filter(({ result }) => result.isError !== true).length, 15);
    assert.equal(results.flat().length, 20);
  });

  test('send nothing of a request to the store', async () => {
    const monitor = connect(redis.address.target as { path: string });
    let seen = '';
    monitor.on('data', (chunk) => {
      seen += chunk;
    });
    monitor.write('MONITOR\r\n');
    await once(monitor, 'data');
    const headers = { 'user-agent': 'marker', 'x-marker': 'marker', cookie: 'marker=1' };
    for (const { http } of services)
      for (const path of ['/json?marker', '/marker', '/api/ip?ip=192.0.2.99'])
        await fetch(`${http}${path}`, { headers });
    await redis.command('ECHO', 'end of the test');
    await until(() => seen.includes('end of the test'));
    monitor.destroy();
    assert.match(seen, /"EVALSHA"/);
    assert.doesNotMatch(seen, /marker|127\.0\.0\.1|192\.0\.2\.99/);
  });

  test('name the store on the privacy page', async () => {
    const sentence = /stored in a server of the operator/;
    assert.match(await (await fetch(`${services[0]?.http}/privacy`)).text(), sentence);
    assert.doesNotMatch(`${privacyPage(site)}`, sentence);
  });

  test('report that the store is connected', async () => {
    const metrics = await (await fetch(`${services[0]?.metrics}`)).text();
    assert.match(metrics, /^seenby_rate_store_connected 1$/m);
  });
});
