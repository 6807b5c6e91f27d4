/** Comparisons of what a browser states with its request: agreement, difference with the usual reasons, or nothing to compare. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BrowserHints,
  type Comparison,
  compare,
  compareBrowser,
  compareDevice,
  compareLanguages,
  comparePrivacy,
  compareTimezone,
  subjects,
} from '../../../../src/http/page/home/agreement.ts';

const nowMs = Date.UTC(2026, 10, 22);

function check({ agrees, sentence }: Comparison, expected: boolean | null, text: RegExp): void {
  assert.equal(agrees, expected, sentence);
  assert.match(sentence, text);
  assert.match(sentence, /\.$/);
  // An explanation, never an accusation.
  if (expected === false) assert.match(sentence, /Usual reasons?: /);
  assert.doesNotMatch(sentence, /\b(fake|lie|lying|fraud|bot|suspicious)\b/i);
}

test('compares time zones by name, then by their time', () => {
  const zones = (ofAddress: string | null, timezone: string) =>
    compareTimezone({ timezone: ofAddress }, { timezone }, nowMs);
  check(zones('Europe/Oslo', 'Europe/Oslo'), true, /the time zone of your IP address/);
  check(zones('Europe/Oslo', 'Europe/Berlin'), true, /the same time as Europe\/Oslo/);
  check(zones('Europe/Oslo', 'America/New_York'), false, /\(UTC-5\).*\(UTC\+1\).*VPN/);
  check(zones('Asia/Kolkata', 'Asia/Kathmandu'), false, /UTC\+5:45.*UTC\+5:30/);
  check(zones('Europe/Oslo', 'UTC'), false, /Tor Browser/);
  check(zones('Europe/London', 'UTC'), true, /same time/);
  check(zones(null, 'Europe/Oslo'), null, /not known/);
  check(zones('Europe/Somewhere', 'Europe/Oslo'), null, /not known/);
  check(zones('Europe/Oslo', ''), null, /no time zone/);
});

test('compares the preferred language, not the number of languages', () => {
  const languages = (acceptLanguage: string | null, ...stated: string[]) =>
    compareLanguages({ acceptLanguage }, { languages: stated });
  check(languages('en-US,en;q=0.9', 'en-US', 'en'), true, /prefer American English \(en-US\)\.$/);
  check(languages('nb-NO', 'nb-NO', 'de', 'fr'), true, /fewer languages/);
  check(languages('EN-us', 'en-US'), true, /prefer/);
  check(languages('de;q=0.5', 'en-GB'), false, /British English \(en-GB\), the request German \(de\)/);
  check(languages(null, 'de'), false, /names no language/);
  check(languages('*', 'de'), false, /the request \*/);
  check(languages('x".,', 'de'), false, /the request x"/);
  check(languages('de'), null, /no languages/);
});

const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';
const android =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:156.0) Gecko/20100101 Firefox/156.0';
const chromeOnIphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/156.0.0.0 Mobile/15E148 Safari/604.1';

const hintsOf = (changed: Partial<BrowserHints> = {}): BrowserHints => ({
  brands: [
    { brand: 'Not.A/Brand', version: '8' },
    { brand: 'Opera', version: '120' },
    { brand: 'Chromium', version: '156' },
  ],
  platform: 'Windows',
  mobile: false,
  ...changed,
});

test('compares Client Hints with the User-Agent', () => {
  const browser = (userAgent: string, hints: BrowserHints | null, isSecure = true, sent = userAgent) =>
    compareBrowser({ userAgent: sent }, { userAgent, hints, isSecure });
  check(browser(windows, hintsOf()), true, /Chromium 156 on Windows/);
  check(browser(android, hintsOf({ platform: 'Android', mobile: true })), true, /on Android/);
  check(
    browser(windows.replace('Windows NT 10.0', 'X11; CrOS x86_64 14541.0.0'), hintsOf({ platform: 'Chromium OS' })),
    true,
    /Chrome OS/,
  );
  check(
    browser(windows, hintsOf({ brands: [{ brand: 'Chromium', version: '150' }] })),
    false,
    /Chromium 150, the User-Agent 156/,
  );
  check(browser(windows, hintsOf({ platform: 'Linux' })), false, /Linux, the User-Agent Windows/);
  check(browser(windows, hintsOf({ mobile: true })), false, /name a phone/);
  check(browser(windows, null), false, /no Client Hints/);
  check(browser(windows, null, false), true, /only on HTTPS pages/);
  check(browser(firefox, null), true, /Only Chromium-based/);
  check(browser(chromeOnIphone, null), true, /Only Chromium-based/);
  check(browser(firefox, hintsOf({ platform: 'Linux' })), false, /names another browser/);
  check(browser(windows, hintsOf(), true, firefox), false, /another User-Agent/);
});

test('compares touch with the device type', () => {
  const device = (deviceType: string, touchPoints: number, isCoarse = touchPoints > 0, userAgent = windows) =>
    compareDevice({ deviceType, userAgent }, { touchPoints, isCoarse });
  check(device('mobile', 5), true, /a phone, and the screen has touch/);
  check(device('tablet', 0), false, /a tablet, but the screen has no touch/);
  check(device('desktop', 0), true, /fit/);
  check(device('desktop', 10, false), true, /fit/);
  check(device('desktop', 5), false, /touch is the main input/);
  check(device('desktop', 5, true, 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'), false, /iPad/);
  check(device('smarttv', 0), null, /neither/);
});

test('compares privacy signals', () => {
  const privacy = (isDntOn: boolean, isDntSent: boolean, isGpcOn = false, isGpcSent = false) =>
    comparePrivacy({ isDntSent, isGpcSent }, { isDntOn, isGpcOn });
  check(privacy(false, false), true, /^Neither/);
  check(privacy(true, true), true, /Do Not Track \(DNT\):/);
  check(privacy(true, true, true, true), true, /\(DNT\) and Global/);
  check(privacy(true, false), false, /on for scripts but missing in/);
  check(privacy(false, false, false, true), false, /GPC\) is off for scripts but sent/);
});

test('has a comparison for every subject', () => {
  const requested = {
    timezone: null,
    acceptLanguage: null,
    userAgent: '',
    deviceType: 'unknown',
    isDntSent: false,
    isGpcSent: false,
  };
  const stated = {
    timezone: '',
    languages: [],
    userAgent: '',
    hints: null,
    isSecure: true,
    touchPoints: 0,
    isCoarse: false,
    isDntOn: false,
    isGpcOn: false,
  };
  assert.deepEqual(
    Object.keys(compare(requested, stated, nowMs)),
    subjects.map(([subject]) => subject),
  );
});
