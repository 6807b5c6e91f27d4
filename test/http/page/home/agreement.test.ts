/** Comparisons of what a browser states with its request: agreement, difference with the usual reasons, or nothing to compare. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ObservedLocation, unobserved } from '../../../../src/core/observed.ts';
import {
  type Comparison,
  compareBrowser,
  compareDevice,
  compareLanguages,
  comparePrivacy,
  compareTimezone,
  type Requested,
  requestedOf,
  type Stated,
  subjects,
} from '../../../../src/http/page/home/agreement.ts';
import { info } from '../../../../src/resources/info.ts';
import { seenNothing } from '../../../observed.ts';

type StatedNavigator = Stated['navigator'];
type Hints = NonNullable<StatedNavigator['userAgentData']>;

const requested: Requested = {
  timezone: null,
  isOnlyCountryKnown: false,
  acceptLanguage: null,
  userAgent: '',
  deviceType: 'unknown',
  isDntSent: false,
  isGpcSent: false,
};
const navigator: StatedNavigator = { userAgent: '', languages: [], maxTouchPoints: 0, doNotTrack: null };
const stated: Stated = {
  navigator,
  timezone: '',
  nowMs: Date.UTC(2026, 10, 22),
  isSecure: true,
  isCoarse: false,
};
const statedBy = (changed: Partial<StatedNavigator>, others: Partial<Stated> = {}): Stated => ({
  ...stated,
  ...others,
  navigator: { ...navigator, ...changed },
});

function check({ verdict, sentence }: Comparison, expected: Comparison['verdict'], text: RegExp): void {
  assert.equal(verdict, expected, sentence);
  assert.match(sentence, text);
  assert.match(sentence, /\.$/);
  // An explanation, never an accusation.
  if (expected === 'differs') assert.match(sentence, /Usual reasons?: /);
  assert.doesNotMatch(sentence, /\b(fake|lie|lying|fraud|bot|suspicious)\b/i);
}

test('compares time zones by name, then by their time', () => {
  const zones = (ofAddress: string | null, timezone: string) =>
    compareTimezone({ ...requested, timezone: ofAddress }, { ...stated, timezone });
  check(zones('Europe/Oslo', 'Europe/Oslo'), 'agrees', /the time zone of your IP address/);
  check(zones('Europe/Oslo', 'Europe/Berlin'), 'agrees', /the same time as Europe\/Oslo/);
  check(zones('Europe/Oslo', 'America/New_York'), 'differs', /\(UTC-5\).*\(UTC\+1\).*VPN/);
  check(zones('Asia/Kolkata', 'Asia/Kathmandu'), 'differs', /UTC\+5:45.*UTC\+5:30/);
  check(zones('Europe/Oslo', 'UTC'), 'differs', /Tor Browser/);
  check(zones('Europe/London', 'UTC'), 'agrees', /same time/);
  check(zones(null, 'Europe/Oslo'), 'not compared', /not known/);
  check(zones('Europe/Somewhere', 'Europe/Oslo'), 'not compared', /not known/);
  check(zones('Europe/Oslo', ''), 'not compared', /no time zone/);
});

test('a time zone in the middle of a country does not differ, if only the country is known', () => {
  const country = { ...unobserved.location, country: 'US', latitude: 37.8, longitude: -97.8 };
  const compare = (location: ObservedLocation, timezone: string) =>
    compareTimezone(requestedOf(info({ ...seenNothing, location }, '', 0)), { ...stated, timezone });
  check(compare(country, 'America/New_York'), 'not compared', /America\/New_York; only the country .* is known/);
  check(compare(country, 'America/Chicago'), 'agrees', /the time zone of your IP address/);
  for (const known of [{ city: 'Wichita' }, { region: 'Kansas' }])
    check(compare({ ...country, ...known }, 'America/New_York'), 'differs', /your IP address is in America\/Chicago/);
});

test('compares the preferred language, not the number of languages', () => {
  const languages = (acceptLanguage: string | null, ...languages: string[]) =>
    compareLanguages({ ...requested, acceptLanguage }, statedBy({ languages }));
  check(languages('en-US,en;q=0.9', 'en-US', 'en'), 'agrees', /prefer American English \(en-US\)\.$/);
  check(languages('nb-NO', 'nb-NO', 'de', 'fr'), 'agrees', /fewer languages/);
  check(languages('EN-us', 'en-US'), 'agrees', /prefer/);
  check(languages('de;q=0.5', 'en-GB'), 'differs', /British English \(en-GB\), the request German \(de\)/);
  check(languages(null, 'de'), 'differs', /names no language\. .*removes headers\.$/);
  check(languages('*', 'de'), 'differs', /the request \*/);
  check(languages('x".,', 'de'), 'differs', /the request x"/);
  check(languages('de'), 'not compared', /no languages/);
});

