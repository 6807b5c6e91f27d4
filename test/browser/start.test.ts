/** The first screen in a browser: both IP versions, the comparison with the request, space reserved for what arrives later. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { unobserved } from '../../src/core/observed.ts';
import { seenAll } from '../observed.ts';
import { decisionOf } from '../platform.ts';
import { axeFindings } from './axe.ts';
import {
  applicationOf,
  closePage,
  openPage,
  origin,
  patience,
  type Responder,
  skipWithoutChromium,
} from './chromium.ts';
import { assertStill, maxShift } from './layout-shift.ts';
import { sharedBrowser } from './shared-browser.ts';

const hosts = { publicUrlV4: 'https://v4.seenby.test', publicUrlV6: 'https://v6.seenby.test' };
const location = { ...seenAll.location, timezone: 'Europe/Oslo' };
const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';

describe('in Chromium, the first screen', { skip: skipWithoutChromium() }, () => {
  let browser: Browser;
  before(async () => {
    browser = await sharedBrowser();
  });

  const openDual = async (
    others: Readonly<Record<string, Responder>>,
    options: BrowserContextOptions = {},
    platform: Parameters<typeof applicationOf>[1] = {},
  ) => {
    const opened = await openPage(browser, applicationOf({ location }, platform, hosts), options, others);
    await opened.page.addInitScript(patience);
    return opened;
  };

  test('shows the address of the other IP version without moving anything', async () => {
    for (const viewport of [
      { width: 1366, height: 768 },
      { width: 390, height: 844 },
    ]) {
      const { page, requests, complaints } = await openDual(
        { [hosts.publicUrlV4]: applicationOf({ ip: '192.0.2.1' }), [hosts.publicUrlV6]: applicationOf() },
        { viewport },
      );
      await page.goto('/');
      await page.getByText('192.0.2.1', { exact: true }).waitFor();
      await page.getByText('IPv6 works, and your browser prefers it.').waitFor();
      await page.getByRole('button', { name: 'Copy the IPv4 address' }).waitFor();
      assert.deepEqual(requests.toSorted(), [`${origin}/`, `${hosts.publicUrlV4}/geo`, `${hosts.publicUrlV6}/geo`]);
      await assertStill(page);
      assert.deepEqual(await axeFindings(page, ['.overview', '.families']), []);
      assert.deepEqual(complaints, []);
      // Label, value, button, like the first address; no more than one line with its margin stays empty below.
      assert.match(await page.locator('.families .other').innerText(), /^IPv4\s+192\.0\.2\.1\s+Copy$/);
      const holePx = await page.evaluate<number>(`(() => {
        const block = document.querySelector('.families');
        return block.getBoundingClientRect().bottom - block.lastElementChild.getBoundingClientRect().bottom;
      })()`);
      assert.ok(holePx <= 36, `${holePx} px are empty`);
      await closePage(page);
    }
  });

  test('the sentence about both versions is not painted last, because its place has text from the start', async () => {
    const { page } = await openDual(
      { [hosts.publicUrlV4]: applicationOf({ ip: '192.0.2.1' }), [hosts.publicUrlV6]: applicationOf() },
      { viewport: { width: 390, height: 844 } },
    );
    await page.goto('/');
    await page.getByText('IPv6 works, and your browser prefers it.').waitFor();
    // A slow machine paints the rest of the page after its beginning, so another text may be the largest then.
    const isFirst = await page.evaluate<boolean>(`new Promise((resolve) => {
      const observer = new PerformanceObserver((list) => {
        const [first] = performance.getEntriesByName('first-contentful-paint');
        const { startTime, element } = list.getEntries().at(-1);
        resolve(startTime === first.startTime || !element?.textContent.includes('IPv6 works'));
      });
      observer.observe({ type: 'largest-contentful-paint', buffered: true });
    })`);
    assert.ok(isFirst, 'the sentence was painted after the first text, and is the largest');
    await closePage(page);
  });

  test('shows in one sentence that a version is missing or was not checked', async () => {
    const limited = applicationOf({}, { limit: () => decisionOf(false) });
    const without = 'IPv4 could not be checked. The host of this service for IPv4 responded without an address';
    const respondWith = (status: number, body: string): Responder => {
      const headers = { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'application/json' };
      return async () => ({ status, headers, body });
    };
    for (const [others, text] of [
      [{}, 'IPv4 could not be checked. This browser reached none of'],
      [{ [hosts.publicUrlV6]: applicationOf() }, 'This browser did not reach the service over IPv4. Usual reasons'],
      [{ [hosts.publicUrlV4]: limited }, 'IPv4 could not be checked. Too many requests'],
      [{ [hosts.publicUrlV4]: respondWith(500, '{}') }, without],
      [{ [hosts.publicUrlV4]: respondWith(200, 'not JSON') }, without],
      [{ [hosts.publicUrlV4]: respondWith(200, '{}') }, without],
      [{ [hosts.publicUrlV4]: respondWith(200, 'null') }, without],
      [{ [hosts.publicUrlV4]: applicationOf({ ip: null }) }, without],
      [{ [hosts.publicUrlV4]: applicationOf() }, 'IPv4 could not be checked. The host of this service for IPv4'],
    ] as const) {
      const { page } = await openDual(others);
      await page.goto('/');
      await page.getByText(text).waitFor();
      await assertStill(page);
      await closePage(page);
    }
  });

  test('renders a hostile response of the other version as text', async () => {
    const hostile = `<img src=x onerror=alert(1)>\u202e`;
    const { page, complaints } = await openDual({
      [hosts.publicUrlV4]: applicationOf({
        ip: '192.0.2.1',
        autonomousSystem: { ...unobserved.autonomousSystem, asn: 1, asOrganization: hostile },
      }),
    });
    await page.goto('/');
    await page.getByText('Usual reason for two providers').waitFor();
    assert.equal(await page.locator('img').count(), 0);
    assert.match(await page.locator('.detail').innerText(), /<img src=x onerror=alert\(1\)>U\+202E/);
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('compares the browser with its request, and sends nothing for it', async () => {
    const { page, requests, complaints } = await openPage(browser, applicationOf({ location }), {
      timezoneId: 'America/New_York',
      locale: 'de-DE',
    });
    await page.goto('/');
    await page.getByText('Your browser reports America/New_York (UTC').waitFor();
    const verdicts = await page.locator('.agreement .verdict').allInnerTexts();
    assert.deepEqual([verdicts[0], verdicts[1], verdicts[4]], ['differs', 'agrees', 'off']);
    await page.getByText('Your browser and the request both prefer German').waitFor();
    await page.locator('#notable').getByText("Your browser's time zone differs from your IP address's").waitFor();
    assert.deepEqual(requests, [`${origin}/`]);
    await assertStill(page);
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('on a phone, leaves no empty place for a difference between browser and request, and hardly moves anything for one', async () => {
    for (const timezoneId of ['America/New_York', 'Europe/Oslo']) {
      const viewport = { width: 390, height: 844 };
      const options = { timezoneId, viewport, locale: 'en-US' };
      const { page } = await openPage(browser, applicationOf({ location }), options);
      await page.goto('/');
      await page
        .locator('.agreement .verdict', { hasText: /^(differs|agrees)$/ })
        .first()
        .waitFor();
      const isDifferent = (await page.locator('#notable a[href="#agreement"]').count()) === 1;
      assert.equal(isDifferent, timezoneId === 'America/New_York');
      const bottomOf = (selector: string) =>
        page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().bottom`);
      assert.ok((await bottomOf('#notable')) - (await bottomOf('#notable > :last-child')) < 2);
      // The browser may paint the page before the script adds the line.
      await assertStill(page, isDifferent ? 0.01 : maxShift);
      await closePage(page);
    }
  });

  test('a link to a section below arrives there, with and without scripts', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const options = { viewport: { width: 390, height: 844 }, javaScriptEnabled, reducedMotion: 'reduce' } as const;
      const { page } = await openPage(browser, applicationOf({ location }), options);
      await page.goto('/#headers');
      // What the script adds and renders above the heading, and the browser's scrolling, may follow the load.
      if (javaScriptEnabled) await page.locator('main > section:last-of-type[style]').waitFor();
      await page.waitForFunction('scrollY > 0');
      const heading =
        (await page.getByRole('heading', { name: 'Headers', exact: true }).elementHandle()) ?? assert.fail();
      await heading.waitForElementState('stable');
      const { y = -1 } = (await heading.boundingBox()) ?? {};
      assert.ok(y > 0 && y < 100, `scripts: ${javaScriptEnabled}, the heading is at ${y}`);
      await closePage(page);
    }
  });

  test('finds a User-Agent that contradicts the browser', async () => {
    const { page } = await openPage(browser, applicationOf({ location }), {
      timezoneId: 'Europe/Oslo',
      userAgent: windows.replace('Chrome/156', 'Chrome/99'),
    });
    await page.addInitScript(`Object.defineProperty(navigator, 'userAgentData', {
      value: { brands: [{ brand: 'Chromium', version: '156' }], platform: 'Windows', mobile: false },
    })`);
    await page.goto('/');
    await page.getByText('Client Hints name Chromium 156, the User-Agent 99.').waitFor();
    await closePage(page);
  });
});
