/** The page's lookups against the servers of the simulated internet. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openInternet, type SimulatedInternet, skipWithoutInternet } from '../internet/internet.ts';
import { type SimulatedService, serveIn } from '../internet/service.ts';
import { axeFindings } from './axe.ts';
import { openBrowser, openPage, origin, type Responder, screenshot, skipWithoutChromium } from './chromium.ts';

const skip = skipWithoutInternet() || skipWithoutChromium();

describe('in Chromium, a lookup on the simulated internet', { skip }, () => {
  let internet: SimulatedInternet;
  let service: SimulatedService;
  let browser: Browser;
  before(async () => {
    [internet, browser] = await Promise.all([openInternet(), openBrowser()]);
    service = await serveIn(internet);
  });
  after(async () => {
    assert.doesNotMatch(service?.printed() ?? '', /example|kept|25\.[12]\.0|unexpected/, 'the log contains a query');
    await Promise.all([service?.close(), browser?.close()]);
    await internet?.close();
  });

  /** Sends requests through the simulated internet, each from its own address unless one is given. */
  const through =
    (from?: string): Responder =>
    async ({ path, query, method, headers }) => {
      callers += 1;
      const { accept = '*/*', 'user-agent': userAgent = '' } = headers;
      const {
        status,
        headers: answered,
        body,
      } = await internet.sendRequest(`${service.url}${path}${query === '' ? '' : `?${query}`}`, {
        method,
        headers: { accept, 'user-agent': userAgent },
        from: from ?? `25.1.0.${callers}`,
      });
      const plain = Object.entries(answered).map(([name, value]) => [name, `${value}`] as const);
      return { status, headers: Object.fromEntries(plain), body: body.toString() };
    };
  let callers = 0;

  const lookUp = async (page: Page, id: string, value: string) => {
    await page.fill(`#${id}`, value);
    await page
      .locator('.tool', { has: page.locator(`#${id}`) })
      .getByRole('button', { name: 'Look up' })
      .click();
    const result = page.locator('.tool', { has: page.locator(`#${id}`) }).locator('.result');
    await result.locator('.raw, .problem').first().waitFor();
    return result;
  };

  const shoot = (page: Page, name: string) =>
    page.locator('section', { has: page.locator('#lookups') }).screenshot({ path: screenshot(name) });

  test('grades a site: letter, every check, redirect chain and JSON', async () => {
    const { page, complaints } = await openPage(browser, through());
    await page.goto('/');
    const result = await lookUp(page, 'check', 'well-kept.test');
    assert.equal(await result.locator('.letter').innerText(), 'A+');
    assert.equal(await result.locator('.checks li').count(), 11);
    assert.equal(page.url(), `${origin}/?check=https%3A%2F%2Fwell-kept.test`);
    assert.match(await page.locator('#status').innerText(), /Grade A\+, 100 of 100/);
    assert.match(
      await result.locator('.grade').innerText(),
      /100 points − 0 in penalties \+ \d+ in bonuses = 1\d\d, limited to 100/,
    );
    // A check with advice has no green tick.
    for (const row of await result.locator('.checks .passed').allInnerTexts()) assert.doesNotMatch(row, /Recommended/);
    await shoot(page, 'grade-best');
    await lookUp(page, 'check', 'http://to-https.test/');
    assert.match(await result.locator('.hops').innerText(), /301.*redirects to.*200/s);
    await page.emulateMedia({ colorScheme: 'dark' });
    await lookUp(page, 'check', 'https://cookies.test/');
    assert.match(await result.locator('.failed').first().innerText(), /−\d/);
    assert.match(await result.locator('.grade').innerText(), /in penalties .*at least 0/);
    const cookies = result.locator('.checks li', { hasText: 'Cookies' });
    await cookies.getByText('configuration for nginx').click();
    assert.match(
      await cookies.innerText(),
      /Set-Cookie: session=…; Path=\/; Secure; HttpOnly; SameSite=Lax\nSet-Cookie: b=/,
    );
    assert.match(await cookies.innerText(), /proxy_cookie_flags session secure httponly samesite=lax;/);
    assert.match(
      (await result.locator('.hints a').first().getAttribute('href')) ?? '',
      /^https:\/\/(?:developer\.mozilla\.org|www\.rfc-editor\.org)\//,
    );
    await shoot(page, 'grade-poor');
    assert.deepEqual(await axeFindings(page), []);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('shows registration data: timeline, registrant and JSON', async () => {
    const { page, complaints } = await openPage(browser, through(), { viewport: { width: 390, height: 844 } });
    await page.goto('/');
    for (const [query, expected] of [
      ['example.com', /a\.iana-servers\.net/],
      ['8.8.8.8', /8\.8\.8\.0\/24/],
      ['AS15169', /AS15169/],
    ] as const) {
      const result = await lookUp(page, 'rdap', query);
      assert.match(await result.innerText(), expected);
      assert.match((await result.locator('.timeline').getAttribute('aria-label')) ?? '', /Registered .* today /);
      await result.getByText('JSON', { exact: true }).click();
      assert.equal(JSON.parse(await result.locator('pre').innerText()).query, query);
      assert.deepEqual(await axeFindings(page), []);
      await page
        .locator('.tool')
        .first()
        .screenshot({ path: screenshot(`registration-${query}`) });
    }
    assert.deepEqual(await axeFindings(page), []);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('shows DNS records of the chosen type, and data about an IP address', async () => {
    const { page, complaints } = await openPage(browser, through());
    await page.goto('/?dns=example.com&type=TXT');
    assert.equal(await page.locator('form[data-link=dns] select').inputValue(), 'TXT');
    await page.locator('form[data-link=dns] select').selectOption('MX');
    const records = await lookUp(page, 'dns', 'example.com');
    assert.match(await records.innerText(), /10 mail\.example\.com.*20 backup\.example\.com.*validated/s);
    assert.equal(page.url(), `${origin}/?dns=example.com&type=MX`);
    assert.match(await page.locator('#status').innerText(), /2 MX records for example\.com, NOERROR/);
    const missing = await lookUp(page, 'dns', 'missing.example.com');
    assert.match(await missing.innerText(), /NXDOMAIN/);
    const lookup = await lookUp(page, 'ip', '25.1.0.9');
    assert.match(await lookup.innerText(), /Host name\s+client\.example\.com/);
    assert.deepEqual(await axeFindings(page), []);
    await shoot(page, 'dns-and-ip');
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('shows error messages with a link to their documentation', async () => {
    const { page } = await openPage(browser, through());
    await page.goto('/');
    for (const [id, value, expected, code] of [
      ['rdap', 'example.no-such-tld', /No registry offers/, 'no_rdap_service'],
      ['rdap', 'not a name', /a domain name, an IP address/, 'invalid_query'],
      ['check', 'http://10.0.0.5/', /private or reserved/, 'blocked_address'],
      ['check', 'seenby.test', /this service itself/, 'invalid_target'],
      ['check', 'https://redirect.test/?to=javascript:alert(1)', /redirects to a URL that is not/, 'invalid_url'],
      ['check', 'https://expired.test/', /certificate/, 'invalid_certificate'],
    ] as const) {
      const result = await lookUp(page, id, value);
      assert.match(await result.innerText(), expected);
      assert.equal(await result.getByRole('link').getAttribute('href'), `/docs#error-${code}`);
    }
    await page.getByRole('link', { name: 'invalid_certificate' }).click();
    assert.equal(page.url(), `${origin}/docs#error-invalid_certificate`);
    assert.equal(await page.locator(':target').innerText(), 'invalid_certificate');
    await page.context().close();
  });

  test('shows progress and can be canceled', async () => {
    const { page } = await openPage(browser, through());
    await page.goto('/');
    await page.fill('#check', 'https://hang.test/');
    const card = page.locator('.tool').nth(1);
    await card.getByRole('button', { name: 'Look up' }).click();
    await card.getByRole('progressbar').waitFor();
    assert.equal(await card.getByRole('button', { name: 'Look up' }).isDisabled(), true);
    await card.getByText('1 s', { exact: true }).waitFor();
    await card.screenshot({ path: screenshot('lookup-waiting') });
    await card.getByRole('button', { name: 'Cancel' }).click();
    await card.getByText('Cancelled.').waitFor();
    assert.equal(await card.getByRole('button', { name: 'Look up' }).isDisabled(), false);
    await page.context().close();
  });

  test('runs a linked lookup only after a click', async () => {
    const { page, requests } = await openPage(browser, through());
    for (const [id, value] of [
      ['rdap', 'example.com'],
      ['check', 'https://well-kept.test/'],
    ] as const) {
      await page.goto(`/?${new URLSearchParams({ [id]: value })}`);
      await page.getByText('Nothing is sent until you press Look up.').waitFor();
      assert.equal(await page.inputValue(`#${id}`), value);
      assert.equal(await page.evaluate('document.activeElement.form.dataset.link'), id);
      await page.waitForTimeout(300);
      assert.deepEqual(
        requests.filter((url) => url.includes('/api/')),
        [],
      );
    }
    await page.locator('.tool').nth(1).getByRole('button', { name: 'Look up' }).click();
    await page.locator('.letter').waitFor();
    assert.equal(requests.filter((url) => url.includes('/api/')).length, 1);
    await page.context().close();
  });

  test('explains the rate limit and counts down', async () => {
    const { page } = await openPage(browser, through('25.2.0.1'));
    await page.clock.install();
    await page.goto('/');
    for (let n = 0; n < 10; n++) await lookUp(page, 'rdap', `not a name ${n}`);
    const result = await lookUp(page, 'rdap', 'example.com');
    assert.match(await result.innerText(), /Too many requests from this IP/);
    assert.match(await result.innerText(), /Try again in (60|59) s/);
    await page
      .locator('.tool')
      .first()
      .screenshot({ path: screenshot('lookup-limit') });
    const button = page.locator('.tool').first().getByRole('button', { name: 'Look up' });
    assert.equal(await button.isDisabled(), true);
    await page.clock.runFor(61_000);
    assert.match(await result.innerText(), /You can try again\./);
    assert.equal(await button.isDisabled(), false);
    await page.context().close();
  });
});
