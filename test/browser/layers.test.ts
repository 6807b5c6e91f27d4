/** Direct visits of Chromium, Firefox and curl never get the sentence about the layers, also while the service is busy. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { explainLayers } from '../../src/http/page/home/layers.ts';
import { RoundTrips } from '../../src/resources/round-trip.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { isInstalled } from '../acceptance/proxies.ts';
import { loadInFirefox } from '../fingerprints/firefox.ts';
import { startNode } from '../node-service.ts';
import { roundsOf, skipUnlessAll } from '../random.ts';
import { launchOptions, openBrowser, skipWithoutChromium } from './chromium.ts';
import { createSlowAuthority } from './verification.ts';

const visits = roundsOf(16, 0.25);
const timeout = 900_000;
let service: Service;
before(async () => {
  service = await startNode({ host: '127.0.0.1' });
});
after(() => service.close());

/** Checks the responses to second requests. */
function assertUnexplained(responses: readonly string[]): void {
  const all = responses.map((response) => RoundTrips.parse(JSON.parse(response)));
  assert.equal(all.length, visits);
  for (const roundTrips of all) assert.equal(explainLayers(roundTrips), null, JSON.stringify(roundTrips));
}

async function visitWithCurl(): Promise<string[]> {
  const responses: string[] = [];
  for (let each = 0; each < visits; each += 1) {
    const urls = ['/ip', '/round-trips'].map((path) => `${service.https}${path}`);
    const { stdout } = await promisify(execFile)('curl', ['-sk', '--http2', ...urls]);
    responses.push(stdout.slice(stdout.indexOf('{')));
  }
  return responses;
}

/** Until the end of the test, iterations of the service's event loop take 40 ms. */
function keepBusy(context: TestContext): void {
  const busy = setInterval(() => {
    const endMs = performance.now() + 40;
    while (performance.now() < endMs);
  }, 45);
  context.after(() => clearInterval(busy));
}

test('explains no difference for curl', { timeout }, async () => {
  assertUnexplained(await visitWithCurl());
});

test('explains no difference for curl if the service is busy', { timeout }, async (context) => {
  keepBusy(context);
  assertUnexplained(await visitWithCurl());
});

async function visitWithChromium(browser: Browser, origin: string, options: BrowserContextOptions): Promise<string[]> {
  const responses: string[] = [];
  for (let each = 0; each < visits; each += 1) {
    const visitor = await browser.newContext(options);
    const page = await visitor.newPage();
    await page.goto(`${origin}/`);
    responses.push(await page.evaluate("fetch('/round-trips').then((response) => response.text())"));
    await visitor.close();
  }
  return responses;
}

test('explains no difference for Chromium', { timeout, skip: skipWithoutChromium() }, async (context) => {
  const browser = await openBrowser();
  context.after(() => browser.close());
  assertUnexplained(await visitWithChromium(browser, `${service.https}`, { ignoreHTTPSErrors: true }));
});

/** A connection for each host. */
const hostLabels = Array.from({ length: visits }, (_, each) => `v${each}`);

async function visitWithFirefox(
  origin: string,
  preferences: Readonly<Record<string, unknown>> = {},
  prepare?: (profile: string) => void,
): Promise<readonly string[]> {
  const { port } = new URL(origin);
  const urls = hostLabels.flatMap((label) =>
    ['/ip', '/round-trips?format=json'].map((path) => `https://${label}.localhost:${port}${path}`),
  );
  const texts = await loadInFirefox(urls, { 'devtools.jsonview.enabled': false, ...preferences }, prepare);
  return texts.filter((text) => text.includes('{'));
}

test('explains no difference for Firefox', { timeout, skip: skipUnlessAll }, async () => {
  assertUnexplained(await visitWithFirefox(`${service.https}`));
});

const skipSlow = skipUnlessAll || (!isInstalled('certutil') && !process.env.CI ? 'needs certutil' : false);

test('explains no difference for Chromium while it loads a missing intermediate certificate', {
  timeout,
  skip: skipSlow || skipWithoutChromium(),
}, async (context) => {
  await using authority = await createSlowAuthority([]);
  const slow = await startNode({ host: '127.0.0.1', tlsCert: authority.leaf, tlsKey: authority.key });
  context.after(() => slow.close());
  const browser = await chromium.launch({ ...launchOptions([]), env: { ...process.env, HOME: authority.home } });
  context.after(() => browser.close());
  const origin = `https://localhost:${new URL(slow.https ?? '').port}`;
  assertUnexplained(await visitWithChromium(browser, origin, {}));
  assert.ok(authority.requests.aia > 0);
});

test('explains no difference for Firefox while it waits for OCSP', { timeout, skip: skipSlow }, async (context) => {
  await using authority = await createSlowAuthority(hostLabels);
  const slow = await startNode({ host: '127.0.0.1', tlsCert: authority.chain, tlsKey: authority.key });
  context.after(() => slow.close());
  const preferences = { 'security.OCSP.enabled': 1 };
  assertUnexplained(await visitWithFirefox(`${slow.https}`, preferences, authority.trustIn));
  assert.ok(authority.requests.ocsp > 0);
});
