/** Runs in the namespace of a visitor: a browser on the start page of the service, which runs the test; prints what the page shows. */
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { openFirefox } from '../fingerprints/firefox.ts';
import { launchOptions, writeScreenshot } from './chromium.ts';
import { type Expected, expectedOf } from './situations.ts';

export interface Visit {
  readonly name: string;
  readonly browser: 'chromium' | 'firefox';
  readonly url: string;
  /** The URL of a resolver over HTTPS, and its certificate (PEM). */
  readonly encrypted: { readonly url: string; readonly certificate: string } | null;
  /** How the browser is set: without WebRTC, or so that it hides addresses. */
  readonly setting: 'off' | 'hidden' | null;
  /** What the page should state. */
  readonly expected: Expected;
}

export interface Shown {
  /** Label, text, detail and addresses of each finding. */
  readonly findings: readonly (readonly [label: string, text: string, detail: string, addresses: string])[];
  /** The row of the first screen. */
  readonly row: string;
  readonly ms: number;
}

/** The body of a function that runs the test of the page. */
const runTest = `return (async () => {
  const text = (element) => element?.textContent ?? '';
  const button = document.querySelector('.run');
  const began = performance.now();
  button.click();
  while (button.ariaDisabled === 'true') await new Promise((resolve) => setTimeout(resolve, 20));
  const ms = Math.round(performance.now() - began);
  const findings = [...document.querySelectorAll('.test dt')].map((dt) => {
    const dd = dt.nextElementSibling;
    return [text(dt), ...['b', '.small', '.mono'].map((each) => text(dd.querySelector(each)))];
  });
  return { findings, row: text(document.querySelector('.overview .tested dd')), ms };
})()`;

/** A busy machine delays queries and responses beyond the time of the test, and a browser uses the system's resolver until it has tried an encrypted one. */
const maxRuns = 8;
const pauseMs = 1_000;

async function runUntil(expected: Expected, run: () => Promise<unknown>): Promise<Shown> {
  for (let at = 1; ; at += 1) {
    const shown = (await run()) as Shown;
    if (at === maxRuns || isDeepStrictEqual(expectedOf(shown), expected)) return shown;
    await delay(pauseMs);
  }
}

async function visitWithChromium({ name, url, encrypted, setting, expected }: Visit, folder: string): Promise<Shown> {
  const args = setting === 'hidden' ? ['--webrtc-ip-handling-policy=disable_non_proxied_udp'] : [];
  if (encrypted !== null) {
    const localState = { dns_over_https: { mode: 'automatic', templates: encrypted.url } };
    writeFileSync(join(folder, 'Local State'), JSON.stringify(localState));
    const key = new X509Certificate(encrypted.certificate).publicKey.export({ type: 'spki', format: 'der' });
    args.push(`--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`);
  }
  const context = await chromium.launchPersistentContext(folder, launchOptions(args));
  const [page] = context.pages() as [Page];
  if (setting === 'off') await page.addInitScript('delete globalThis.RTCPeerConnection');
  await page.goto(url);
  const shown = await runUntil(expected, () => page.evaluate(`(() => { ${runTest} })()`));
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await writeScreenshot(page.locator('.overview'), `situation-${name}-${width}-overview`);
    await writeScreenshot(page.locator('.test'), `situation-${name}-${width}`);
  }
  await context.close();
  return shown;
}

async function visitWithFirefox({ url, encrypted, setting, expected }: Visit): Promise<Shown> {
  await using firefox = await openFirefox({
    ...(encrypted !== null && {
      // With the system's resolver as the fallback.
      'network.trr.mode': 2,
      'network.trr.uri': encrypted.url,
      'network.trr.custom_uri': encrypted.url,
      'network.trr.confirmationNS': 'skip',
    }),
    ...(setting === 'off' && { 'media.peerconnection.enabled': false }),
    ...(setting === 'hidden' && { 'media.peerconnection.ice.proxy_only': true }),
  });
  await firefox.load(url);
  // Awaited here, because Firefox ends with this function.
  const shown = await runUntil(expected, () => firefox.run(runTest));
  return shown;
}

const visit = JSON.parse(process.argv[2] ?? '') as Visit;
const folder = mkdtempSync(join(tmpdir(), 'seenby-visitor-'));
const shown = visit.browser === 'chromium' ? await visitWithChromium(visit, folder) : await visitWithFirefox(visit);
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
process.stdout.write(JSON.stringify(shown));
