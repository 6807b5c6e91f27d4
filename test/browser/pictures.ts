/** Writes the pictures of the start page in docs/images, in both themes: `node test/browser/pictures.ts`. */
import { join } from 'node:path';
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

/** Playwright does not show these headers of the browser. */
const navigation = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const start = applicationOf(visitor, {}, hosts);
const respond: Responder = (request) => start({ ...request, headers: { ...request.headers, ...navigation } });

const browser = await openBrowser();
for (const colorScheme of ['light', 'dark'] as const) {
  const { page } = await openPage(
    browser,
    respond,
    {
      viewport: { width: 1180, height: 612 },
      colorScheme,
      userAgent,
      locale: 'en-CA',
      timezoneId: 'America/Toronto',
    },
    {
      [hosts.publicUrlV4]: applicationOf({ ...visitor, ip: '8.8.8.8' }),
      [hosts.publicUrlV6]: applicationOf(visitor),
    },
  );
  await page.goto('/');
  await page.getByRole('button', { name: 'Copy the IPv4 address' }).waitFor();
  await page.screenshot({ path: join(import.meta.dirname, `../../docs/images/start-page-${colorScheme}.png`) });
  await closePage(page);
}
await browser.close();
