/** The fingerprints of real clients, compared with what other programs compute from the same bytes, and through a TCP proxy. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { prefixOf } from '../../src/core/address.ts';
import type { App } from '../../src/http/app.ts';
import { ownTraits } from '../../src/mcp/tools.ts';
import { type Fingerprint, fingerprint } from '../../src/resources/fingerprint.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { isInstalled, proxies, type RunningProxy, startProxy } from '../acceptance/proxies.ts';
import { startNode } from '../node-service.ts';
import { skipUnlessAll } from '../random.ts';
import { clients, type LiveClient } from './clients.ts';
import { akamaiTextOf, tlsFingerprintsOf } from './independent.ts';
import { startRelay } from './recording-relay.ts';

const seen: Fingerprint[] = [];
const hints: string[] = [];
const watch =
  (app: App): App =>
  (observed, platform, ...rest) => {
    if (observed.path === '/fingerprint') {
      seen.push(fingerprint(observed));
      hints.push(...ownTraits({ observed, platform }).hints.map(({ id }) => id));
    }
    return app(observed, platform, ...rest);
  };
const openingRules = ['tls-client-differs', 'http-client-differs', 'host-not-first'];
const openingHints = (): string[] => hints.filter((id) => openingRules.includes(id));

/** Firefox sends its first request some milliseconds after its SETTINGS, more on a loaded machine. */
const patient = { prefaceGraceMs: 5000 };

const pem = await createLocalhostCertificate();
let direct: Service;
let relayed: Service;
let haproxy: RunningProxy;
before(async () => {
  direct = await startNode({ host: '127.0.0.1' }, patient, () => {}, watch);
  const trusting = { host: '127.0.0.1', proxyProtocol: true, trustProxy: [prefixOf('127.0.0.1')] };
  relayed = await startNode(trusting, patient, () => {}, watch);
  if (isInstalled('haproxy')) haproxy = await startProxy(proxies.haproxyTcp, relayed, pem);
});
after(async () => {
  await haproxy?.close();
  haproxy?.remove();
  await direct.close();
  await relayed.close();
});

/** Requests through a recording relay; returns the resource, and what others compute from the ClientHello it belongs to. */
async function observe(client: LiveClient, origin: string) {
  const relay = await startRelay(origin);
  seen.length = 0;
  hints.length = 0;
  await client.request(`${relay.origin}/fingerprint`);
  await relay.close();
  const [resource] = seen;
  assert.ok(resource, `${client.name} sent no request`);
  // Browsers open more connections than the one of the request.
  const hellos = await Promise.all(relay.recordings.filter(({ length }) => length > 0).map(tlsFingerprintsOf));
  const independent = hellos.find(({ ja3 }) => ja3 === resource.ja3.hash);
  return { resource, independent };
}

const commands = new Set([...clients.map(({ command }) => command), 'haproxy', 'nghttpd']);
for (const command of commands) {
  test(`has ${command} to fingerprint`, (context) => {
    if (isInstalled(command)) return;
    assert.ok(!process.env.CI, `${command} is not on this machine`);
    context.skip(`${command} is not on this machine: what needs it did not run`);
  });
}

for (const client of clients.filter(({ command }) => isInstalled(command))) {
  // Each start of Firefox takes seconds.
  describe(client.name, { skip: client.command === 'firefox-esr' && skipUnlessAll }, () => {
    let resource: Fingerprint;

    test('has the TLS fingerprints that another program computes from its ClientHello', async () => {
      const observed = await observe(client, direct.https ?? '');
      resource = observed.resource;
      assert.deepEqual({ ja3: resource.ja3.hash, ja3n: resource.ja3n.hash, ja4: resource.ja4 }, observed.independent);
      assert.deepEqual(openingHints(), []);
      assert.equal(resource.http.version, client.http2 ? 'HTTP/2' : 'HTTP/1.1');
      assert.equal(resource.tls.serverName, 'localhost');
      if (process.platform === 'linux') assert.equal(resource.tcp.ipVersion, 4);
    });

    if (client.http2 && isInstalled('nghttpd')) {
      test('has the HTTP/2 fingerprint that another server prints', async () => {
        assert.equal(resource.akamai.text, await akamaiTextOf(pem, client.request));
      });
    }

    if (isInstalled('haproxy')) {
      test('has the same fingerprints through HAProxy, which passes TLS on', async () => {
        const { resource: passed, independent } = await observe(client, haproxy.https);
        assert.deepEqual([passed.ja3n, passed.ja4, passed.ja4_r], [resource.ja3n, resource.ja4, resource.ja4_r]);
        // Another port is in the value of Host.
        const named = ({ headers, ...http }: Fingerprint['http']) => ({
          ...http,
          names: headers?.map(([name]) => name),
        });
        assert.deepEqual([passed.akamai, named(passed.http)], [resource.akamai, named(resource.http)]);
        assert.equal(passed.ja4, independent?.ja4);
        assert.equal(passed.ja3.hash === resource.ja3.hash, !client.shuffles);
        assert.equal(passed.tcp.ttl, null);
        assert.deepEqual(openingHints(), []);
      });
    }
  });
}

test('notices curl and Node with the User-Agent of Chrome', { skip: !isInstalled('curl') }, async () => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';
  const curl = clients.find(({ name }) => name === 'curl') ?? assert.fail();
  const request = (url: string) => promisify(execFile)('curl', ['-s', '-k', '-4', '-A', chrome, url]);
  await observe({ ...curl, request }, direct.https ?? '');
  assert.deepEqual(openingHints(), ['tls-client-differs', 'http-client-differs']);
  const script = `fetch(process.argv[1], { headers: { 'user-agent': '${chrome}' } }).then((response) => response.text())`;
  const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const fetching = (url: string) => promisify(execFile)(process.execPath, ['-e', script, url], { env });
  await observe({ ...curl, request: fetching }, direct.https ?? '');
  assert.deepEqual(openingHints(), ['tls-client-differs', 'http-client-differs']);
});
