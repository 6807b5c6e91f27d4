/** The script of the pages: copying, measuring, and rendering hostile values as text. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { DnsAnswer } from '../../src/lookups/dns/response.ts';
import type { HeaderCheck } from '../../src/lookups/headers-check/schema.ts';
import type { IpLookup } from '../../src/lookups/ip/ip-lookup.ts';
import type { RdapResult } from '../../src/lookups/rdap/rdap-result.ts';
import { seenAll } from '../observed.ts';
import { axeFindings } from './axe.ts';
import {
  applicationOf,
  openBrowser,
  openPage,
  origin,
  type Responder,
  screenshot,
  skipWithoutChromium,
} from './chromium.ts';

const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>\u202eevil\u0000`;
const script = 'javascript:alert(3)';

describe('in Chromium, the script', { skip: skipWithoutChromium() }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

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
    await page.context().close();
  });

  test('measures round-trip times only while visible and within the limit, and again on request', async () => {
    const { page, requests } = await openPage(browser, applicationOf());
    const count = () => requests.filter((url) => url === `${origin}/ip`).length;
    await page.clock.install();
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.goto('/');
    await page.clock.runFor(10_000);
    assert.equal(count(), 0);
    await page.evaluate("document.querySelector('.round-trips').scrollIntoView()");
    for (let n = 1; n <= 20; n++) {
      while (!(await plotted(page)).startsWith(`${n} `)) await setTimeout(5);
      assert.equal(count(), n);
      await page.clock.fastForward(3_000);
    }
    await page.getByText('20 requests measured.').waitFor();
    await page.clock.fastForward(10_000);
    assert.equal(count(), 20);
    await page.locator('.round-trips').screenshot({ path: screenshot('round-trips') });
    await page.getByRole('button', { name: 'Measure again' }).click();
    while (!(await plotted(page)).startsWith('1 ')) await setTimeout(5);
    await page.context().close();
  });

  test('stops measuring at the rate limit, with a message', async () => {
    let isFirst = true;
    const limit = () => {
      const allowed = isFirst;
      isFirst = false;
      return allowed;
    };
    const { page, requests } = await openPage(browser, applicationOf({}, { limit }));
    await page.clock.install();
    await page.goto('/');
    await page.locator('.round-trips').scrollIntoViewIfNeeded();
    await page.getByText('Too many requests from this IP').first().waitFor();
    await page.clock.runFor(30_000);
    assert.equal(requests.length, 2);
    await page.context().close();
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
    assert.equal(await page.locator('script').count(), 1);
    await page.getByText('headers.x-hostile-10', { exact: true }).click();
    assert.equal((await page.locator('details[open] .full').innerText()).length, 8192);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
    assert.deepEqual(await axeFindings(page), []);
    await page.screenshot({ path: screenshot('home-hostile-headers') });
    assert.deepEqual(complaints, []);
    assert.ok(requests.every((url) => url.startsWith(`${origin}/`)));
    await page.context().close();
  });

  for (const [link, path, body] of [
    ['check', '/api/headers-check', hostileCheck()],
    ['rdap', '/api/rdap', hostileRegistration()],
    ['dns', '/api/dns', hostileDns()],
    ['ip', '/api/ip', hostileIp()],
  ] as const)
    test(`renders a hostile response as text: ${path}`, async () => {
      const application = applicationOf();
      const respond: Responder = async (request) =>
        request.path === path
          ? { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
          : application(request);
      const { page, complaints, requests } = await openPage(browser, respond, {
        viewport: { width: 390, height: 844 },
      });
      page.on('dialog', () => assert.fail('a value ran'));
      await page.goto(`/?${link}=x`);
      const card = page.locator('.tool', { has: page.locator(`form[data-link=${link}]`) });
      await card.getByRole('button').click();
      await card.getByText('JSON', { exact: true }).click();
      for (const summary of await card.locator('.result summary').all()) {
        if ((await summary.locator('..').getAttribute('open')) === null) await summary.click();
      }
      assert.equal(await page.locator('img').count(), 0);
      assert.equal(await page.locator('script').count(), 1);
      for (const link of await card.locator('.result a').all())
        assert.match((await link.getAttribute('href')) ?? '', /^https?:/);
      assert.match(await card.locator('.result').innerText(), /<img src=x onerror=alert\(1\)>/);
      assert.match(await card.locator('.result').innerText(), /U\+202E/);
      assert.doesNotMatch(await card.locator('.result').innerText(), /\u202e/);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
      assert.deepEqual(await axeFindings(page), []);
      assert.deepEqual(JSON.parse(await card.locator('pre').innerText()), body);
      assert.deepEqual(complaints, []);
      assert.ok(requests.every((url) => url.startsWith(`${origin}/`)));
      await page.context().close();
    });
});

/** The plot's accessible name. */
const plotted = (page: Page) => page.evaluate<string>("document.querySelector('.plot').getAttribute('aria-label')");

function hostileCheck(): HeaderCheck {
  const check = { id: hostile, title: hostile, result: hostile, pass: false, applicable: true, scoreImpact: -5 };
  return {
    url: script,
    finalUrl: script,
    status: 200,
    method: 'GET',
    hops: [
      { url: 'https://a.example/', status: 302, location: script },
      { url: script, status: 200, location: null },
    ],
    headers: { [hostile]: hostile, long: 'v'.repeat(30_000) },
    setCookies: [hostile],
    grade: {
      score: 0,
      grade: 'F',
      checks: [{ ...check, value: hostile, description: hostile, recommendation: hostile, suggestion: hostile }],
      notes: [{ id: hostile, level: 'warning', message: hostile, link: script }],
    },
    elapsedMs: 1,
  };
}

function hostileDns(): DnsAnswer {
  const record = {
    name: hostile,
    type: 'TXT' as const,
    ttl: 1,
    mx: null,
    txt: { chunks: [hostile] },
    caa: null,
    soa: null,
  };
  return {
    name: hostile,
    type: 'TXT',
    status: hostile,
    exists: null,
    records: [
      { ...record, data: hostile },
      { ...record, data: 'v'.repeat(2000) },
    ],
    cnameChain: [hostile, script],
    ttl: 1,
    dnssec: false,
    note: hostile,
    resolver: hostile,
  };
}

function hostileIp(): IpLookup {
  const { location, autonomousSystem } = seenAll;
  const names = { countryName: hostile, region: hostile, city: hostile, timezone: hostile };
  const network = { ...autonomousSystem, asOrganization: hostile, colo: null };
  return { ...location, isEU: false, ...names, ip: hostile, ...network, ipVersion: 4, hostname: hostile };
}

function hostileRegistration(): RdapResult {
  const abuse = { name: hostile, email: hostile, phone: 'tel:1' };
  return {
    query: hostile,
    kind: 'domain',
    source: script,
    bootstrapUpdated: hostile,
    summary: {
      name: hostile,
      unicodeName: hostile,
      handle: hostile,
      status: [hostile, 'x'.repeat(2000)],
      registered: '0001-01-01T00:00:00Z',
      expires: '9999-12-31T00:00:00Z',
      updated: hostile,
      transferred: null,
      registrar: { name: hostile, ianaId: 1, url: script, email: script, phone: null },
      abuse,
      registrant: { name: hostile, organization: hostile, country: hostile, redacted: true },
      nameservers: [hostile],
      dnssec: { signed: true, ds: 1 },
      registrarRdap: 'data:text/html,<script>alert(4)</script>',
      registrantNote: hostile,
      whoisServer: hostile,
      redacted: [hostile],
    },
    data: { [hostile]: hostile },
  };
}