const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';
const android =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:156.0) Gecko/20100101 Firefox/156.0';
const chromeOnIphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/156.0.0.0 Mobile/15E148 Safari/604.1';

const hintsOf = (changed: Partial<Hints> = {}): Hints => ({
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
  const browser = (userAgent: string, hints: Hints | null, isSecure = true, sent = userAgent) =>
    compareBrowser(
      { ...requested, userAgent: sent },
      statedBy({ userAgent, ...(hints && { userAgentData: hints }) }, { isSecure }),
    );
  check(browser(windows, hintsOf()), 'agrees', /Chromium 156 on Windows/);
  check(browser(android, hintsOf({ platform: 'Android', mobile: true })), 'agrees', /on Android/);
  check(
    browser(windows.replace('Windows NT 10.0', 'X11; CrOS x86_64 14541.0.0'), hintsOf({ platform: 'Chromium OS' })),
    'agrees',
    /Chrome OS/,
  );
  check(
    browser(windows, hintsOf({ brands: [{ brand: 'Chromium', version: '150' }] })),
    'differs',
    /Chromium 150, the User-Agent 156/,
  );
  check(browser(windows, hintsOf({ platform: 'Linux' })), 'differs', /Linux, the User-Agent Windows/);
  check(browser(windows, hintsOf({ mobile: true })), 'differs', /name a phone/);
  check(browser(windows, null), 'differs', /has Client Hints; this browser has none/);
  check(browser(windows, null, false), 'agrees', /only on HTTPS pages/);
  check(browser(firefox, null), 'agrees', /Chromium-based browsers only/);
  check(browser(chromeOnIphone, null), 'agrees', /Chromium-based browsers only/);
  check(browser(firefox, hintsOf({ platform: 'Linux' })), 'differs', /the User-Agent another browser/);
  check(browser(windows, hintsOf(), true, firefox), 'differs', /another User-Agent/);
});

test('compares touch with the device type', () => {
  const device = (
    deviceType: Requested['deviceType'],
    touchPoints: number,
    isCoarse = touchPoints > 0,
    userAgent = windows,
  ) => compareDevice({ ...requested, deviceType, userAgent }, statedBy({ maxTouchPoints: touchPoints }, { isCoarse }));
  check(device('mobile', 5), 'agrees', /a phone, and the screen has touch/);
  check(device('tablet', 0), 'differs', /a tablet, but the screen has no touch/);
  check(device('desktop', 0), 'agrees', /fit/);
  check(device('desktop', 10, false), 'agrees', /fit/);
  check(device('desktop', 5), 'differs', /touch is the main input/);
  check(device('desktop', 5, true, 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'), 'differs', /iPad/);
  check(device('smarttv', 0), 'not compared', /neither/);
});

test('compares privacy signals', () => {
  const privacy = (isDntOn: boolean, isDntSent: boolean, isGpcOn = false, isGpcSent = false) =>
    comparePrivacy(
      { ...requested, isDntSent, isGpcSent },
      statedBy({ doNotTrack: isDntOn ? '1' : null, globalPrivacyControl: isGpcOn }),
    );
  check(privacy(false, false), 'off', /are off \(the default/);
  check(privacy(true, true), 'agrees', /have Do Not Track:/);
  check(privacy(true, true, true, true), 'agrees', /Do Not Track and Global/);
  check(privacy(true, false), 'differs', /on for scripts but missing in/);
  check(privacy(false, false, false, true), 'differs', /Global Privacy Control is off for scripts but sent/);
});

test('every subject has a comparison, a label and a sentence for the first screen', () => {
  assert.deepEqual(
    subjects.map(({ compare }) => compare(requested, stated).verdict),
    ['not compared', 'not compared', 'agrees', 'not compared', 'off'],
  );
  for (const { label, difference } of subjects) {
    assert.match(label, /^[A-Z]/);
    assert.match(difference, /^Your .* (differs?|prefers|from) .*[^.]$/);
  }
});
