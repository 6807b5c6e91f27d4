/** Pages that arrive in parts, or that a slow machine parses in parts: nothing on the screen moves. */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { seenAll } from '../observed.ts';
import { applicationOf, closePage, openBlank, type Responder, skipWithoutChromium } from './chromium.ts';
import { assertStill } from './layout-shift.ts';
import { sharedBrowser } from './shared-browser.ts';

const hosts = { publicUrlV4: 'https://v4.seenby.test', publicUrlV6: 'https://v6.seenby.test' };
const addressData = { locate: () => seenAll.location, autonomousSystem: () => seenAll.autonomousSystem };
const location = { ...seenAll.location, timezone: 'Europe/Oslo' };

const wide = { width: 1366, height: 768 };
const phone = { width: 390, height: 844 };
/** What follows the lookups is on the screen with them. */
const landscape = { width: 844, height: 390 };

/**
 * Serves one page: in one part for each element what its first screen shows, or the section that a fragment leads to; in one part each what
 * is before, what follows, and the scripts. Further requests stay open.
 */
async function servePage(respond: Responder, fragment: string) {
  let client: ServerResponse | undefined;
  let parts: string[] = [];
  const server = createServer(async ({ url = '', headers }, response) => {
    if (client !== undefined) return;
    client = response.writeHead(200, { 'Content-Type': 'text/html' });
    const [path = '', query = ''] = url.split('?');
    const { body } = await respond({ path, query, method: 'GET', headers: headers as Record<string, string> });
    const text = Buffer.from(body).toString();
    const start = fragment === '' ? 0 : text.lastIndexOf('<section', text.indexOf(` id="${fragment}"`));
    const end = start + text.slice(start).search(/<\/(?:section|main)>/);
    const scripts = text.indexOf('<script', end);
    const elements = text.slice(start, end).split(/(?=<(?:p|div|dl|figure|h1|form|details|nav|ul|li)\b)/);
    parts = [text.slice(0, start), ...elements, text.slice(end, scripts), text.slice(scripts)].filter(
      (part) => part !== '',
    );
    response.write(parts.shift());
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    /** Returns whether there are more. */
    sendNext(): boolean {
      const part = parts.shift();
      if (part === undefined) client?.end();
      else client?.write(part);
      return part !== undefined;
    },
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  };
}

describe('in Chromium, nothing moves while a page arrives in parts', { skip: skipWithoutChromium() }, () => {
  let browser: Browser;
  before(async () => {
    browser = await sharedBrowser();
  });

  for (const [path, last, viewports] of [
    ['/', 'This browser reached none of', [wide, phone]],
    ['/#connection', 'Live round-trip times', [wide]],
    ['/#lookups', 'Look up registration', [landscape]],
    ['/lookup/domain?name=example.com', 'querying', [wide, phone]],
    ['/lookup/ip?q=8.8.8.8', 'Link to this lookup', [wide]],
  ] as const)
    for (const viewport of viewports)
      test(`${path}, ${viewport.width} pixels wide`, async () => {
        const [, fragment = ''] = path.split('#');
        await using parts = await servePage(applicationOf({ location }, { addressData }, hosts), fragment);
        const options = { viewport, timezoneId: 'Europe/Oslo', locale: 'en-US', reducedMotion: 'reduce' } as const;
        const page = await openBlank(browser, { ...options, baseURL: parts.origin });
        await page.route('https://**/*', (route) => route.abort());
        await page.goto(path, { waitUntil: 'commit' });
        let sent = 0;
        do {
          await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
          // Other browsers do so while the page arrives, Chromium when it is complete.
          if (fragment !== '') await page.evaluate(`document.getElementById('${fragment}')?.scrollIntoView()`);
          sent += 1;
        } while (parts.sendNext());
        assert.ok(sent > 10, `${sent} parts`);
        await page.getByText(last).first().waitFor();
        await assertStill(page);
        await closePage(page);
      });
});
