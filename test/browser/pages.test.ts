/** The pages in a browser: every size and theme, with and without scripts. `npm run test:all` also writes screenshots of them to test-output. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Probes } from '../../src/core/request-context.ts';
import { lookupPageOf } from '../../src/http/page/lookup/pages.ts';
import { lookups } from '../../src/lookups/list.ts';
import { helloVectors } from '../client/fingerprint/hello-vectors.ts';
import { pagePaths } from '../http/page/page-at.ts';
import { startNode } from '../node-service.ts';
import { seenAll } from '../observed.ts';
import { axeFindings, loadAxe } from './axe.ts';
import { applicationOf, closePage, openPage, origin, skipWithoutChromium, writeScreenshot } from './chromium.ts';
import { sharedBrowser } from './shared-browser.ts';

const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

/** Pages with lists that are closed: axe checks them on a phone with all of these open, which takes two seconds each. */
const longPaths = ['/', '/docs'];

const nameOf = (path: string): string => path.slice(1).replace('/', '-') || 'home';

describe('in Chromium', { skip: skipWithoutChromium() }, () => {
  let browser: Browser;
  before(async () => {
    browser = await sharedBrowser();
  });

  // Colors differ by theme and layout by size: two of the four combinations cover both for axe.
  for (const [size, themes] of [
    ['desktop', ['light', 'dark']],
    ['phone', ['dark', 'light']],
  ] as const)
    test(`pages fit the viewport, violate no policy and pass axe: ${size}, ${themes.join(', then ')}`, async () => {
      const viewport = sizes[size];
      const { page, requests, complaints } = await openPage(browser, applicationOf(), { viewport });
      await loadAxe(page);
      for (const path of pagePaths) {
        await page.emulateMedia({ colorScheme: themes[0] });
        await page.goto(path);
        for (const colorScheme of themes) {
          await page.emulateMedia({ colorScheme });
          assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width, path);
          const isFirst = colorScheme === themes[0];
          const isCheckedOpen = size === 'phone' && longPaths.includes(path);
          if (isFirst && !isCheckedOpen) assert.deepEqual(await axeFindings(page), [], path);
          const fullPage = isFirst && path !== '/docs';
          await writeScreenshot(page, `${nameOf(path)}-${size}-${colorScheme}`, { fullPage });
        }
      }
      assert.deepEqual(complaints, []);
      assert.deepEqual([...new Set(requests.map((url) => new URL(url).origin))], [origin]);
      await closePage(page);
    });

  test('in both themes, chips stand out from their card, so that their text does not look indented', async () => {
    const { page } = await openPage(browser, applicationOf());
    await page.goto('/');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // WCAG 2.2, relative luminance and contrast ratio
      const contrast = await page.evaluate<number>(`(() => {
        const luminanceOf = (selector) => {
          const channels = getComputedStyle(document.querySelector(selector)).backgroundColor.match(/[\\d.]+/g);
          const [r, g, b] = channels.map((each) => each / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const card = luminanceOf('.card') + 0.05;
        const chip = luminanceOf('.hashes .chip.plain') + 0.05;
        return Math.max(card, chip) / Math.min(card, chip);
      })()`);
      assert.ok(contrast > 1.1, `${colorScheme}: ${contrast}`);
    }
    await closePage(page);
  });

  test('without a set URL, the documentation names the host of the page, and without scripts what to replace', async () => {
    const respond = applicationOf({}, {}, { publicUrl: null });
    for (const javaScriptEnabled of [true, false]) {
      const { page, complaints } = await openPage(browser, respond, { javaScriptEnabled });
      await page.goto('/docs#examples');
      const host = javaScriptEnabled ? origin : 'https://seenby.example';
      assert.equal(await page.locator('.command code').first().innerText(), `curl -s ${host}/json`);
      assert.equal(await page.locator('.no-js').isVisible(), !javaScriptEnabled);
      assert.deepEqual(complaints, []);
      await closePage(page);
    }
  });

  test('pages are complete with one request and no script', async () => {
    const { page, requests, complaints } = await openPage(browser, applicationOf(), { javaScriptEnabled: false });
    for (const [n, path] of pagePaths.entries()) {
      await page.goto(path);
      assert.equal(requests.length, n + 1);
      assert.equal(await page.locator('button.copy').first().isVisible(), false, path);
    }
    await page.goto('/');
    await writeScreenshot(page, 'home-without-script', { fullPage: true });
    assert.equal(await page.getByRole('heading', { name: 'Live round-trip times' }).isVisible(), false);
    assert.equal(await page.locator('.address').innerText(), '2001:db8::1');
    await page
      .getByText(/^All \d+ values$/)
      .first()
      .click();
    await page.locator('summary', { hasText: 'location.city' }).click();
    const shown = page.getByText("curl -s 'https://seenby.test/json?format=text' | grep '^location\\.city:'");
    assert.equal(await shown.isVisible(), true);
    await page.fill('#lookup-rdap', '10.0.0.1');
    await page.getByRole('button', { name: 'Look up registration' }).click();
    await page.getByText('private or reserved').waitFor();
    assert.equal(requests.at(-1), `${origin}/lookup/rdap?q=10.0.0.1`);
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  for (const [reason, change, failure] of [
    ['a policy that an extension or a proxy adds', ", script-src 'none'", ''],
    ['an error at its start', '', 'Document.prototype.addEventListener = () => { throw new Error("fails"); };'],
  ] as const)
    test(`pages are complete if their script does not run: ${reason}`, async () => {
      const application = applicationOf();
      const { page } = await openPage(browser, async (request) => {
        const headers = { ...request.headers, 'sec-fetch-site': 'none' };
        const response = await application({ ...request, headers });
        const policy = `${response.headers['Content-Security-Policy']}${change}`;
        return { ...response, headers: { ...response.headers, 'Content-Security-Policy': policy } };
      });
      await page.addInitScript(failure);
      await page.goto('/');
      for (const lookup of lookups) {
        const { title, path, action } = lookupPageOf(lookup);
        const form = page.locator(`form[action="${path}"]`);
        assert.equal(await page.getByRole('heading', { name: title }).isVisible(), true, title);
        assert.equal(await form.getByRole('button', { name: action }).isVisible(), true, title);
      }
      for (const unusable of ['[role=tablist]', '.copy', '.families', '.round-trips'])
        assert.equal(await page.locator(unusable).first().isVisible(), false, unusable);
      await page.goto('/lookup/domain?name=example.com');
      assert.equal(await page.locator('.loaded a:visible').count(), 5);
      assert.equal(await page.locator('.contents').isVisible(), false);
      await page.goto('/lookup/dns?name=example.com&shown=1');
      assert.equal(await page.locator('.no-js a').isVisible(), true);
      await closePage(page);
    });

  test('the start page is short while its lists are closed', async () => {
    const everything: Probes = {
      dns: { zone: 'dns.seenby.test' },
      stun: { host: 'seenby.test', port: 3478, mappingPort: 3479 },
      portCheck: true,
    };
    for (const [width, height, most, deployment] of [
      [1280, 800, 3600, {}],
      [1280, 800, 3700, { probes: everything }],
      [390, 844, 6000, { probes: everything }],
    ] as const) {
      const { page } = await openPage(browser, applicationOf({}, {}, deployment), { viewport: { width, height } });
      await page.goto('/');
      // The script renders one section per frame.
      await page.locator('main > section:last-of-type[style]').waitFor();
      const length = await page.evaluate<number>('document.documentElement.scrollHeight');
      assert.ok(length <= most, `${length} px at ${width}`);
      await closePage(page);
    }
  });

  // WCAG 1.4.4
  test('with text twice as large, the start page of a phone has no second direction to scroll in', async () => {
    const { page } = await openPage(browser, applicationOf(), { viewport: sizes.phone });
    await page.goto('/');
    await page.locator('main > section:last-of-type[style]').waitFor();
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), sizes.phone.width);
    await closePage(page);
  });

  // WCAG 1.4.4
  test('with text twice as large, neither a name nor a command is set in a column of letters', async () => {
    const { page } = await openPage(browser, applicationOf(), { viewport: { width: 360, height: 800 } });
    await page.goto('/');
    await page.locator('main > section:last-of-type[style]').waitFor();
    const lettersPerLine = (scale: string) =>
      page.evaluate<number[]>(`(() => {
        document.documentElement.style.fontSize = '${scale}';
        return [...document.querySelectorAll('.layers dt, .command code')].filter((each) => each.checkVisibility()).map((each) => {
          const range = document.createRange();
          range.selectNodeContents(each);
          const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size;
          return lines === 1 ? Infinity : each.textContent.length / lines;
        });
      })()`);
    for (const scale of ['100%', '200%']) {
      const letters = await lettersPerLine(scale);
      assert.ok(letters.length > 8 && Math.min(...letters) > 6, `${scale}: ${letters}`);
    }
    await closePage(page);
  });

  test('a link to a closed list or to one of its rows opens it, with and without scripts, and print opens all', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page } = await openPage(browser, applicationOf(), { javaScriptEnabled });
      await page.goto('/#header-values');
      await page.locator('[id="headers.accept"]').waitFor();
      assert.equal(await page.locator('[id="location.city"]').isVisible(), false);
      await page.goto('/docs#error-rate_limited');
      await page.locator('#error-rate_limited').waitFor();
      assert.equal(await page.locator('#fields').isVisible(), false);
      await page.goto('/#location.city');
      await page.locator('[id="location.city"]').waitFor();
      await page.emulateMedia({ media: 'print' });
      for (const id of ['headers.accept', 'tls.version', 'fingerprint.tls.cipherSuites'])
        assert.equal(await page.locator(`[id="${id}"]`).isVisible(), true, id);
      await closePage(page);
    }
  });

  test('the script runs to its end for a fragment that is not percent-encoded', async () => {
    const { page, complaints } = await openPage(browser, applicationOf());
    await page.goto('/#100%');
    // With a fragment, the script is complete when the page is loaded; it marks the section after it read the fragment.
    assert.equal(await page.locator('.sections [aria-current=true]').count(), 1);
    await page.evaluate(
      "new Promise((resolve) => { addEventListener('hashchange', resolve); location.hash = '%E0%A4'; })",
    );
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('with all lists open, pages pass axe, with tap targets of 24 pixels', async () => {
    const { page } = await openPage(browser, applicationOf(), { viewport: sizes.phone });
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const path of longPaths) {
      await page.goto(path);
      await page.evaluate("document.querySelectorAll('details.all').forEach((list) => { list.open = true; })");
      // axe scrolls: what the navigation covers at that moment is not too small.
      await page.evaluate("document.querySelector('.sections').style.position = 'static'");
      assert.deepEqual(await axeFindings(page, ['html'], "{ rules: { 'target-size': { enabled: true } } }"), [], path);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), sizes.phone.width, path);
    }
    await closePage(page);
  });

  // WCAG 1.4.4, for text alone, and 1.4.10: the widths of zoomed windows.
  test('with all lists open, pages fit every width, also with text twice as large', async () => {
    const { page } = await openPage(browser, applicationOf());
    for (const path of longPaths) {
      await page.goto(path);
      await page.evaluate("document.querySelectorAll('details').forEach((list) => { list.open = true; })");
      for (const size of ['100%', '200%']) {
        await page.evaluate(`document.documentElement.style.fontSize = '${size}'`);
        for (const width of [360, 640, 720, 1024, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          const name = `${path} at ${width} px, ${size}`;
          assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, name);
          // Beside the navigation, a table could also lie over the margin.
          const beyond = await page.evaluate(
            "[...document.querySelectorAll('table')].filter((table) => table.scrollWidth > table.parentElement.clientWidth).length",
          );
          assert.equal(beyond, 0, name);
        }
      }
    }
    await closePage(page);
  });

  test('an error page has the field of the lookups and its button, as other pages have them', async () => {
    const { page } = await openPage(browser, applicationOf(), { viewport: sizes.phone });
    const sizesOf = async (path: string) => {
      await page.goto(path);
      const boxes = [page.locator('#search'), page.getByRole('button', { name: 'Look up', exact: true })];
      return Promise.all(
        boxes.map(async (box) => {
          const { width, height } = (await box.boundingBox()) ?? assert.fail(path);
          return { width, height };
        }),
      );
    };
    const ofStart = await sizesOf('/');
    assert.ok(ofStart.every(({ height }) => height > 30));
    assert.deepEqual(await sizesOf('/no-such-page'), ofStart);
    assert.deepEqual(await axeFindings(page), []);
    await closePage(page);
  });

  test('the URL names the list that was opened last, and the navigation the section on the screen', async () => {
    const { page } = await openPage(browser, applicationOf(), { reducedMotion: 'reduce' });
    await page.goto('/?q=1');
    await page
      .getByText(/^All \d+ values$/)
      .first()
      .click();
    await page.waitForURL(`${origin}/?q=1#address-values`);
    await page
      .getByText(/^All \d+ values$/)
      .first()
      .click();
    await page.waitForURL(`${origin}/?q=1`);
    await page.goto('/docs#error-rate_limited');
    await page.getByText('Settings', { exact: true }).last().click();
    await page.waitForURL(`${origin}/docs#settings`);
    await page.goto('/#location.city');
    await page.locator('[id="location.city"] .more').waitFor();
    assert.equal(page.url(), `${origin}/#location.city`);
    await page.goto('/');
    const navigation = page.getByRole('navigation', { name: 'Sections' });
    for (const name of ['Headers', 'Connection', 'AI agents', 'You']) {
      await navigation.getByRole('link', { name }).click();
      await navigation.locator('[aria-current=true]', { hasText: name }).waitFor();
      assert.equal(await navigation.locator('[aria-current]').count(), 1);
      assert.ok(((await navigation.boundingBox())?.y ?? -1) >= 0, 'the navigation is out of sight');
    }
    await closePage(page);
  });

  test('nothing moves with reduced motion, and print omits the forms and fits 3 pages', async () => {
    const { page } = await openPage(browser, applicationOf(), { reducedMotion: 'reduce' });
    await page.goto('/');
    assert.equal(await page.evaluate('document.getAnimations().length'), 0);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('form').first().isVisible(), false);
    assert.equal(await page.locator('.address').isVisible(), true);
    assert.equal(await page.locator('.hashes code').last().isVisible(), true);
    // What the script learned.
    assert.equal(await page.locator('.agreement dd').first().isVisible(), true);
    await writeScreenshot(page, 'home-print', { fullPage: true });
    const pdf = await page.pdf({ format: 'A4' });
    const [, pages = ''] = /\/Count (\d+)/.exec(pdf.toString('latin1')) ?? [];
    assert.ok(Number(pages) >= 1 && Number(pages) <= 3, pages);
    await closePage(page);
  });

  test('print has the names of cipher suites, not their number', async () => {
    const { body = assert.fail() } = helloVectors.at(-1) ?? {};
    const handshake = { ...seenAll.handshake, clientHello: body };
    const { page } = await openPage(browser, applicationOf({ handshake }));
    await page.goto('/');
    await page.emulateMedia({ media: 'print' });
    const row = page.locator('[id="fingerprint.tls.cipherSuites"]');
    assert.match(await row.innerText(), /TLS_AES_128_GCM_SHA256/);
    assert.equal(await row.locator('.count').isVisible(), false);
    await closePage(page);
  });

  test('a page of the real service arrives compressed and works', async (t) => {
    const service = await startNode({ tlsPort: null });
    t.after(() => service.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
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
