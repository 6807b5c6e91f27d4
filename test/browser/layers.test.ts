/** Direct visits of Chromium, Firefox and curl never get the sentence about the layers, also while the service is busy. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { explainLayers } from '../../src/http/page/home/layers.ts';
import { RoundTrips } from '../../src/resources/round-trip.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { loadInFirefox } from '../fingerprints/firefox.ts';
import { startNode } from '../node-service.ts';
import { roundsOf, skipUnlessAll } from '../random.ts';
import { openBrowser, skipWithoutChromium } from './chromium.ts';

const visits = roundsOf(200, 0.02);
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

test('curl gets no sentence', { timeout }, async () => {
  assertUnexplained(await visitWithCurl());
});

test('curl gets none from a busy service', { timeout }, async (context) => {
  keepBusy(context);
  assertUnexplained(await visitWithCurl());
});

test('Chromium gets no sentence', { timeout, skip: skipWithoutChromium() }, async (context) => {
  const browser = await openBrowser();
  context.after(() => browser.close());
  const responses: string[] = [];
  for (let each = 0; each < visits; each += 1) {
    const visitor = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await visitor.newPage();
    await page.goto(`${service.https}/`);
    responses.push(await page.evaluate("fetch('/round-trips').then((response) => response.text())"));
    await visitor.close();
  }
  assertUnexplained(responses);
});

test('Firefox gets no sentence', { timeout, skip: skipUnlessAll }, async () => {
  const { port } = new URL(service.https ?? '');
  // A connection for each host, because the certificate has none of these names.
  const urls = Array.from({ length: visits }, (_, each) =>
    ['/ip', '/round-trips?format=json'].map((path) => `https://v${each}.localhost:${port}${path}`),
  );
  const texts = await loadInFirefox(urls.flat(), { 'devtools.jsonview.enabled': false });
  assertUnexplained(texts.filter((text) => text.includes('{')));
});
