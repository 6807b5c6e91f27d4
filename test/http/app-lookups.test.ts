/** The endpoints for DNS, IP addresses and the client's host name, through the application. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RateName } from '../../src/core/limits.ts';
import { createApp } from '../../src/http/app.ts';
import { lookups } from '../../src/lookups/list.ts';
import { resolverOf, type Zones } from '../lookups/dns/zones.ts';
import { seenAll } from '../observed.ts';
import { decisionOf } from '../platform.ts';
import { noBody } from '../request-context.ts';

const ip = '8.8.4.4';
const ptr = 'PTR 4.4.8.8.in-addr.arpa';

async function request(path: string, query: string, zones: Zones, headers: Record<string, string> = {}) {
  const spent: (readonly RateName[])[] = [];
  const limit = (rates: readonly RateName[]) => decisionOf(spent.push(rates) > 0);
  const { platform, queried } = resolverOf(zones, { limit });
  const app = createApp({ publicUrl: null, contact: null });
  const { status, body } = await app({ ...seenAll, ip, path, query, headers }, platform, noBody);
  return { status, body: `${body}`, spent, queried };
}

test('/host returns the confirmed name of the client as text or JSON, and counts against both rates', async () => {
  const zones: Zones = { [ptr]: ['dns.example'], 'A dns.example': [ip] };
  const text = await request('/host', '', zones);
  assert.deepEqual([text.status, text.body, text.spent], [200, 'dns.example\n', [['general', 'lookup']]]);
  const json = await request('/host', 'format=json', zones);
  assert.deepEqual(JSON.parse(json.body), { host: 'dns.example' });
  assert.deepEqual((await request('/host', '', {})).body, '\n');
  assert.deepEqual(JSON.parse((await request('/host', '', {}, { accept: 'application/json' })).body), { host: null });
});

test('/host fails if the resolvers do', async () => {
  for (const [failure, status, code] of [
    ['timeout', 504, 'upstream_timeout'],
    ['unreachable', 502, 'upstream_error'],
  ] as const) {
    const response = await request('/host', '', { [ptr]: failure });
    assert.deepEqual([response.status, JSON.parse(response.body).error], [status, code]);
  }
});

test('/api/dns queries type A by default, and returns what the tool does', async () => {
  const zones: Zones = { 'A example.com': ['192.0.2.1'], 'TXT example.com': ['v=spf1 -all'] };
  const { status, body, spent } = await request('/api/dns', 'name=example.com', zones);
  assert.deepEqual([status, spent], [200, [['general', 'lookup']]]);
  const { name, type, records, resolver } = JSON.parse(body);
  assert.deepEqual([name, type, records[0].data, resolver], ['example.com', 'A', '192.0.2.1', 'resolver.example']);
  const txt = await request('/api/dns', 'type=txt&name=Example.COM.', zones);
  assert.deepEqual(JSON.parse(txt.body).records[0].data, 'v=spf1 -all');
  const missing = await request('/api/dns', 'name=gone.example', zones);
  assert.deepEqual([missing.status, JSON.parse(missing.body).status], [200, 'NXDOMAIN']);
});

test('/api/dns rejects invalid, missing and repeated parameters without a query', async () => {
  for (const query of [
    '',
    'name=',
    'type=A',
    'name=a.example&name=b.example',
    'name=a.example&type=A&type=MX',
    'name=a.example&type=',
    'name=a.example&type=RRSIG',
    'name=a.example&type=ANY',
    'name=8.8.8.8',
    'name=a%20b',
  ]) {
    const { status, body, queried } = await request('/api/dns', query, {});
    assert.deepEqual([status, JSON.parse(body).error, queried], [400, 'invalid_query', []], query);
  }
});

test('each lookup rejects a missing or repeated parameter with its own message, and contacts no server', async () => {
  for (const { path, parameter } of lookups)
    for (const query of ['', `${parameter.name}=a&${parameter.name}=b`]) {
      const { status, body, queried } = await request(path, query, {});
      const { error, message } = JSON.parse(body);
      assert.deepEqual([status, error, queried], [400, parameter.error, []], path + query);
      assert.ok(message.endsWith(`such as ?${parameter.name}=${parameter.example}.`), message);
    }
});

test('/api/dns fails if the resolvers do', async () => {
  for (const [failure, status, code] of [
    ['timeout', 504, 'upstream_timeout'],
    ['unreachable', 502, 'upstream_error'],
  ] as const) {
    const response = await request('/api/dns', 'name=a.example', { 'A a.example': failure });
    assert.deepEqual([response.status, JSON.parse(response.body).error], [status, code]);
  }
});
