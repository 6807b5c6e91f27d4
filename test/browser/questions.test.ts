/** The first questions of a visitor: how many clicks lead from the start page to each answer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { type SimulatedInternet, skipWithoutInternet } from '../internet/internet.ts';
import { type SimulatedService, serveIn } from '../internet/service.ts';
import { sharedInternet } from '../internet/shared.ts';
import { seenAll } from '../observed.ts';
import { applicationOf, closePage, openPage, origin, skipWithoutChromium } from './chromium.ts';
import { sharedBrowser } from './shared-browser.ts';

/** Counts the clicks of one visitor. */
class Visitor {
  clicks = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }

  async lookUp(typed: string): Promise<void> {
    await this.page.getByLabel('Domain, URL, IP address').fill(typed);
    await this.click(this.page.getByRole('search').getByRole('button'));
  }
}

/** Whether the visitor sees it without scrolling. */
async function assertInSight(answer: Locator): Promise<void> {
  await answer.waitFor();
  const { y = -1, height = 0 } = (await answer.boundingBox()) ?? {};
  assert.ok(y >= 0 && y + height <= 800, `the answer is at ${y}`);
}

const viewport = { width: 1280, height: 800 };

describe('in Chromium, a visitor finds', { skip: skipWithoutInternet() || skipWithoutChromium() }, () => {
  let internet: SimulatedInternet;
  let service: SimulatedService;
  let browser: Browser;
  before(async () => {
    [internet, browser] = await Promise.all([sharedInternet(), sharedBrowser()]);
    service = await serveIn(internet);
  });
  after(async () => {
    await service?.close();
  });

  test('their IPv6 address, and a time zone that contradicts it, without a click', async () => {
    const location = { ...seenAll.location, timezone: 'Europe/Oslo' };
    const { page } = await openPage(browser, applicationOf({ location }), { viewport, timezoneId: 'America/New_York' });
    await page.goto('/');
    await assertInSight(page.getByText('2001:db8::1', { exact: true }).first());
    await assertInSight(page.locator('#notable').getByText("Your browser's time zone differs from your IP address's"));
    await closePage(page);
  });

  test('the values that identify them, with one click', async () => {
    const { page } = await openPage(browser, applicationOf(), { viewport, reducedMotion: 'reduce' });
    await page.goto('/');
    const visitor = new Visitor(page);
    await visitor.click(page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Fingerprint' }));
    await page.waitForFunction('scrollY > 0');
    await assertInSight(page.locator('.hashes').getByText('stable').first());
    assert.equal(visitor.clicks, 1);
    assert.equal(page.url(), `${origin}/#fingerprint`);
    await closePage(page);
  });

  /** The start page on a real server, so that the browser sends the headers that an intercepted request lacks. */
  async function visit(answer: (visitor: Visitor) => Promise<void>): Promise<void> {
    const server = createServer(async ({ url = '', method = '', headers }, response) => {
      const { accept = '', referer = '', 'sec-fetch-site': site = '' } = headers as Record<string, string>;
      const {
        status,
        headers: sent,
        body,
      } = await internet.sendRequest(`${service.url}${url}`, {
        method,
        headers: { accept, referer, 'sec-fetch-site': site },
        from: '25.2.0.3',
      });
      const { connection: _, 'transfer-encoding': __, ...kept } = sent as Record<string, string>;
      response.writeHead(status, kept).end(body);
    });
    await once(server.listen(0), 'listening');
    const { port } = server.address() as AddressInfo;
    const page = await browser.newPage({ viewport });
    page.setDefaultTimeout(0);
    try {
      await page.goto(`http://localhost:${port}/`);
      await answer(new Visitor(page));
    } finally {
      await page.close();
      server.closeAllConnections();
      server.close();
    }
  }

  test('who owns a domain and when it expires, with one click', async () => {
    await visit(async (visitor) => {
      await visitor.lookUp('example.com');
      await assertInSight(visitor.page.getByText('Expires').first());
      await assertInSight(visitor.page.getByText('13 Aug 2027').first());
      assert.equal(visitor.clicks, 1);
    });
  });

  test("a site's header grade and the lines for nginx, with two clicks", async () => {
    await visit(async (visitor) => {
      await visitor.lookUp('https://example.com/');
      await assertInSight(visitor.page.locator('.letter'));
      await visitor.click(visitor.page.getByText('configuration for nginx').first());
      await visitor.page
        .getByText(/^add_header Content-Security-Policy/)
        .first()
        .waitFor();
      assert.equal(visitor.clicks, 2);
    });
  });
});
