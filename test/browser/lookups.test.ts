/** The page's lookups against the servers of the simulated internet. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type SimulatedInternet, skipWithoutInternet } from '../internet/internet.ts';
import { type SimulatedService, serveIn } from '../internet/service.ts';
import { sharedInternet } from '../internet/shared.ts';
import { axeFindings } from './axe.ts';
import {
  closePage,
  openBlank,
  openPage,
  origin,
  type Responder,
  skipWithoutChromium,
  writeScreenshot,
} from './chromium.ts';
import { sharedBrowser } from './shared-browser.ts';

const skip = skipWithoutInternet() || skipWithoutChromium();

describe('in Chromium, a lookup on the simulated internet', { skip }, () => {
  let internet: SimulatedInternet;
  let service: SimulatedService;
  let browser: Browser;
  before(async () => {
    [internet, browser] = await Promise.all([sharedInternet(), sharedBrowser()]);
    service = await serveIn(internet);
  });
  after(async () => {
    assert.doesNotMatch(service?.printed() ?? '', /example|kept|25\.[12]\.0|unexpected/, 'the log contains a query');
    await service?.close();
  });

  /** Sends requests through the simulated internet, each from its own address unless one is given. */
  const through =
    (from?: string): Responder =>
    async ({ path, query, method, headers }) => {
      callers += 1;
      const {
        status,
        headers: received,
        body,
      } = await internet.sendRequest(`${service.url}${path}${query === '' ? '' : `?${query}`}`, {
        method,
        headers: Object.fromEntries(forwarded.map((name) => [name, headers[name] ?? '']).filter(([, value]) => value)),
        from: from ?? `25.1.0.${callers}`,
      });
      const plain = Object.entries(received).map(([name, value]) => [name, `${value}`] as const);
      return { status, headers: Object.fromEntries(plain), body: body.toString() };
    };
  let callers = 0;
  const forwarded = ['accept', 'user-agent', 'sec-fetch-site', 'referer'];

  const lookUp = async (page: Page, id: string, value: string) => {
    const card = page.locator('.tool', { has: page.locator(`#lookup-${id}`) });
    await page.locator(`[aria-controls="${await card.getAttribute('id')}"]`).click();
    await page.fill(`#lookup-${id}`, value);
    await card.locator('form button').click();
    const result = card.locator('.result');
    // The progress replaces the result of an earlier lookup immediately.
    await result.locator('.raw, .problem').first().waitFor();
    return result;
  };

  const shoot = (page: Page, name: string) =>
    writeScreenshot(page.locator('section', { has: page.locator('#lookups') }), name);

  test('grades a site: letter, every check, redirect chain and JSON', async () => {
    const { page, complaints } = await openPage(browser, through());
    await page.goto('/');
    const result = await lookUp(page, 'headers', 'well-kept.test');
    assert.match(await result.locator('.letter').innerText(), /^Grade\s+A\+$/);
    assert.equal(await result.locator('.checks li').count(), 11);
    assert.equal(page.url(), `${origin}/`);
    const link = result.getByRole('link', { name: 'Link to this lookup' });
    assert.equal(await link.getAttribute('href'), '/lookup/headers?url=https%3A%2F%2Fwell-kept.test');
    assert.match(await page.locator('#status').innerText(), /Grade A\+, 100 of 100 points, for well-kept\.test/);
    assert.match(await result.innerText(), /100 points − 0 in penalties \+ \d+ in bonuses = 1\d\d, limited to 100/);
    // A check with advice has no green tick.
    for (const row of await result.locator('.checks .passed').allInnerTexts()) assert.doesNotMatch(row, /Recommended/);
    await shoot(page, 'grade-best');
    await lookUp(page, 'headers', 'http://to-https.test/');
    assert.match(await result.locator('.hops').innerText(), /301.*redirects to.*200/s);
    await page.emulateMedia({ colorScheme: 'dark' });
    await lookUp(page, 'headers', 'https://cookies.test/');
    assert.match(await result.locator('.failed').first().innerText(), /−\d/);
    assert.match(await result.innerText(), /in penalties .*at least 0/);
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
    assert.deepEqual(await axeFindings(page, ['.tool']), []);
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('print has the configuration that is open, and no closed lists; forced colors show the dots of redirects', async () => {
    const { page } = await openPage(browser, through());
    await page.goto('/lookup/headers');
    await page.getByRole('textbox').fill('bare.test');
    await page.locator('form button').click();
    await page.locator('.result .hops').waitFor();
    const closed = page.locator('.result details:not([open])');
    assert.ok((await closed.count()) > 5);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.getByText('add_header Strict-Transport-Security').first().isVisible(), true);
    for (const each of await closed.all()) assert.equal(await each.isVisible(), false);
    await page.emulateMedia({ media: 'screen', forcedColors: 'active' });
    const [dot, canvas] = await page.evaluate<readonly string[]>(
      "[getComputedStyle(document.querySelector('.hops li'), '::before'), getComputedStyle(document.body)].map((each) => each.backgroundColor)",
    );
    assert.notEqual(dot, canvas);
    await closePage(page);
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
      assert.match(await result.locator('.timeline').innerText(), /Registered.*Today/s);
      await result.getByText('JSON', { exact: true }).click();
      assert.equal(JSON.parse(await result.locator('pre').innerText()).query, query);
      // The last result is checked below; a domain's on its own page.
      if (query === '8.8.8.8') assert.deepEqual(await axeFindings(page, ['.tool']), []);
      await writeScreenshot(page.locator('.tool').first(), `registration-${query}`);
    }
    assert.deepEqual(await axeFindings(page, ['.tool']), []);
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('on a phone, the tabs and the dates of a registration each fit one line, and nothing is wider than the screen', async () => {
    for (const width of [320, 360]) {
      const { page } = await openPage(browser, through(), { viewport: { width, height: 800 } });
      const linesOf = (selector: string) =>
        page.evaluate(`[...document.querySelectorAll('${selector}')].map((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size;
        })`);
      await page.goto('/lookup');
      assert.deepEqual(await linesOf('nav.tabs a'), Array(6).fill(1), `${width}`);
      await page.goto('/');
      await lookUp(page, 'rdap', 'example.com');
      assert.deepEqual(await linesOf('.timeline :is(b, span)'), Array(11).fill(1), `${width}`);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
      await closePage(page);
    }
  });

  test('shows DNS records of the chosen type, and data about an IP address', async () => {
    const { page, complaints } = await openPage(browser, through());
    await page.goto('/');
    await page.getByRole('tab', { name: 'DNS records' }).click();
    await page.locator('form[action="/lookup/dns"] select').selectOption('MX');
    const records = await lookUp(page, 'dns', 'example.com');
    assert.match(await records.innerText(), /10 mail\.example\.com.*20 backup\.example\.com.*validated/s);
    const link = records.getByRole('link', { name: 'Link to this lookup' });
    assert.equal(await link.getAttribute('href'), '/lookup/dns?name=example.com&type=MX');
    assert.match(await page.locator('#status').innerText(), /2 MX records of example\.com/);
    const missing = await lookUp(page, 'dns', 'missing.example.com');
    assert.match(await missing.innerText(), /NXDOMAIN/);
    const lookup = await lookUp(page, 'ip', '25.1.0.9');
    assert.match(await lookup.innerText(), /Host name\s+client\.example\.com/);
    assert.deepEqual(await axeFindings(page, ['.tool']), []);
    await shoot(page, 'dns-and-ip');
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('shows error messages with a link to their documentation', async () => {
    const { page } = await openPage(browser, through());
    await page.goto('/');
    for (const [id, value, expected, code] of [
      ['rdap', 'example.no-such-tld', /IANA lists no RDAP server/, 'no_rdap_service'],
      ['rdap', 'not..a.name', /has no empty label/, 'invalid_query'],
      ['headers', 'http://10.0.0.5/', /private or reserved/, 'blocked_address'],
      ['headers', 'seenby.test', /this service itself/, 'invalid_target'],
      ['headers', 'https://redirect.test/?to=javascript:alert(1)', /redirects to a URL that is not/, 'invalid_url'],
      ['headers', 'https://expired.test/', /certificate/, 'invalid_certificate'],
    ] as const) {
      const result = await lookUp(page, id, value);
      assert.match(await result.innerText(), expected);
      assert.equal(await result.getByRole('link').getAttribute('href'), `/docs#error-${code}`);
    }
    await page.getByRole('link', { name: 'invalid_certificate' }).click();
    assert.equal(page.url(), `${origin}/docs#error-invalid_certificate`);
    assert.equal(await page.locator(':target').innerText(), 'invalid_certificate');
    await closePage(page);
  });

  test('shows progress and can be canceled', async () => {
    const { page } = await openPage(browser, through());
    await page.goto('/');
    const card = page.getByRole('tabpanel', { name: 'Security headers grade' });
    await page.getByRole('tab', { name: 'Security headers grade' }).click();
    await page.fill('#lookup-headers', 'https://hang.test/');
    await card.getByRole('button', { name: 'Grade headers' }).click();
    await card.getByRole('progressbar').waitFor();
    assert.equal(await card.getByRole('button', { name: 'Grade headers' }).isDisabled(), true);
    // A busy browser may skip a second.
    await card.getByText(/^[1-9]\d* s$/).waitFor();
    await writeScreenshot(card, 'lookup-waiting');
    await card.getByRole('button', { name: 'Cancel' }).press('Enter');
    await card.getByText('Canceled.').waitFor();
    // The button is gone; whoever uses a keyboard stays at the result.
    assert.equal(await page.evaluate("document.activeElement.matches('.result')"), true);
    assert.equal(await card.getByRole('button', { name: 'Grade headers' }).isDisabled(), false);
    await closePage(page);
  });

  /** Responds to the requests of the test that runs. */
  let respond: Responder;
  // One for all tests, because pages of the same origin share a process.
  const server = createServer(async ({ url = '', method = '', headers }, response) => {
    const [path = '', query = ''] = url.split('?');
    const { status, body, headers: sent } = await respond({ path, query, method, headers: headers as never });
    // The connection is this server's.
    const { connection: _, 'transfer-encoding': __, ...kept } = sent as Record<string, string>;
    response.writeHead(status, kept).end(body);
  });
  before(() => once(server.listen(0), 'listening'));
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Opens a page on a real server, so that the browser sends the headers that an intercepted request lacks. */
  const openSite = async (t: TestContext, options: BrowserContextOptions, from?: string) => {
    respond = through(from);
    const { port } = server.address() as AddressInfo;
    const page = await openBlank(browser, { baseURL: `http://localhost:${port}`, ...options });
    t.after(() => closePage(page));
    return { page, port };
  };

  for (const javaScriptEnabled of [true, false])
    test(`every lookup works on its own page, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async (t) => {
      const viewport = { width: 320, height: 844 };
      const { page } = await openSite(t, { javaScriptEnabled, viewport });
      for (const [path, value, title, expected] of [
        ['/lookup/rdap', 'example.com', 'example.com: registration', /a\.iana-servers\.net/],
        ['/lookup/headers', 'well-kept.test', 'well-kept.test: security headers', /Redirect chain/],
        ['/lookup/dns', 'example.com', 'example.com: DNS records', /93\.184\.216\.34/],
        ['/lookup/ip', '25.1.0.9', '25.1.0.9: location and network', /client\.example\.com/],
      ] as const) {
        await page.goto(path);
        await page.getByRole('textbox').fill(value);
        await page.locator('form button').click();
        await page.locator('.result').waitFor();
        assert.equal(await page.title(), `${title} · Seenby`);
        assert.match(await page.locator('.result').innerText(), expected);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width, path);
        if (javaScriptEnabled) assert.deepEqual(await axeFindings(page), [], path);
        // The visitor opens the link again, for example from a bookmark.
        await page.goto(page.url());
        assert.equal(await page.title(), `${title} · Seenby`);
      }
    });

  test('one field leads to a report, whose parts load by themselves and lead on', async (t) => {
    const { page } = await openSite(t, { viewport: { width: 1280, height: 900 } }, '25.2.0.2');
    await page.goto('/');
    await page.getByLabel('Domain, URL, IP address').fill('example.com');
    await page.getByRole('search').getByRole('button').click();
    await page.waitForURL('**/lookup/domain?name=example.com');
    for (const [title, expected] of [
      ['Registration', /a\.iana-servers\.net/],
      ['DNS', /10 mail\.example\.com/],
      ['Security headers', /of 100 points/],
      ['Address', /private|reserved|Location|no IP address/],
    ] as const) {
      const part = page.locator('.loaded', { has: page.getByRole('heading', { name: title, exact: true }) });
      await part.locator('.grade, .problem, .facts').first().waitFor();
      assert.match(await part.innerText(), expected, title);
    }
    await writeScreenshot(page, 'report', { fullPage: true });
    assert.deepEqual(await axeFindings(page, ['html'], "{ rules: { 'target-size': { enabled: true } } }"), []);
    // One line about each part, which is also the contents.
    assert.match(
      await page.locator('.contents').innerText(),
      /Registration\s+(?:Expires|Expired|Registered) .*\s+DNS\s+DNSSEC validated · DMARC reject\s+Security headers\s+Grade/,
    );
    assert.match(await page.locator('.left').innerText(), /^[56] more lookups this minute$/);
    await page.getByRole('link', { name: 'a.iana-servers.net' }).first().click();
    await page.waitForURL('**/lookup/dns?name=a.iana-servers.net');
    await page.locator('.result').waitFor();
  });

  for (const viewport of [
    { width: 1280, height: 900 },
    { width: 768, height: 1024 },
    { width: 390, height: 844 },
  ])
    test(`nothing moves while a report loads, ${viewport.width} pixels wide`, async (t) => {
      const { page } = await openSite(t, { viewport });
      await page.goto('/lookup/domain?name=example.com');
      await page.locator('#address .result :is(.facts, .problem)').waitFor();
      // Each with the elements that moved.
      const shifts = (await page.evaluate(`new Promise((resolve) => {
        const found = [];
        const place = ({ y, height }) => y + ' +' + height;
        new PerformanceObserver((list) => {
          for (const { value, sources } of list.getEntries())
            found.push({
              value,
              moved: sources.map(({ node, previousRect, currentRect }) =>
                (node?.outerHTML ?? node?.textContent ?? '').slice(0, 80) + ' ' + place(previousRect) + ' → ' + place(currentRect)),
            });
        }).observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => setTimeout(() => resolve(found), 200));
      })`)) as { value: number; moved: string[] }[];
      const shift = shifts.reduce((sum, { value }) => sum + value, 0);
      t.diagnostic(`layout shift ${shift}`);
      assert.ok(shift < 0.02, JSON.stringify(shifts, null, 2));
      // WCAG 1.4.4: with text twice as large, there is no second direction to scroll in.
      await page.evaluate("document.documentElement.style.fontSize = '200%'");
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width);
    });

  test('refuses the third report of a minute before it begins, with the time', async (t) => {
    const { page } = await openSite(t, {}, '25.2.0.3');
    for (let at = 0; at < 2; at += 1) {
      await page.goto('/lookup/domain?name=example.com');
      await page.locator('#address .result :is(.facts, .problem)').waitFor();
    }
    const response = await page.goto('/lookup/domain?name=example.com');
    assert.equal(response?.status(), 429);
    assert.match(
      await page.locator('main').innerText(),
      /A report needs 5 lookups, and this IP has none left; try again in \d+ seconds?\./,
    );
    assert.equal(await page.locator('[data-load]').count(), 0);
  });

  test('without scripts, a report is a link for each part', async (t) => {
    const { page } = await openSite(t, { javaScriptEnabled: false });
    await page.goto('/lookup/domain');
    await page.getByRole('textbox').fill('example.com');
    await page.getByRole('button').click();
    assert.equal(await page.locator('.loaded a').count(), 5);
    await page.getByRole('link', { name: 'Look up DNS' }).click();
    assert.match(await page.locator('.result').innerText(), /mail\.example\.com/);
  });

  test('a link on another site fills in the form, and the button runs the lookup', async (t) => {
    const { page, port } = await openSite(t, {});
    const link = `http://localhost:${port}/lookup/dns?name=example.com&type=MX`;
    await page.goto(`data:text/html,<a href="${link.replace('&', '&amp;')}">x</a>`);
    await page.getByRole('link').click();
    await page.getByText('Nothing is sent until you press Look up DNS records.').waitFor();
    assert.equal(await page.getByRole('textbox').inputValue(), 'example.com');
    assert.equal(await page.getByRole('combobox').inputValue(), 'MX');
    assert.equal(await page.locator('.result').count(), 0);
    await page.getByRole('button', { name: 'Look up DNS records' }).click();
    await page.getByText('mail.example.com').first().waitFor();
  });

  test('explains the rate limit and counts down', async () => {
    const { page } = await openPage(browser, through('25.2.0.1'));
    await page.clock.install();
    await page.goto('/');
    for (let n = 0; n < 10; n++) await lookUp(page, 'rdap', `not_a_name_${n}`);
    const result = await lookUp(page, 'rdap', 'example.com');
    assert.match(await result.innerText(), /Too many lookups from this IP/);
    // One time, which counts down.
    assert.deepEqual((await result.innerText()).match(/\d+ s/g)?.length, 1);
    assert.match(await result.innerText(), /try again in \d+ s\./);
    await writeScreenshot(page.locator('.tool').first(), 'lookup-limit');
    const button = page.getByRole('button', { name: 'Look up registration' });
    assert.equal(await button.isDisabled(), true);
    await page.clock.runFor(61_000);
    assert.match(await result.innerText(), /You can try again\./);
    assert.equal(await button.isDisabled(), false);
    await page.context().close();
  });
});
