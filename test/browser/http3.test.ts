/** Browsers over HTTP/3: what they are shown, and that nothing about them counts as an imitation. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { App } from '../../src/http/app.ts';
import { ownTraits } from '../../src/mcp/tools.ts';
import type { Fingerprint } from '../../src/resources/fingerprint.ts';
import type { Info } from '../../src/resources/info.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { isInstalled } from '../acceptance/proxies.ts';
import { loadInFirefox } from '../fingerprints/firefox.ts';
import { createAuthority } from '../internet/certificates.ts';
import { startNode } from '../node-service.ts';
import { skipUnlessAll } from '../random.ts';
import { openBrowser, skipWithoutChromium, writeScreenshot } from './chromium.ts';

const timeout = 300_000;
const hasFirefox = isInstalled('firefox-esr') && isInstalled('certutil');
/** It takes ten seconds. */
const skipFirefox = skipUnlessAll || (!hasFirefox && !process.env.CI ? 'needs firefox-esr and certutil' : false);

/** Rules that compare how a client opens a connection with its User-Agent. */
const openingRules = ['tls-client-differs', 'http-client-differs', 'host-not-first'];

const hints: string[] = [];
const watch =
  (app: App): App =>
  (observed, platform, ...rest) => {
    if (observed.path === '/fingerprint')
      hints.push(
        ...ownTraits({ observed, platform }).hints.flatMap(({ id }) => (openingRules.includes(id) ? [id] : [])),
      );
    return app(observed, platform, ...rest);
  };

const folder = mkdtempSync(join(tmpdir(), 'seenby-'));
const authority = await createAuthority();
const pem = await authority.sign(['localhost']);
let service: Service;
before(async () => {
  const tlsCert = join(folder, 'cert.pem');
  const tlsKey = join(folder, 'key.pem');
  writeFileSync(tlsCert, pem.cert);
  writeFileSync(tlsKey, pem.key);
  writeFileSync(join(folder, 'authority.pem'), authority.certificate);
  const settings = { host: '127.0.0.1', http3Port: 0, tlsCert, tlsKey };
  service = await startNode(settings, {}, () => {}, watch);
});
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

test('Chromium loads the pages over HTTP/3, with 100 requests at once', {
  timeout,
  skip: skipWithoutChromium(),
}, async () => {
  const origin = `https://localhost:${new URL(service.http3 ?? '').port}`;
  const spki = new X509Certificate(pem.cert).publicKey.export({ type: 'spki', format: 'der' });
  await using browser = await openBrowser([
    '--host-resolver-rules=MAP localhost 127.0.0.1',
    `--origin-to-force-quic-on=${new URL(origin).host}`,
    `--ignore-certificate-errors-spki-list=${createHash('sha256').update(spki).digest('base64')}`,
  ]);
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(0);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`${origin}/`);
  assert.equal(await page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol"), 'h3');
  assert.match(await page.innerText('body'), /HTTP\/3/);
  await writeScreenshot(page, 'http3-chromium');
  const json = (path: string) =>
    page.evaluate(`fetch('${path}').then((response) => response.json())`) as Promise<Info & Fingerprint>;
  const { http, tls, network } = await json('/json');
  assert.deepEqual([http.protocol, tls.version], ['HTTP/3', 'TLSv1.3']);
  assert.ok(Number(network.clientQuicRttMs) > 0 && network.clientTcpRttMs === null);
  const fingerprint = await json('/fingerprint');
  assert.equal(fingerprint.h3.text, '1:65536;6:262144;7:100;51:1;GREASE|GREASE|984832|m,a,s,p');
  assertFingerprint(fingerprint);
  assert.ok(Number(fingerprint.quic.cryptoFrames) > 0 && Number(fingerprint.quic.datagrams) > 0);
  assert.ok(fingerprint.quic.transportParameters?.some(({ name }) => name === 'GREASE'));
  const statuses = (await page.evaluate(
    "Promise.all(Array.from({ length: 100 }, (_, at) => fetch('/ip?' + at).then(({ status }) => status)))",
  )) as number[];
  assert.deepEqual([statuses.length, [...new Set(statuses)]], [100, [200]]);
  assert.deepEqual([errors, hints], [[], []]);
});

/** JA4 again, from the lists that the response contains (FoxIO's JA4.md); and what every browser sends over QUIC. */
function assertFingerprint({ ja4, tls, quic, http, tcp }: Fingerprint): void {
  const hex = ({ id }: { readonly id: number }): string => id.toString(16).padStart(4, '0');
  const known = (values: readonly { readonly id: number; readonly name: string | null }[] | null) =>
    (values ?? []).filter(({ name }) => name !== 'GREASE').map(hex);
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
  const ciphers = known(tls.cipherSuites).sort();
  const extensions = known(tls.extensions);
  const hashed = extensions.filter((id) => id !== '0000' && id !== '0010').sort();
  const counts = [ciphers, extensions].map(({ length }) => String(length).padStart(2, '0'));
  const last = digest(`${hashed.join(',')}_${known(tls.signatureAlgorithms).join(',')}`);
  assert.equal(ja4, `q13d${counts.join('')}h3_${digest(ciphers.join(','))}_${last}`);
  assert.equal(quic.version, 1);
  assert.ok(quic.transportParameters?.some(({ name, value }) => name === 'max_idle_timeout' && Number(value) > 0));
  assert.equal(http.settings?.[0]?.name, 'QPACK_MAX_TABLE_CAPACITY');
  assert.deepEqual([tcp.ttl, http.windowUpdate, http.frames], [null, null, null]);
}

test('Firefox follows Alt-Svc from HTTP/2 to HTTP/3', { skip: skipFirefox }, async () => {
  const prepare = (profile: string): void => {
    execFileSync('certutil', ['-N', '--empty-password', '-d', `sql:${profile}`]);
    const trusted = ['-A', '-t', 'C,,', '-n', 'test', '-i', join(folder, 'authority.pem')];
    execFileSync('certutil', [...trusted, '-d', `sql:${profile}`]);
  };
  const url = `https://localhost:${new URL(service.https ?? '').port}/fingerprint`;
  const preferences = {
    'network.http.http3.disable_when_third_party_roots_found': false,
    'devtools.jsonview.enabled': false,
  };
  const texts = await loadInFirefox(
    [url, ...Array.from({ length: 5 }, (_, at) => `${url}?${at}`)],
    preferences,
    prepare,
  );
  const seen: Fingerprint[] = texts.map((text) => JSON.parse(text));
  assert.deepEqual([seen[0]?.http.version, seen.at(-1)?.http.version], ['HTTP/2', 'HTTP/3']);
  const last = seen.at(-1) ?? assert.fail();
  assert.equal(last.h3.text, '1:65536;7:20;727725890:0;16765559:1;51:1;8:1|GREASE|m,s,a,p');
  assertFingerprint(last);
  assert.deepEqual(hints, []);
});
