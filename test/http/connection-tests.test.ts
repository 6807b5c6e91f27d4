/** Connection tests through the application: parameters, other origins, deployments without them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RateName } from '../../src/core/limits.ts';
import type { IdQueries, WaitingRequest } from '../../src/core/name-server.ts';
import type { Deployment, Probes } from '../../src/core/request-context.ts';
import { createApp } from '../../src/http/app.ts';
import { seenAll } from '../observed.ts';
import { decisionOf, platformOf } from '../platform.ts';
import { noBody } from '../request-context.ts';

const probes: Probes = { dns: { zone: 'dns.a.example' }, stun: null, portCheck: false };
const id = '0123456789abcdef';
const queries: IdQueries = { queries: [], isTruncated: true, isLimited: false };

interface Changed {
  readonly headers?: Record<string, string>;
  readonly deployment?: Partial<Deployment>;
}

async function request(path: string, query: string, { headers = {}, deployment = { probes } }: Changed = {}) {
  const waited: WaitingRequest[] = [];
  const spent: (readonly RateName[])[] = [];
  const platform = platformOf({
    limit: (rates) => decisionOf(spent.push(rates) > 0),
    nameServer: {
      async observe(request) {
        waited.push(request);
        return queries;
      },
    },
  });
  const app = createApp({ publicUrl: 'https://seenby.example', contact: null, ...deployment });
  const observed = { ...seenAll, origin: 'http://10.0.0.1:8080', ip: '192.0.2.1', path, query, headers };
  const { status, body, headers: sent } = await app(observed, platform, noBody);
  return { status, json: JSON.parse(`${body}`), headers: sent, waited, spent };
}

describe('/api/resolver', () => {
  test('waits for the queries with the id, and counts against the general rate', async () => {
    const { status, json, waited, spent } = await request('/api/resolver', `id=${id.toUpperCase()}&names=12`);
    assert.deepEqual([status, json], [200, { zone: 'dns.a.example', resolvers: [], truncated: true, limited: false }]);
    assert.deepEqual(spent, [['general']]);
    const [{ onDisconnect: _, ...request_ } = {}] = waited;
    assert.deepEqual(request_, { id, names: 12, client: '192.0.2.1' });
    assert.equal((await request('/api/resolver', `id=${id.repeat(2)}`)).waited[0]?.names, 6);
  });

  test('rejects missing, repeated and wrong parameters', async () => {
    for (const query of [
      '',
      'id=',
      'id=0123456789abcde',
      `id=${id}${id}0`,
      'id=0123456789abcdeg',
      `id=${id}&id=${id}`,
      `id=${id}&names=0`,
      `id=${id}&names=13`,
      `id=${id}&names=`,
      `id=${id}&names=1e1`,
      `id=${id}&names=6&names=6`,
    ]) {
      const { status, json, waited } = await request('/api/resolver', query);
      assert.deepEqual([status, json.error, waited], [400, 'invalid_query', []], query);
      assert.match(json.message, /^Send (?:id exactly|names at most) once: /);
    }
  });

  test('is not found in a deployment without DNS', async () => {
    for (const deployment of [{}, { probes: { ...probes, dns: null } }]) {
      const { status, json, waited } = await request('/api/resolver', `id=${id}`, { deployment });
      assert.deepEqual([status, json.error, waited], [404, 'not_enabled', []]);
    }
  });

  test('rejects pages of other origins, and serves its own pages, visitors and programs', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'Same-Origin' },
      { 'sec-fetch-site': '' },
      { origin: 'https://other.example' },
      { origin: 'null' },
      { origin: 'http://seenby.example' },
      { origin: 'https://seenby.example:8443' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://other.example' },
    ]) {
      const { status, json, waited, headers: sent } = await request('/api/resolver', `id=${id}`, { headers });
      assert.deepEqual([status, json.error, waited], [403, 'cross_origin', []], JSON.stringify(headers));
      assert.deepEqual([sent['Access-Control-Allow-Origin'], sent['Cache-Control']], ['*', 'no-store']);
    }
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://seenby.example' },
      { origin: 'http://10.0.0.1:8080' },
      { referer: 'https://other.example/' },
    ])
      assert.equal((await request('/api/resolver', `id=${id}`, { headers })).status, 200, JSON.stringify(headers));
  });
});

test('/api/probes states what the deployment offers, and nothing by default', async () => {
  const stun = { host: 'stun.a.example', port: 3478, mappingPort: null };
  const all: Probes = { ...probes, stun, portCheck: true };
  assert.deepEqual((await request('/api/probes', '', { deployment: { probes: all } })).json, all);
  const none = await request('/api/probes', '', { deployment: {}, headers: { 'sec-fetch-site': 'cross-site' } });
  assert.deepEqual([none.status, none.json], [200, { dns: null, stun: null, portCheck: false }]);
  assert.deepEqual(none.spent, [['general']]);
});
