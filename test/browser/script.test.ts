/** The script of the pages: copying, measuring, and rendering hostile values as text. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { renderDns } from '../../src/http/page/lookup/dns.ts';
import { renderGrade } from '../../src/http/page/lookup/grade.ts';
import { renderIp } from '../../src/http/page/lookup/ip.ts';
import { type Outcome, renderLookupPage } from '../../src/http/page/lookup/page.ts';
import { lookupPageOf } from '../../src/http/page/lookup/pages.ts';
import { renderRegistration } from '../../src/http/page/lookup/registration.ts';
import { lookups } from '../../src/lookups/list.ts';
import {
  hostile,
  hostileCheck,
  hostileDns,
  hostileIp,
  hostileRegistration,
  stranger,
} from '../http/page/lookup/hostile.ts';
import { seenAll } from '../observed.ts';
import { decisionOf } from '../platform.ts';
import { site } from '../request-context.ts';
import { until } from '../until.ts';
import { axeFindings } from './axe.ts';
import {
  applicationOf,
  closePage,
  openPage,
  origin,
  type Responder,
  skipWithoutChromium,
  writeScreenshot,
} from './chromium.ts';
import { sharedBrowser } from './shared-browser.ts';

describe('in Chromium, the script', { skip: skipWithoutChromium() }, () => {
  let browser: Browser;
  before(async () => {
    browser = await sharedBrowser();
  });

  test('copies by click and by keyboard, and announces it', async () => {
    const { page, complaints } = await openPage(browser, applicationOf(), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.goto('/');
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
    await page.getByRole('button', { name: 'Copy the IP address' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied.' }).waitFor({ state: 'attached' });
    assert.equal(await clipboard(), '2001:db8::1');
    await page.getByRole('button', { name: 'Copy the command for the IP address' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Copied', { exact: true }).nth(1).waitFor();
    assert.equal(await clipboard(), `curl ${origin}/ip`);
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('copies and selects whole values, and opens a row by its label only', async () => {
    const { page, complaints } = await openPage(browser, applicationOf(), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.goto('/');
    for (const list of await page.getByText(/^All \d+ values$/).all()) await list.click();
    await page.getByRole('button', { name: 'Copy Round-trip time, TCP' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied.' }).waitFor({ state: 'attached' });
    assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), '12.5');
    await page.getByText('Norway (as the edge says)', { exact: true }).last().dblclick();
    assert.equal(await page.evaluate<string>('getSelection().toString()'), 'Norway (as the edge says)');
    assert.equal(await page.locator('.values [open]').count(), 0);
    await page.getByText('location.countryName', { exact: true }).click();
    assert.equal(await page.getByText('Country name in English').isVisible(), true);
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('opens a row by its value with a finger, a key and assistive technology', async () => {
    const { page } = await openPage(browser, applicationOf(), { hasTouch: true, isMobile: true });
    await page.goto('/');
    await page
      .getByText(/^All \d+ values$/)
      .first()
      .click();
    const row = page.locator('.values > li').first();
    const isOpen = async () => (await row.locator('[open]').count()) === 1;
    await row.locator('.value').tap();
    assert.equal(await isOpen(), true);
    await row.locator('summary').press('Enter');
    assert.equal(await isOpen(), false);
    await closePage(page);
    const withMouse = await openPage(browser, applicationOf());
    await withMouse.page.goto('/');
    await withMouse.page.evaluate("document.querySelector('.values .value').click()");
    assert.equal(await withMouse.page.locator('.values > li').first().locator('[open]').count(), 1);
    await closePage(withMouse.page);
  });

  test('selects a lookup by click, arrow keys, Home and End, one panel at a time', async () => {
    const { page, complaints } = await openPage(browser, applicationOf());
    await page.goto('/');
    const titles = lookups.map((lookup) => lookupPageOf(lookup).title);
    const last = titles.length - 1;
    const assertSelected = async (n: number) => {
      const panels = page.getByRole('tabpanel');
      assert.equal(await panels.count(), 1);
      assert.equal(await panels.getAttribute('aria-labelledby'), `tab-${lookups[n]?.name}`);
      assert.equal(await page.getByRole('tab', { selected: true }).textContent(), titles[n]);
    };
    await assertSelected(0);
    await page.getByRole('tab', { name: titles[1] ?? '' }).click();
    await assertSelected(1);
    // Commands of the browser, of which Alt and an arrow is Back or Forward.
    for (const key of ['Alt+ArrowRight', 'Control+End', 'Meta+ArrowLeft']) {
      await page.keyboard.press(key);
      await assertSelected(1);
    }
    for (const [key, n] of [
      ['ArrowRight', 2],
      ['End', last],
      ['ArrowRight', 0],
      ['ArrowLeft', last],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      await assertSelected(n);
      assert.equal(await page.evaluate('document.activeElement.id'), `tab-${lookups[n]?.name}`);
    }
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('shows why a lookup did not run if nothing states which page requested it, and keeps no result', async () => {
    const application = applicationOf();
    const { page, complaints } = await openPage(browser, ({ headers, ...request }) => {
      const { referer: _, 'sec-fetch-site': __, ...others } = headers;
      return application({ ...request, headers: others });
    });
    await page.goto('/');
    await page.fill('#lookup-rdap', 'example.com');
    await page.getByRole('button', { name: 'Look up registration' }).click();
    await page.getByText('neither Sec-Fetch-Site nor Referer').waitFor();
    assert.equal(await page.getByRole('status').innerText(), 'Nothing was looked up.');
    assert.equal(await page.locator('[data-at]').count(), 0);
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('shows a round-trip time before the chart is visible, and sends nothing for it', async () => {
    const { page, requests } = await openPage(browser, applicationOf());
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.goto('/');
    await page.locator('[data-figure=last]', { hasText: /^[\d.]+ ms$/ }).waitFor();
    assert.match(await plotted(page), /: 1; median /);
    assert.deepEqual(requests, [`${origin}/`]);
    await closePage(page);
  });

  test('measures round-trip times only while visible, at most 5 times a minute, and again on request', async () => {
    const { page, requests } = await openPage(browser, applicationOf());
    const count = () => requests.filter((url) => url === `${origin}/ip`).length;
    // Stopped: a busy machine may take seconds for one request.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(3_600_000);
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.goto('/');
    await page.clock.runFor(30_000);
    assert.equal(count(), 0);
    await page.evaluate("document.querySelector('.round-trips').scrollIntoView()");
    // The test's clock hides the browser's own timing, so that the first request counts as connection setup.
    await advanceUntil(page, () => count() >= 1);
    for (let n = 2; n <= 12; n++) {
      await advance(page, 14_999);
      assert.equal(count(), n - 1);
      await advance(page, 1);
      await advanceUntil(page, async () => (await plotted(page)).includes(`: ${n - 1}; `));
      assert.equal(count(), n);
    }
    await page.getByText('12 requests measured.').waitFor();
    await advance(page, 60_000);
    assert.equal(count(), 12);
    await writeScreenshot(page.locator('.round-trips'), 'round-trips');
    await page.getByRole('button', { name: 'Measure again' }).click();
    await advanceUntil(page, () => count() >= 13);
    await page.context().close();
  });

  test('draws the chart again for another width, so that its text keeps its size', async () => {
    const { page } = await openPage(browser, applicationOf(), { viewport: { width: 844, height: 390 } });
    await page.goto('/');
    await page.locator('.round-trips').scrollIntoViewIfNeeded();
    await page.locator('.plot text').first().waitFor();
    const heightAt = async (width: number) => {
      await page.setViewportSize({ width, height: 844 });
      await page.waitForFunction(`innerWidth === ${width}`);
      // After a frame with that width.
      return page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
        resolve(document.querySelector('.plot text').getBoundingClientRect().height))))`);
    };
    assert.equal(await heightAt(390), await heightAt(844));
    await closePage(page);
  });

  test('completes the round trips by layer with one request when they are visible, and explains them', async () => {
    const layers = { tlsMs: 90, tlsResumed: false, http2Ms: 81 };
    const transport = { ...seenAll.transport, clientTcpRttMs: 2.5, clientQuicRttMs: null };
    const { page, requests, complaints } = await openPage(
      browser,
      applicationOf({ layers, transport, ping: async () => 80.4 }),
    );
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.goto('/');
    const bars = page.locator('.layers');
    // Not the rendered text, which is empty until the browser has laid out what is not on the screen.
    const textOf = async (layer: string) => bars.locator(`[data-layer=${layer}] dd span`).textContent();
    assert.deepEqual([await textOf('tcpMs'), await textOf('pingMs')], ['2.5 ms', '–']);
    assert.equal(await bars.locator('.explained').textContent(), '');
    await bars.scrollIntoViewIfNeeded();
    await bars.getByText('Usual reasons: something near this server').waitFor();
    assert.deepEqual([await textOf('http2Ms'), await textOf('pingMs')], ['81 ms', '80 ms']);
    assert.equal(await bars.locator('[data-layer=tlsMs] rect').getAttribute('width'), '100');
    assert.equal(requests.filter((url) => url === `${origin}/round-trips`).length, 1);
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('keeps the round trips by layer if something else responds', async () => {
    for (const body of ['<h1>Welcome to our hotspot</h1>', 'null', '{}']) {
      const layers = { tlsMs: 90, tlsResumed: false, http2Ms: null };
      const application = applicationOf({ layers, ping: async () => 80.4 });
      const { page, complaints } = await openPage(browser, async (request) =>
        request.path === '/round-trips' ? { status: 200, headers: {}, body } : application(request),
      );
      await page.goto('/');
      const bars = page.locator('.layers');
      const values = await bars.locator('dd span').allTextContents();
      assert.ok(values.includes('90 ms') && values.includes('–'));
      const responded = page.waitForResponse((response) => response.url().endsWith('/round-trips'));
      await bars.scrollIntoViewIfNeeded();
      await (await responded).finished();
      // The script continues after the response, before it renders the next frame.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
      assert.deepEqual(await bars.locator('dd span').allTextContents(), values);
      assert.deepEqual(complaints, []);
      await closePage(page);
    }
  });

  test('stops measuring at the rate limit, with a message', async () => {
    let isFirst = true;
    const limit = () => {
      const allowed = isFirst;
      isFirst = false;
      return decisionOf(allowed);
    };
    const { page, requests } = await openPage(browser, applicationOf({}, { limit }));
    await page.clock.install();
    await page.goto('/');
    await page.locator('.round-trips').scrollIntoViewIfNeeded();
    await page.getByText('Too many requests from this IP').first().waitFor();
    await page.clock.runFor(30_000);
    assert.equal(requests.filter((url) => url === `${origin}/ip`).length, 1);
    await page.context().close();
  });

  test('says that a request was rejected if a proxy responds without JSON', async () => {
    const application = applicationOf();
    const badGateway = { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>502 Bad Gateway</h1>' };
    const { page } = await openPage(browser, async (request) =>
      request.path === '/ip' ? badGateway : application(request),
    );
    await page.goto('/');
    await page.locator('.round-trips').scrollIntoViewIfNeeded();
    await page.getByText('The service rejected the request. Measurement stopped').first().waitFor();
    await closePage(page);
  });

  test('measures no response that is not of the service', async () => {
    const application = applicationOf();
    const hotspot = {
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<h1>Welcome to our hotspot</h1>\n',
    };
    const { page } = await openPage(browser, async (request) =>
      request.path === '/ip' ? hotspot : application(request),
    );
    await page.goto('/');
    const min = page.locator('[data-figure=min]');
    const ofPage = await min.textContent();
    await page.locator('.round-trips').scrollIntoViewIfNeeded();
    await page
      .getByText('The service is unreachable; check your connection, then press Measure again.')
      .first()
      .waitFor();
    assert.equal(await min.textContent(), ofPage);
    await closePage(page);
  });

  test('renders hostile headers as text', async () => {
    const headers: Record<string, string> = {};
    for (let n = 0; n < 100; n++) headers[`x-hostile-${n}`] = n % 10 === 0 ? 'v'.repeat(8192) : `${hostile} ${n}`;
    const { page, complaints, requests } = await openPage(
      browser,
      applicationOf({
        headers: { accept: 'text/html', ...headers, "x-'name`$(id)": 'odd', 'user-agent': hostile },
        acceptEncoding: hostile,
      }),
      { viewport: { width: 390, height: 844 } },
    );
    page.on('dialog', () => assert.fail('a value ran'));
    await page.goto('/');
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('script').count(), 2);
    // Rows above the page's bound on a client's headers are only counted.
    await page.getByText(/^\d+ of 104 values$/).click();
    await page.getByText('x-hostile-10', { exact: true }).click();
    assert.equal((await page.locator('li details[open] .full').innerText()).length, 8192);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
    assert.deepEqual(await axeFindings(page), []);
    await writeScreenshot(page, 'home-hostile-headers');
    assert.deepEqual(complaints, []);
    assert.ok(requests.every((url) => url.startsWith(`${origin}/`)));
    await closePage(page);
  });

  for (const [path, result, value] of [
    ['/lookup/headers', renderGrade(hostileCheck()), hostileCheck()],
    ['/lookup/rdap', renderRegistration(hostileRegistration(), stranger), hostileRegistration()],
    ['/lookup/dns', renderDns(hostileDns()), hostileDns()],
    ['/lookup/ip', renderIp(hostileIp(), stranger), hostileIp()],
  ] as const)
    test(`shows a hostile result as text, on the start page and on its own: ${path}`, async () => {
      const application = applicationOf();
      const respond: Responder = async (request) => {
        const response = await application(request);
        if (request.path !== path) return response;
        return {
          ...response,
          body: renderPageAt(path, { kind: 'result', result, json: JSON.stringify(value, null, 2), left: null }),
        };
      };
      const { page, complaints, requests } = await openPage(browser, respond, {
        viewport: { width: 320, height: 844 },
      });
      page.on('dialog', () => assert.fail('a value ran'));
      await page.goto('/');
      const card = page.locator('.tool', { has: page.locator(`form[action="${path}"]`) });
      const lookup = lookups.find((each) => lookupPageOf(each).path === path) ?? assert.fail();
      const { name } = lookup;
      const own = lookupPageOf(lookup);
      await page.getByRole('tab', { name: own.title }).click();
      assert.equal(await page.getByRole('tabpanel', { name: own.title }).getAttribute('id'), `panel-${name}`);
      await card.getByRole('textbox').fill('1.1.1.1');
      await card.getByRole('button').click();
      await card.locator('.raw').last().waitFor();
      await assertText(page, card, value);
      await page.goto(`${path}?q=x`);
      await assertText(page, page.locator('.tool'), value);
      assert.deepEqual(await axeFindings(page), []);
      assert.deepEqual(complaints, []);
      assert.ok(requests.every((url) => url.startsWith(`${origin}/`)));
      await closePage(page);
    });
});

function renderPageAt(path: string, outcome: Outcome): string {
  const lookup = lookups.find((each) => lookupPageOf(each).path === path);
  assert.ok(lookup);
  return renderLookupPage(lookup, outcome, { values: new URLSearchParams({ q: 'x' }), site });
}

/** Every value of the result in this card is text, and the page stays as wide as the window. */
async function assertText(page: Page, card: Locator, value: object): Promise<void> {
  const result = card.locator('.result');
  for (const summary of await result.locator('summary').all()) await summary.click();
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('script').count(), 2);
  for (const link of await result.locator('a[rel]').all())
    assert.match((await link.getAttribute('href')) ?? '', /^https?:/);
  assert.match(await result.innerText(), /<img src=x onerror=alert\(1\)>/);
  assert.match(await result.innerText(), /U\+202E/);
  assert.doesNotMatch(await result.innerText(), /\u202e/);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
  const shown = await result.locator('pre').innerText();
  if (shown.length < 20_000) assert.deepEqual(JSON.parse(shown), value);
}

/** Runs the page's timers that are due after this time; pauses, so that responses arrive. */
async function advance(page: Page, ms: number): Promise<void> {
  await page.clock.fastForward(ms);
  await setTimeout(5);
}

/** Runs timers and responses that are due, until the condition is true. */
const advanceUntil = (page: Page, isTrue: () => boolean | Promise<boolean>): Promise<true> =>
  until(async () => {
    await advance(page, 0);
    return isTrue();
  });

/** The plot's accessible name. */
const plotted = (page: Page) => page.evaluate<string>("document.querySelector('.plot').getAttribute('aria-label')");
