/** The test of DNS on the start page, with responses of the service that a laboratory cannot have, and what surrounds it. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { maxWaitMs, noQueryMs } from '../../src/core/name-server.ts';
import { unobserved } from '../../src/core/observed.ts';
import type { HttpResponse } from '../../src/core/request-context.ts';
import { maxTestMs } from '../../src/probes/resolvers.ts';
import { hostile } from '../http/page/lookup/hostile.ts';
import { until } from '../until.ts';
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
import { sharedBrowser } from './shared-browser.ts';

const probes = { dns: { zone: 'dns.seenby.test' }, stun: null, portCheck: true };
const resolver = {
  address: '172.70.0.1',
  ipVersion: 4,
  asn: 13335,
  asOrganization: 'Cloudflare, Inc.',
  country: 'NO',
  city: 'Oslo',
  transports: ['udp'],
  ednsBufferBytes: 1232,
  dnssecOk: true,
  cookie: false,
  clientSubnets: [],
  mixedCase: false,
  minimizesNames: true,
  queryTypes: ['A', 'AAAA', 'HTTPS'],
};

const jsonOf = (value: object, status = 200): HttpResponse => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(value),
});
const seen = (...resolvers: readonly object[]) =>
  jsonOf({ zone: probes.dns.zone, resolvers, truncated: false, limited: false });

/** The application, except for what waits for DNS queries: these are the responses to the first such request, the second and so on. */
function serviceWith(...responses: readonly (() => HttpResponse | Promise<HttpResponse>)[]): Responder {
  const application = applicationOf(
    { autonomousSystem: { ...unobserved.autonomousSystem, asn: 2119, asOrganization: 'Telenor Norge AS' } },
    {},
    { probes },
  );
  const left = [...responses];
  return async (request) => (request.path === '/api/resolver' && left.shift()?.()) || application(request);
}

