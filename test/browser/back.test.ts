/** Back and Forward show what was shown without a lookup; a reload looks up again. On a real server, for the headers of navigations. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { createApp } from '../../src/http/app.ts';
import { resolverOf } from '../lookups/dns/zones.ts';
import { seenAll } from '../observed.ts';
import { decisionOf } from '../platform.ts';
import { noBody } from '../request-context.ts';
import { axeFindings } from './axe.ts';
import { closePage, openBlank, skipWithoutChromium } from './chromium.ts';
import { sharedBrowser } from './shared-browser.ts';

const zones = {
  'A example.com': ['8.8.8.8'],
  'NS example.com': ['ns.example.net'],
  'A ns.example.net': ['9.9.9.9'],
};

describe('in Chromium, Back and Forward', { skip: skipWithoutChromium() }, () => {
  let browser: Browser;
  /** Responds to the requests of the test that runs. */
  let respond: RequestListener;
  // One for all tests, because pages of the same origin share a process.
  const server = createServer((request, response) => respond(request, response));
  let origin: string;
  before(async () => {
    browser = await sharedBrowser();
    await once(server.listen(0), 'listening');
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const openSite = async (t: TestContext, ip = '203.0.113.9') => {
    const lookups: string[] = [];
    let isLimited = false;
    const addressData = { locate: () => seenAll.location, autonomousSystem: () => seenAll.autonomousSystem };
    const { platform } = resolverOf(zones, {
      addressData,
      countLookup: (name, outcome) => lookups.push(`${name} ${outcome}`),
      limit: (rates) => decisionOf(!(isLimited && rates.includes('lookup'))),
    });
    const app = createApp({ publicUrl: null, contact: null });
    respond = async ({ url = '', method = '', headers }, response) => {
      const [path = '', query = ''] = url.split('?');
      const { host = '', ...others } = headers as Record<string, string>;
      const seen = { ...seenAll, ip, method, path, query, origin: `http://${host}`, headers: { host, ...others } };
      const { status, headers: sent, body } = await app(seen, platform, noBody);
      response.writeHead(status, sent).end(body);
    };
    const page = await openBlank(browser, { baseURL: origin });
    const complaints: string[] = [];
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (said) => {
      if (said.type() === 'error' && !said.text().includes('Failed to load resource')) complaints.push(said.text());
    });
    t.after(async () => {
      await closePage(page);
      assert.deepEqual(complaints, []);
    });
    /** The lookups since the last call. */
    return {
      page,
      origin,
      counted: () => lookups.splice(0).toSorted(),
      setLimited: (limited: boolean) => {
        isLimited = limited;
      },
    };
  };

  const note = /^Looked up at \d\d:\d\d:\d\d, and shown again without a lookup\.$/;

  test('show a result again, with its time, under its own URL, and a reload looks up again', async (t) => {
    const { page, origin, counted } = await openSite(t);
    const dns = `${origin}/lookup/dns?name=example.com&type=A`;
    await page.goto('/lookup/dns');
    await page.getByRole('textbox').fill('example.com');
    await page.getByRole('button', { name: 'Look up DNS records' }).click();
    await page.waitForURL(dns);
    const shown = await page.locator('.result').innerText();
    await page.getByRole('link', { name: '8.8.8.8' }).click();
    await page.waitForURL('**/lookup/ip?q=8.8.8.8');
    await page.locator('.result .map').waitFor();
    assert.deepEqual(counted(), ['dns ok', 'ip ok']);
    for (let n = 0; n < 3; n++) {
      await page.goBack();
      await page.waitForURL(dns);
      assert.match(await page.locator('.looked-up').innerText(), note);
      assert.ok((await page.locator('.result').innerText()).endsWith(shown));
      assert.equal(await page.title(), 'example.com: DNS records · Seenby');
      if (n === 0) assert.deepEqual(await axeFindings(page), []);
      await page.goForward();
      await page.waitForURL(`${origin}/lookup/ip?q=8.8.8.8`);
      assert.match(await page.locator('.looked-up').innerText(), note);
      assert.equal(await page.locator('.result .map svg path.land').count(), 1);
    }
    assert.deepEqual(counted(), []);
    await page.goBack();
    await page.waitForURL(dns);
    await page.reload();
    await page.locator('.result .facts').waitFor();
    assert.equal(await page.locator('.looked-up').count(), 0);
    assert.deepEqual(counted(), ['dns ok']);
    // The tab leaves the service, and comes back.
    await page.goto('data:text/html,elsewhere');
    await page.goBack();
    await page.waitForURL(dns);
    assert.match(await page.locator('.looked-up').innerText(), note);
    // The next day, the time has its date.
    await page.addInitScript(`Date = class extends Date {
      constructor(...given) {
        super(...(given.length > 0 ? given : [Date.now() + 86_400_000]));
      }
    }`);
    await page.goto('data:text/html,elsewhere');
    await page.goBack();
    await page.waitForURL(dns);
    assert.match(
      await page.locator('.looked-up').innerText(),
      /^Looked up at \d\d\/\d\d\/\d{4}, \d\d:\d\d:\d\d, and shown again/,
    );
    assert.deepEqual(counted(), []);
  });

  test('show no older result in place of a new one, or of an error', async (t) => {
    const { page, origin, counted, setLimited } = await openSite(t);
    const dns = `${origin}/lookup/dns?name=example.com&type=A`;
    const leaveAndReturn = async () => {
      await page.goto('/privacy');
      await page.goBack();
      await page.waitForURL(dns);
      await page.locator('.result *').first().waitFor();
    };
    const lookUpAgain = async () => {
      await page.getByRole('button', { name: 'Look up DNS records' }).click();
      await page.locator('.result:not(:has(.looked-up)) :is(.facts, .problem)').first().waitFor();
    };
    await page.goto(dns);
    await leaveAndReturn();
    assert.match(await page.locator('.looked-up').innerText(), note);
    assert.deepEqual(counted(), ['dns ok']);
    setLimited(true);
    await lookUpAgain();
    await leaveAndReturn();
    assert.equal(await page.locator('.looked-up').count(), 0);
    assert.match(await page.locator('.result').innerText(), /Too many lookups/);
    assert.match(await page.title(), /^Error: /);
    setLimited(false);
    await leaveAndReturn();
    assert.equal(await page.locator('.looked-up').count(), 0);
    assert.equal(await page.title(), 'example.com: DNS records · Seenby');
    assert.deepEqual(counted(), ['dns ok']);
  });

  test('show the parts of a report again, and request only those that failed', async (t) => {
    const { page, origin, counted } = await openSite(t);
    const report = `${origin}/lookup/domain?name=example.com`;
    const settled = async () => {
      await page.waitForURL(report);
      for (const part of await page.locator('.loaded .result').all())
        await part.locator('.problem, .facts').first().waitFor();
    };
    await page.goto(report);
    await settled();
    const kept = ['domain-address ok', 'domain-dns ok'];
    const failed = counted().filter((each) => !kept.includes(each));
    assert.equal(failed.length, 3);
    await page.getByRole('link', { name: '8.8.8.8' }).first().click();
    await page.waitForURL('**/lookup/ip?q=8.8.8.8');
    assert.deepEqual(counted(), ['ip ok']);
    await page.goBack();
    await settled();
    assert.equal(await page.locator('.looked-up').count(), 2);
    assert.deepEqual(counted(), failed);
    await page.reload();
    await settled();
    assert.deepEqual(counted(), [...failed, ...kept].toSorted());
  });

  test('show the results of the start page again, in their tab and below what was typed', async (t) => {
    const { page, origin, counted } = await openSite(t);
    await page.goto('/');
    await page.getByRole('tab', { name: 'DNS records' }).click();
    await page.getByRole('combobox').selectOption('NS');
    await page.fill('#lookup-dns', 'example.com');
    await page.getByRole('button', { name: 'Look up DNS records' }).click();
    await page.getByRole('link', { name: 'ns.example.net' }).click();
    await page.waitForURL('**/lookup/dns?name=ns.example.net');
    counted();
    await page.goBack();
    await page.waitForURL(`${origin}/`);
    await page.getByRole('link', { name: 'ns.example.net' }).waitFor();
    assert.equal(await page.inputValue('#lookup-dns'), 'example.com');
    assert.equal(await page.getByRole('combobox').inputValue(), 'NS');
    assert.deepEqual(counted(), []);
  });

  test('keep nothing about the own address, nothing that failed, and nothing without storage', async (t) => {
    const { page, counted } = await openSite(t, '8.8.8.8');
    for (const [path, outcome] of [
      ['/lookup/ip?q=8.8.8.8', 'ip ok'],
      ['/lookup/dns?name=example.com&type=A', 'dns ok'],
      ['/lookup/ip?q=10.0.0.1', 'ip blocked_address'],
    ] as const) {
      await page.goto(path);
      await page.goto('/privacy');
      assert.equal(await page.evaluate('sessionStorage.length'), 0, path);
      assert.deepEqual(counted(), [outcome]);
      await page.goBack();
      await page.locator('.result *').first().waitFor();
      assert.deepEqual(counted(), [outcome]);
    }
    await page.addInitScript('delete Storage.prototype.setItem');
    await page.goto('/lookup/ip?q=9.9.9.9');
    await page.goto('/privacy');
    await page.goBack();
    await page.locator('.result .facts').waitFor();
    assert.deepEqual(counted(), ['ip ok', 'ip ok']);
  });

  test('a URL with the mark of a history entry looks up, if the tab has kept nothing', async (t) => {
    const { page, origin, counted } = await openSite(t);
    await page.goto('/lookup/ip?q=9.9.9.9&shown=1');
    await page.locator('.result .facts').waitFor();
    assert.equal(page.url(), `${origin}/lookup/ip?q=9.9.9.9`);
    assert.deepEqual(counted(), ['ip ok']);
    await page.goto(`data:text/html,<a href="${origin}/lookup/ip?q=9.9.9.9%26shown=1">x</a>`.replace('%26', '&amp;'));
    await page.getByRole('link').click();
    await page.getByText('Nothing is sent until you press').waitFor();
    assert.deepEqual(counted(), []);
  });

  test('a value that cannot be looked up has the focus and its problem, with and without a new page', async (t) => {
    const { page } = await openSite(t);
    const assertMarked = async (id: string) => {
      assert.equal(await page.evaluate('document.activeElement.id'), id);
      assert.equal(await page.getAttribute(`#${id}`, 'aria-invalid'), 'true');
      const problem = await page.getAttribute(`#${id}`, 'aria-describedby');
      assert.match(await page.locator(`#${problem}`).innerText(), /private or reserved|four decimal/);
      assert.deepEqual(await axeFindings(page), []);
    };
    await page.goto('/lookup/ip?q=10.0.0.1');
    await assertMarked('lookup-ip');
    assert.match(await page.title(), /^Error: 10\.0\.0\.1: location and network/);
    await page.goto('/lookup?q=999.1.1.1');
    await assertMarked('search');
    await page.goto('/');
    await page.getByRole('tab', { name: 'IP address' }).click();
    await page.fill('#lookup-ip', '10.0.0.1');
    await page.getByRole('button', { name: 'Look up IP address' }).click();
    await page.locator('#panel-ip .problem').waitFor();
    await assertMarked('lookup-ip');
    await page.fill('#lookup-ip', '9.9.9.9');
    await page.keyboard.press('Enter');
    await page.locator('#panel-ip .facts').waitFor();
    assert.equal(await page.getAttribute('#lookup-ip', 'aria-invalid'), null);
  });
});
