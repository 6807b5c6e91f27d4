/** The start page and a lookup in Chromium; test/browser tests all pages. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { applicationOf, openPage, openShell, origin, skipWithoutChromium } from '../browser/chromium.ts';
import { startNode } from '../node-service.ts';

describe('in Chromium', { skip: skipWithoutChromium() }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openShell();
  });
  after(() => browser.close());

  test('the start page of a service shows the client, without an error', async (context) => {
    const service = await startNode({ host: '127.0.0.1', tlsPort: null });
    context.after(() => service.close());
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (line) => {
      if (line.type() === 'error') complaints.push(line.text());
    });
    await page.goto(`${service.http}/`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.match(await page.locator('.overview').innerText(), /127\.0\.0\.1/);
    await page.getByRole('button', { name: 'Copy the IP address' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a lookup shows its result below the form, without an error', async () => {
    const application = applicationOf(
      {},
      {
        fetchPublic: async () => ({
          status: 200,
          headers: { 'strict-transport-security': 'max-age=63072000' },
          setCookies: [],
          body: new Uint8Array(),
          address: '192.0.2.1',
        }),
      },
    );
    const { page, complaints } = await openPage(browser, application);
    await page.goto(`${origin}/lookup/headers`);
    await page.fill('#lookup-headers', 'https://example.com');
    await page.locator('form:has(#lookup-headers) button').first().click();
    await page.getByText('Strict-Transport-Security').first().waitFor();
    assert.deepEqual(complaints, []);
  });
});