describe('in Chromium, the test of DNS', { skip: skipWithoutChromium() }, () => {
  let browser: Browser;
  before(async () => {
    browser = await sharedBrowser();
  });

  const open = async (respond: Responder, options: BrowserContextOptions = {}) => {
    const opened = await openPage(browser, respond, { viewport: { width: 390, height: 844 }, ...options });
    await opened.page.addInitScript(patience);
    opened.page.on('dialog', () => assert.fail('a value ran'));
    await opened.page.goto('/');
    return { ...opened, button: opened.page.getByRole('button', { name: /^Run/ }) };
  };
  const isTest = (url: string): boolean => !/\/(?:ip|round-trips)?$/.test(url);

  test('sends nothing before the button is pressed; then shows the result, keeps the focus, and can run again', async () => {
    const checked = Promise.withResolvers<void>();
    const respond = serviceWith(
      async () => {
        await checked.promise;
        return seen(resolver);
      },
      () => seen({ ...resolver, asn: 2119, asOrganization: 'Telenor Norge AS' }),
    );
    const { page, requests, complaints, button } = await open(respond);
    await page.locator('.test').scrollIntoViewIfNeeded();
    assert.deepEqual(requests.filter(isTest), []);
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('progressbar', { name: 'Test in progress' }).waitFor();
    assert.deepEqual(await axeFindings(page, ['.test', '.overview']), []);
    checked.resolve();
    const result = page.locator('.test .result');
    await result.getByText('Another provider: Cloudflare, Inc. (AS13335)').waitFor();
    assert.equal(
      await result.getByRole('link', { name: '172.70.0.1' }).getAttribute('href'),
      '/lookup/ip?q=172.70.0.1',
    );
    assert.match(
      (await page.getByRole('status').textContent()) ?? '',
      /^Resolver: Another provider: Cloudflare, Inc\. /,
    );
    assert.deepEqual(await axeFindings(page, ['.test', '.overview']), []);
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Run again');
    assert.equal(page.url(), `${origin}/`);
    const [first = ''] = requests.filter((url) => url.includes('/api/resolver'));
    assert.match(first, /\?id=[\da-f]{16}&names=6$/);

    await page.keyboard.press('Enter');
    await result.getByText('Your provider: Telenor Norge AS (AS2119)').waitFor();
    assert.equal(await result.getByText('Cloudflare').count(), 0);
    // One row on the first screen, of the last result.
    const row = page.locator('.overview .facts div', { hasText: /^Resolver/ });
    assert.deepEqual(await row.allInnerTexts(), ['Resolver\nYour provider: Telenor Norge AS (AS2119)']);
    const [, second] = requests.filter((url) => url.includes('/api/resolver'));
    assert.notEqual(second, first);
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('asks once more with requests if no query arrived, and gives the usual reasons if none does then', async () => {
    const arrived = (): readonly string[] =>
      opened.requests.map((url) => new URL(url).hostname).filter((name) => name.endsWith('.dns.seenby.test'));
    const opened = await open(
      serviceWith(
        () => seen(),
        async () => {
          // The last ones may take longer than the page waits after them.
          await until(() => new Set(arrived()).size >= 6);
          return seen();
        },
      ),
    );
    const { page, requests, complaints, button } = opened;
    await button.click();
    await page.getByText('No query reached this service').first().waitFor();
    assert.equal(new Set(arrived()).size, 6);
    const [, second = ''] = requests.filter((url) => url.includes('/api/resolver'));
    const id = new URL(second).searchParams.get('id') ?? '';
    assert.ok(arrived().every((name) => name.includes(`-${id}.`)));
    // The policy permits these requests.
    assert.deepEqual(complaints, []);
    await closePage(page);
  });

  test('shows what the service or the network rejects as text, and runs again', async () => {
    const { page, button } = await open(
      serviceWith(
        () => jsonOf({ error: 'overloaded', message: `${hostile} Try again later.` }, 503),
        () => ({ status: 200, headers: {}, body: 'no JSON' }),
        () => seen({ ...resolver, asOrganization: hostile, city: hostile, clientSubnets: [hostile], address: hostile }),
      ),
    );
    await button.click();
    await page.locator('.test').getByText('Try again later.').waitFor();
    await button.click();
    await page.locator('.test').getByText('The service is unreachable.').waitFor();
    await button.click();
    await page.getByRole('link', { name: 'Another provider: ' }).waitFor();
    assert.equal(await page.locator('img').count(), 0);
    assert.match(await page.locator('.test .result').innerText(), /<img src=x onerror=alert\(1\)>.*U\+202E/s);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
    assert.deepEqual(await axeFindings(page, ['.test', '.overview']), []);
    await closePage(page);
  });

  test('ends if the service does not respond', async () => {
    const { page } = await openPage(
      browser,
      serviceWith(() => new Promise(() => {})),
    );
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(3_600_000);
    await page.goto('/');
    await page.getByRole('button', { name: 'Run the test' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.clock.runFor(maxTestMs - 1);
    assert.equal(await page.getByRole('progressbar').count(), 1);
    await page.clock.runFor(1);
    await page.getByText('The test took too long.').waitFor();
    await page.context().close();
  });

  test('has a result if no query reaches the first run and the second waits as long as it can', async () => {
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const replies = [Promise.withResolvers<HttpResponse>(), Promise.withResolvers<HttpResponse>()] as const;
    const respond = (run: 0 | 1) => () => {
      begun[run].resolve();
      return replies[run].promise;
    };
    const { page } = await openPage(browser, serviceWith(respond(0), respond(1)));
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(3_600_000);
    await page.goto('/');
    await page.getByRole('button', { name: 'Run the test' }).click();
    const roundTripsMs = 1_000;
    await begun[0].promise;
    await page.clock.runFor(noQueryMs + roundTripsMs);
    replies[0].resolve(seen());
    await begun[1].promise;
    await page.clock.runFor(maxWaitMs + roundTripsMs);
    replies[1].resolve(seen(resolver));
    await page.locator('.test .facts').waitFor();
    assert.match(await page.locator('.test .facts').innerText(), /^Resolver\s+Another provider: Cloudflare, Inc\. /);
    await page.context().close();
  });

  test('without scripts, the section has a command instead of the button', async () => {
    const { page } = await open(serviceWith(), { javaScriptEnabled: false });
    await page.locator('#test').scrollIntoViewIfNeeded();
    assert.equal(await page.getByRole('button', { name: 'Run the test' }).isVisible(), false);
    assert.equal(
      await page.locator('.test code', { hasText: 'dig +short whoami.dns.seenby.test TXT' }).isVisible(),
      true,
    );
    await closePage(page);
    const stun = { host: 'seenby.test', port: 3478, mappingPort: null };
    const deployment = { probes: { dns: null, stun, portCheck: false } };
    const withoutDns = await openPage(browser, applicationOf({}, {}, deployment), { javaScriptEnabled: false });
    await withoutDns.page.goto('/');
    await withoutDns.page.locator('#test').scrollIntoViewIfNeeded();
    await withoutDns.page.locator('.test .no-js', { hasText: 'Needs a browser with scripts.' }).waitFor();
    await closePage(withoutDns.page);
  });

  test('print has the result, not the button, and nothing of a test that was not run', async () => {
    const { page, button } = await open(serviceWith(() => seen(resolver)));
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('#test').isVisible(), false);
    await page.emulateMedia({ media: 'screen' });
    await button.click();
    await page.locator('.test .facts').waitFor();
    await page.emulateMedia({ media: 'print', forcedColors: 'active' });
    assert.equal(await page.locator('.test .facts').isVisible(), true);
    for (const name of ['.run', '.raw']) assert.equal(await page.locator(`.test ${name}`).isVisible(), false, name);
    await closePage(page);
  });

  test('the check of a port shows its result and its errors in words', async () => {
    const application = serviceWith();
    const responses = [
      jsonOf({ ip: '192.0.2.1', port: 443, state: 'closed', elapsedMs: 12 }),
      jsonOf({ error: 'blocked_address', message: 'Your IP address is private or reserved.' }, 400),
      // Of a proxy.
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>502 Bad Gateway</h1>' },
    ];
    const {
      page,
      requests,
      button: _,
    } = await open(async (request) =>
      request.path === '/api/port' ? (responses.shift() ?? assert.fail()) : application(request),
    );
    await page.getByRole('tab', { name: 'Port of your address' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Port of your address' });
    await panel.getByRole('textbox').fill(' 443');
    const rejected = 'The service rejected the request.';
    for (const text of ['Port 443 of 192.0.2.1 is closed.', 'Your IP address is private or reserved.', rejected]) {
      await panel.getByRole('button', { name: 'Check port' }).click();
      await panel.getByText(text).waitFor();
      assert.deepEqual(await axeFindings(page, ['#panel-port']), []);
    }
    assert.equal(requests.filter((url) => url === `${origin}/api/port?port=443`).length, 3);
    await closePage(page);
  });

  test('the check of a port asks over both IP versions, if the service has a host for the other one', async () => {
    const hosts = { publicUrlV4: 'https://v4.seenby.test', publicUrlV6: 'https://v6.seenby.test' };
    const application = applicationOf({ ip: '192.0.2.1' }, {}, { ...hosts, probes });
    const checkedAt =
      (ip: string, response: HttpResponse | null = null): Responder =>
      async (request) => {
        if (request.path !== '/api/port') return application(request);
        return response ?? jsonOf({ ip, port: 443, state: 'open', elapsedMs: 12 });
      };
    const limited = jsonOf({ error: 'rate_limited', message: 'Too many requests.' }, 429);
    for (const [atV6, sentence] of [
      [
        checkedAt('2001:db8::1'),
        'Port 443 of 2001:db8::1 is open. A program accepts connections from the internet. (12 ms)',
      ],
      [checkedAt('', limited), 'IPv6: Too many requests.'],
      [checkedAt('', jsonOf({})), 'IPv6: This browser did not reach the service over IPv6.'],
      [undefined, 'IPv6: This browser did not reach the service over IPv6.'],
    ] as const) {
      const others = { [hosts.publicUrlV4]: application, ...(atV6 && { [hosts.publicUrlV6]: atV6 }) };
      const { page } = await openPage(browser, checkedAt('192.0.2.1'), {}, others);
      await page.goto('/');
      await page.getByRole('tab', { name: 'Port of your address' }).click();
      const panel = page.getByRole('tabpanel', { name: 'Port of your address' });
      await panel.getByRole('textbox').fill('443');
      await panel.getByRole('button', { name: 'Check port' }).click();
      await panel.getByText('Port 443 of 192.0.2.1 is open.').waitFor();
      assert.equal(await panel.locator('.result p').nth(1).textContent(), sentence);
      await closePage(page);
    }
  });

  test('the check of a port ends if there is no response', async () => {
    const hosts = { publicUrlV4: 'https://v4.seenby.test', publicUrlV6: 'https://v6.seenby.test' };
    const application = applicationOf({ ip: '192.0.2.1' }, {}, { ...hosts, probes });
    const started = { [origin]: Promise.withResolvers<void>(), [hosts.publicUrlV6]: Promise.withResolvers<void>() };
    const silentAt =
      (host: string): Responder =>
      (request) => {
        if (request.path !== '/api/port') return application(request);
        started[host]?.resolve();
        return new Promise(() => {});
      };
    const { page } = await openPage(
      browser,
      silentAt(origin),
      {},
      { [hosts.publicUrlV6]: silentAt(hosts.publicUrlV6) },
    );
    // Time limits pass when the test says so.
    await page.addInitScript(
      'const limits = []; AbortSignal.timeout = () => { const limit = new AbortController(); limits.push(limit); return limit.signal; }; globalThis.endLimits = () => limits.forEach((limit) => limit.abort());',
    );
    await page.goto('/');
    await page.getByRole('tab', { name: 'Port of your address' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Port of your address' });
    await panel.getByRole('textbox').fill('443');
    await panel.getByRole('button', { name: 'Check port' }).click();
    await Promise.all(Object.values(started).map(({ promise }) => promise));
    await page.evaluate('endLimits()');
    await panel.getByText('IPv6: This browser did not reach the service over IPv6.').waitFor();
    await panel.getByText('IPv4: This browser did not reach the service over IPv4.').waitFor();
    await closePage(page);
  });
});
