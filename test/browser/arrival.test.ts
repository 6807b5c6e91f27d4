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
const location = { ...seenAll.location, timezone: 'Europe/Oslo' };

/** Serves one page: what its first screen shows in one part for each element, the rest in one. Further requests stay open. */
async function servePage(respond: Responder) {
  let client: ServerResponse | undefined;
  let parts: string[] = [];
  const server = createServer(async ({ url = '', headers }, response) => {
    if (client !== undefined) return;
    client = response.writeHead(200, { 'Content-Type': 'text/html' });
    const [path = '', query = ''] = url.split('?');
    const { body } = await respond({ path, query, method: 'GET', headers: headers as Record<string, string> });
    const text = Buffer.from(body).toString();
    const end = text.search(/<\/(?:section|main)>/);
    parts = [...text.slice(0, end).split(/(?=<(?:p|div|dl|figure|h1|form|details|nav|ul)\b)/), text.slice(end)];
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

  for (const [path, last] of [
    ['/', 'This browser reached none of'],
    ['/lookup/domain?name=example.com', 'querying'],
  ] as const)
    for (const viewport of [
      { width: 1366, height: 768 },
      { width: 390, height: 844 },
    ])
      test(`${path}, ${viewport.width} pixels wide`, async () => {
        await using parts = await servePage(applicationOf({ location }, {}, hosts));
        const options = { viewport, timezoneId: 'Europe/Oslo', locale: 'en-US', baseURL: parts.origin };
        const page = await openBlank(browser, options);
        await page.route('https://**/*', (route) => route.abort());
        await page.goto(path, { waitUntil: 'commit' });
        let sent = 0;
        do {
          await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
          sent += 1;
        } while (parts.sendNext());
        assert.ok(sent > 20, `${sent} parts`);
        await page.getByText(last).first().waitFor();
        await assertStill(page);
        await closePage(page);
      });
});
