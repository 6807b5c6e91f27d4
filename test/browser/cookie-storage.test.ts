/** Chromium stores exactly the cookies that the header check says browsers store. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { rejectionOf } from '../../src/lookups/headers-check/cookies/cookie-storage.ts';
import { parseCookies } from '../../src/lookups/headers-check/cookies/cookies.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { responseOf } from '../lookups/headers-check/graded-response.ts';
import { openBlank, skipWithoutChromium } from './chromium.ts';
import { sharedBrowser } from './shared-browser.ts';

/** A date in each form that real servers send, of the past and of the future. */
const datesOf = (year: number): string[] => [
  `Sat, 01 Jan ${year} 00:00:00 GMT`,
  `Saturday, 01-Jan-${year} 00:00:00 GMT`,
  `Sat Jan  1 00:00:00 ${year}`,
  `01 Jan ${year} 0:0:0`,
  `Jan 01, ${year} 00:00:00 UTC`,
  `${year} 01 jan 00:00:00`,
];

const lines: readonly string[] = [
  ...[
    'a=1',
    'a=',
    'a',
    '=a',
    '=',
    '',
    ' a = 1 ',
    'a=b=c',
    'a="x y"',
    'a=1;',
    ';a=1',
    'a=é',
    'ä=1',
    'a b=1',
    'a,b=1',
    'a=\t1',
  ],
  ...['a=1\u00012', 'a=1; Path=/\u0001', 'a\u0001=1', 'a=1\u007f', 'a=1\t2'],
  ...[
    '__Secure-a=1',
    '__Secure-a=1; Secure',
    '__secure-a=1',
    '__SECURE-a=1; Secure',
    '__Secure-=1; Secure',
    '_Secure-a=1',
  ],
  ...['__Host-a=1; Secure; Path=/', '__Host-a=1; Secure', '__Host-a=1; Path=/', '__Host-a=1; Secure; Path=/x'],
  ...[
    '__Host-a=1; Secure; Path=/; Domain=a.example',
    '__host-a=1; Secure; Path=/; Domain=a.example',
    '__Host-a=1; Secure; Path=/; Domain=',
  ],
  ...[
    '__Http-a=1; Secure; HttpOnly',
    '__Http-a=1; Secure',
    '__Http-a=1; HttpOnly',
    '__http-a=1; Secure; SameSite=Lax; Path=/',
  ],
  ...[
    '__Host-Http-a=1; Secure; HttpOnly; Path=/',
    '__Host-Http-a=1; Secure; SameSite=Lax; Path=/',
    '__Host-Http-a=1; Secure; HttpOnly',
  ],
  ...['__Host-Http-a=1; Secure; HttpOnly; Path=/; Domain=a.example', '__HOST-HTTP-a=1; Secure; Path=/'],
  ...['=__Host-a; Secure; Path=/', '__Secure-', '=__Http-a=1', '__Host-Http-x'],
  ...[
    'a=1; SameSite=None',
    'a=1; SameSite=None; Secure',
    'a=1; SameSite=x',
    'a=1; SameSite=Lax; SameSite=None',
    'a=1; SameSite=Strict',
  ],
  ...['a=1; Partitioned', 'a=1; Partitioned; Secure; SameSite=None', 'a=1; Secure=false', 'a=1; HttpOnly=0; secure'],
  ...[
    'a=1; Domain=a.example',
    'a=1; Domain=.a.example',
    'a=1; Domain=A.EXAMPLE',
    'a=1; Domain=b.example',
    'a=1; Domain=x.a.example',
  ],
  ...[
    'a=1; Domain=example',
    'a=1; Domain=.example',
    'a=1; Domain=..a.example',
    'a=1; Domain=https://a.example',
    'a=1; Domain',
  ],
  ...['a=1; Domain=b.example; Domain=a.example', 'a=1; Domain=a.example; Domain=b.example', 'a=1; Domain=192.0.2.1'],
  ...[
    'a=1; Path=x',
    'a=1; Path=/x',
    'a=1; Path',
    `a=${'x'.repeat(4095)}`,
    `a=${'x'.repeat(4096)}`,
    `a=1; Domain=${'b'.repeat(1025)}.example`,
  ],
  ...[
    'a=1; Max-Age=0',
    'a=1; Max-Age=-1',
    'a=1; Max-Age=10',
    'a=1; Max-Age=1h',
    'a=1; Max-Age=+5',
    'a=1; Max-Age=',
    'a=1; Max-Age="0"',
  ],
  ...[
    'a=1; Max-Age=x; Expires=Sat, 01 Jan 2000 00:00:00 GMT',
    'a=1; Max-Age=60; Expires=Sat, 01 Jan 2000 00:00:00 GMT',
  ],
  ...[
    'a=1; Max-Age=0; Expires=Sat, 01 Jan 2095 00:00:00 GMT',
    'a=1; Max-Age=0; Max-Age=60',
    'a=1; Max-Age=60; Max-Age=0',
  ],
  ...[1970, 1999, 2000, 2001, 2025, 2095].flatMap(datesOf).map((date) => `a=1; Expires=${date}`),
  ...[
    'a=1; Expires=0',
    'a=1; Expires=-1',
    'a=1; Expires=',
    'a=1; Expires=Thu, 01-Jan-70 00:00:01 GMT',
    'a=1; Expires=x',
  ],
  ...[
    'a=1; Expires=Sat, 01-Jan-69 00:00:00 GMT',
    'a=1; Expires=Mon, 32 Jan 2001 00:00:00 GMT',
    'a=1; Expires=2001-01-01T00:00:00Z',
  ],
  ...[
    'a=1; Expires=Sat, 01 Jan 2001',
    'a=1; Expires=Sat, 01 Jan 2001 24:00:00 GMT',
    'a=1; Expires=Fri, 30 Feb 2001 00:00:00 GMT',
  ],
  ...[
    'a=1; Expires="Sat, 01 Jan 2001 00:00:00 GMT"',
    'a=1; Expires=Sat, 01 January 2001 00:00:00 GMT',
    'a=1; Expires=1/1/2001 00:00:00',
  ],
];

/** That of the responses: no cookie's date is near it. */
const date = new Date().toUTCString();

test(`stores or rejects ${lines.length} cookies as the header check says`, {
  skip: skipWithoutChromium(),
}, async (context) => {
  let sent = '';
  const server = createServer(await createLocalhostCertificate(), (_, response) => {
    // Octets of UTF-8, and characters that Node's setHeader rejects.
    response.socket?.end(
      Buffer.from(
        `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nDate: ${date}\r\nSet-Cookie: ${sent}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      ),
    );
  }).listen(0, '127.0.0.1');
  context.after(() => server.close());
  await once(server, 'listening');
  const url = `https://a.example:${(server.address() as AddressInfo).port}/`;
  const browser = await sharedBrowser(['--host-resolver-rules=MAP a.example 127.0.0.1']);
  const page = await openBlank(browser, { ignoreHTTPSErrors: true });
  const differences: string[] = [];
  for (const line of lines) {
    sent = line;
    await page.context().clearCookies();
    await page.goto(url);
    const isStored = (await page.context().cookies()).length > 0;
    const [cookie] = parseCookies(responseOf({ url, headers: { date }, setCookies: [line.trim()] }));
    assert.ok(cookie);
    const expected = rejectionOf(cookie, url) === null && !cookie.isDeletion;
    if (isStored !== expected)
      differences.push(`${JSON.stringify(line).slice(0, 80)}: ${isStored ? 'stored' : 'not stored'}`);
  }
  await page.context().close();
  assert.ok(lines.length >= 80);
  assert.deepEqual(differences, []);
});
