/** Requests that test the client's network: whose they may be, and what they count against. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RateName } from '../../src/core/limits.ts';
import type { ObservedRequest } from '../../src/core/observed.ts';
import type { Deployment } from '../../src/core/request-context.ts';
import { createApp } from '../../src/http/app.ts';
import { seenAll } from '../observed.ts';
import { decisionOf, platformOf } from '../platform.ts';
import { noBody } from '../request-context.ts';

const deployment: Deployment = {
  publicUrl: 'https://seenby.example',
  contact: null,
  probes: { dns: null, stun: null, portCheck: true },
};

/** Status, error, and what the request counted against and connected to. */
async function request(changed: Partial<ObservedRequest> = {}, site: Deployment = deployment) {
  const counted: (readonly RateName[])[] = [];
  const lookups: string[] = [];
  const ports: number[] = [];
  const app = createApp(site);
  const { status, body } = await app(
    { ...seenAll, simulated: false, path: '/api/port', query: 'port=443', headers: {}, ...changed },
    platformOf({
      limit: (rates) => decisionOf(counted.push(rates) > 0),
      countLookup: (name, outcome) => void lookups.push(`${name} ${outcome}`),
      connectBack: async (_, port) => {
        ports.push(port);
        return { state: 'open', elapsedMs: 1.4 };
      },
    }),
    noBody,
  );
  const content = body === '' ? {} : JSON.parse(`${body}`);
  return { status, content, text: `${body}`, counted: counted.flat(), ports, lookups };
}

test('programs, visitors and pages of the service run the test, which counts as a lookup', async () => {
  for (const headers of [
    {},
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://seenby.example' },
    { origin: 'https://SEENBY.example:443' },
    { referer: 'https://other.example/' },
  ]) {
    const { status, content, counted, ports, lookups } = await request({ headers });
    assert.deepEqual([status, ports, counted, lookups], [200, [443], ['general', 'lookup'], ['port ok']]);
    assert.deepEqual(content, { ip: seenAll.ip, port: 443, state: 'open', elapsedMs: 1 });
  }
});

test('pages of the service run the test over the other IP version, at the host for it', async () => {
  const site = { ...deployment, publicUrlV4: 'https://v4.seenby.example', publicUrlV6: 'https://seenby-v6.example' };
  for (const headers of [
    { 'sec-fetch-site': 'same-site', origin: 'https://v4.seenby.example' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://seenby.example' },
    { origin: 'https://seenby-v6.example' },
  ])
    assert.equal((await request({ headers, origin: 'https://seenby-v6.example' }, site)).status, 200);
  for (const headers of [
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://v5.seenby.example' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://other.example' },
  ])
    assert.equal((await request({ headers, origin: 'https://seenby-v6.example' }, site)).status, 403);
});

test('pages of other origins and prefetches get 403, connect to nothing, and count only as a request', async () => {
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'same-origin, cross-site' },
    { 'sec-fetch-site': '' },
    // Over plain HTTP, and in old browsers.
    { origin: 'https://other.example' },
    { origin: 'http://seenby.example' },
    { origin: 'https://seenby.example:8443' },
    { origin: 'null' },
    { origin: '' },
    { 'sec-fetch-site': 'none', 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
  ]) {
    const { status, content, counted, ports, lookups } = await request({ headers });
    assert.deepEqual([status, content.error], [403, 'cross_origin'], JSON.stringify(headers));
    assert.deepEqual([ports, counted, lookups], [[], ['general'], []]);
  }
});

test('a page that resolves its own name to the service gets 403 if PUBLIC_URL is set', async () => {
  const statusAt = async (host: string, site?: Deployment) =>
    (await request({ origin: `http://${host}` }, site)).status;
  assert.equal(await statusAt('attacker.example'), 403);
  assert.equal(await statusAt('seenby.example.attacker.example'), 403);
  for (const host of ['seenby.example', '192.0.2.1', '[2001:db8::1]:8080', 'localhost:8080', 'backend', 'a.internal'])
    assert.equal(await statusAt(host), 200, host);
  assert.equal(await statusAt('v4.example', { ...deployment, publicUrlV4: 'https://v4.example' }), 200);
  const otherHosts = ['seenby.example', 'www.seenby.example'];
  for (const host of ['seenby.example.', 'www.seenby.example', 'www.seenby.example.:8443'])
    assert.equal(await statusAt(host, { ...deployment, otherHosts }), 200, host);
  assert.equal(await statusAt('www.seenby.example'), 403);
  assert.equal(await statusAt('seenby.example..', { ...deployment, otherHosts }), 403);
  assert.equal(await statusAt('any.example', { ...deployment, publicUrl: null }), 200);
});

test('HEAD runs no test', async () => {
  const { status, ports, counted } = await request({ method: 'HEAD' });
  assert.deepEqual([status, ports, counted], [200, [], ['general']]);
  assert.equal((await request({ method: 'HEAD', headers: { 'sec-fetch-site': 'cross-site' } })).status, 403);
});

test('a deployment without the test responds with 404, and counts no lookup', async () => {
  const { status, content, counted } = await request({}, { publicUrl: null, contact: null });
  assert.deepEqual([status, content.error, counted], [404, 'not_enabled', ['general']]);
});

test('the shape of echoip has the same access, and its own errors', async () => {
  const at = (path: string, changed: Partial<ObservedRequest> = {}, site?: Deployment) =>
    request({ path: `/as/echoip/port/${path}`, query: 'port=22&ip=8.8.8.8', ...changed }, site);
  const { status, text, counted, ports, lookups } = await at('0443');
  assert.deepEqual([status, counted, ports, lookups], [200, ['general', 'lookup'], [443], ['port ok']]);
  assert.equal(text, `{\n  "ip": "${seenAll.ip}",\n  "port": 443,\n  "reachable": true\n}`);
  for (const port of ['0', '65536', '-1', 'x', '%2B1', '1e3']) {
    const invalid = await at(port);
    const error = `invalid port: ${decodeURIComponent(port)}`;
    assert.deepEqual([invalid.status, invalid.content, invalid.ports], [400, { status: 400, error }, []], port);
  }
  const foreign = await at('443', { headers: { 'sec-fetch-site': 'cross-site' } });
  assert.deepEqual([foreign.status, foreign.counted, foreign.ports], [403, ['general'], []]);
  const head = await at('443', { method: 'HEAD' });
  assert.deepEqual([head.status, head.text, head.counted, head.ports], [200, '', ['general'], []]);
  const off = await at('443', {}, { publicUrl: null, contact: null });
  assert.deepEqual([off.status, off.content.error, off.counted], [404, 'not_enabled', ['general']]);
});
