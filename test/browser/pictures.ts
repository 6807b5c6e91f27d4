/** Writes the pictures in docs/images, in both themes: the start page, and its test of DNS and WebRTC. `node test/browser/pictures.ts` */
import { join } from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { seenAll } from '../observed.ts';
import { applicationOf, closePage, openBrowser, openPage, origin, type Responder } from './chromium.ts';

const hosts = { publicUrlV4: 'https://v4.seenby.test', publicUrlV6: 'https://v6.seenby.test' };
const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';
/** Public addresses, because a page says of the reserved ones that they are not public. */
const visitor = {
  origin,
  ip: '2001:4860:4860::8888',
  edgeHeaders: {},
  location: {
    ...seenAll.location,
    country: 'CA',
    countryName: 'Canada',
    region: 'Quebec',
    city: 'Montreal',
    timezone: 'America/Toronto',
    latitude: 45.5019,
    longitude: -73.5674,
  },
  autonomousSystem: { ...seenAll.autonomousSystem, asn: 15169, asOrganization: 'Google LLC' },
};
const visitor4 = { ...visitor, ip: '8.8.8.8' };

/** What the DNS server of the service observes of a visitor with another resolver. */
const resolvers = {
  zone: 'dns.seenby.test',
  resolvers: [
    {
      address: '172.70.0.1',
      ipVersion: 4,
      asn: 13335,
      asOrganization: 'Cloudflare, Inc.',
      country: 'CA',
      city: 'Montreal',
      dnssecOk: true,
      clientSubnets: ['8.8.8.0/24'],
    },
  ],
  truncated: false,
  limited: false,
};
const probes = {
  dns: { zone: resolvers.zone },
  stun: { host: 'seenby.test', port: 3478, mappingPort: 3479 },
  portCheck: false,
};
/** A browser whose datagrams have the address of its requests. */
const connectionOfVisitor = `RTCPeerConnection = class extends EventTarget {
  iceGatheringState = 'complete';
  createDataChannel() {}
  async setLocalDescription() {
    const found = new Event('icecandidate');
    found.candidate = { candidate: 'candidate:1 1 udp 1 ${visitor4.ip} 50000 typ srflx' };
    setTimeout(() => [found, new Event('icegatheringstatechange')].forEach((event) => this.dispatchEvent(event)));
  }
  close() {}
};`;

/** Playwright does not show these headers of the browser. */
const navigation = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const navigated =
  (respond: Responder): Responder =>
  (request) =>
    respond({ ...request, headers: { ...request.headers, ...navigation } });
const startPage = navigated(applicationOf(visitor, {}, hosts));
const withTest = navigated(applicationOf(visitor4, {}, { probes }));
const testPage: Responder = async (request) =>
  request.path === '/api/resolver'
    ? { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(resolvers) }
    : withTest(request);

const others = {
  [hosts.publicUrlV4]: applicationOf(visitor4),
  [hosts.publicUrlV6]: applicationOf(visitor),
};

const browser = await openBrowser();
const width = 1180;
const visit: BrowserContextOptions = { userAgent, locale: 'en-CA', timezoneId: 'America/Toronto' };
const pathOf = (name: string): string => join(import.meta.dirname, `../../docs/images/${name}.png`);

/** The height of the section `#test` with what surrounds it. */
async function boxOf(section: Locator): Promise<NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>> {
  const box = await section.boundingBox();
  if (box === null) throw new Error('the section has no box');
  return { ...box, x: 0, width };
}

async function runTest(page: Page): Promise<void> {
  await page.addInitScript(connectionOfVisitor);
  await page.goto('/');
  await page.getByRole('button', { name: 'Run the test' }).click();
  await page.getByText('The same port for both destinations').first().waitFor();
}

for (const colorScheme of ['light', 'dark'] as const) {
  const start = await openPage(browser, startPage, { ...visit, colorScheme, viewport: { width, height: 612 } }, others);
  await start.page.goto('/');
  await start.page.getByRole('button', { name: 'Copy the IPv4 address' }).waitFor();
  await start.page.screenshot({ path: pathOf(`start-page-${colorScheme}`) });
  await closePage(start.page);

  const { page } = await openPage(browser, testPage, { ...visit, colorScheme, viewport: { width, height: 4000 } });
  await runTest(page);
  const clip = await boxOf(page.locator('section', { has: page.locator('#test') }));
  await page.screenshot({ path: pathOf(`dns-webrtc-${colorScheme}`), clip });
  await closePage(page);
}
await browser.close();
