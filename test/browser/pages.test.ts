/** The pages in a browser: every size and theme, with and without scripts. Writes screenshots to test-output. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { pagePaths } from '../http/page/page-at.ts';
import { startNode } from '../node-service.ts';
import { axeFindings } from './axe.ts';
import { applicationOf, openBrowser, openPage, origin, screenshot, skipWithoutChromium } from './chromium.ts';

const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

const nameOf = (path: string): string => path.slice(1).replace('/', '-') || 'home';

describe('in Chromium', { skip: skipWithoutChromium() }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`pages fit the viewport, violate no policy and pass axe: ${size}, ${colorScheme}`, async () => {
        const { page, requests, complaints } = await openPage(browser, applicationOf(), { viewport, colorScheme });
        for (const path of pagePaths) {
          await page.goto(path);
          assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width, path);
          // Colors differ by theme and layout by size: two of the four combinations cover both for axe.
          const isWhole = (size === 'phone') === (colorScheme === 'dark');
          if (isWhole) assert.deepEqual(await axeFindings(page), [], path);
          await page.screenshot({
            path: screenshot(`${nameOf(path)}-${size}-${colorScheme}`),
            fullPage: isWhole && path !== '/docs',
          });
        }
        assert.deepEqual(complaints, []);
        assert.deepEqual([...new Set(requests.map((url) => new URL(url).origin))], [origin]);
        await page.context().close();
      });
    }
  }

  test('pages are complete with one request and no script', async () => {
    const { page, requests, complaints } = await openPage(browser, applicationOf(), { javaScriptEnabled: false });
    for (const [n, path] of pagePaths.entries()) {
      await page.goto(path);
      assert.equal(requests.length, n + 1);
      assert.equal(await page.locator('button.copy').first().isVisible(), false, path);
    }
    await page.goto('/');
    await page.screenshot({ path: screenshot('home-without-script'), fullPage: true });
    assert.equal(await page.getByRole('heading', { name: 'Live round-trip times' }).isVisible(), false);
    assert.equal(await page.locator('.address').innerText(), '2001:db8::1');
    await page.locator('summary', { hasText: 'location.city' }).click();
    const shown = page.getByText("curl -s 'https://seenby.test/json?format=text' | grep '^location\\.city:'");
    assert.equal(await shown.isVisible(), true);
    await page.fill('#lookup-rdap', '10.0.0.1');
    await page.getByRole('button', { name: 'Look up registration' }).click();
    await page.getByText('private or reserved').waitFor();
    assert.equal(requests.at(-1), `${origin}/lookup/rdap?q=10.0.0.1`);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('nothing moves with reduced motion, and print omits the forms and fits 3 pages', async () => {
    const { page } = await openPage(browser, applicationOf(), { reducedMotion: 'reduce' });
    await page.goto('/');
    assert.equal(await page.evaluate('document.getAnimations().length'), 0);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('form').first().isVisible(), false);
    assert.equal(await page.locator('.address').isVisible(), true);
    assert.equal(await page.locator('.hashes code').last().isVisible(), true);
    await page.screenshot({ path: screenshot('home-print'), fullPage: true });
    const pdf = await page.pdf({ format: 'A4' });
    const [, pages = ''] = /\/Count (\d+)/.exec(pdf.toString('latin1')) ?? [];
    assert.ok(Number(pages) >= 1 && Number(pages) <= 3, pages);
    await page.context().close();
  });

  test('a page of the real service arrives compressed and works', async (t) => {
    const service = await startNode({ tlsPort: null });
    t.after(() => service.close());
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (said) => said.type() === 'error' && complaints.push(said.text()));
    const response = await page.goto(`${service.http}/`);
    assert.match((await response?.headerValue('content-encoding')) ?? '', /^(br|zstd|gzip)$/);
    await page.locator('.round-trips').scrollIntoViewIfNeeded();
    await page.locator('[data-figure=last]', { hasText: /ms$/ }).waitFor();
    assert.deepEqual(complaints, []);
    await page.close();
  });
});
