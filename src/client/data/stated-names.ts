/** Names of browsers, systems and devices, as User-Agents and Client Hints state them, with ours; versions that browsers freeze. */
import type { DeviceType } from './device-vendors.ts';

/**
 * Comments of common desktop browsers, with the OS and its version; the CPU is amd64 in all of them.
 * https://www.chromium.org/updates/ua-reduction/ and https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/User-Agent/Firefox
 */
export const commonSystems: readonly (readonly [comment: string, name: string, version: string | null])[] = [
  ['Windows NT 10.0; Win64; x64', 'Windows', '10'],
  ['Windows NT 6.3; Win64; x64', 'Windows', '8.1'],
  ['Windows NT 6.1; Win64; x64', 'Windows', '7'],
  ['Windows NT 10.0; WOW64', 'Windows', '10'],
  ['Windows NT 6.1; WOW64', 'Windows', '7'],
  ['X11; Linux x86_64', 'Linux', null],
  ['X11; Ubuntu; Linux x86_64', 'Ubuntu', null],
  ['X11; CrOS x86_64 14541.0.0', 'Chromium OS', '14541.0.0'],
];

/** Browsers by the product that they state beside the engine's. */
export const browserOfProduct: Readonly<Record<string, string>> = {
  Edg: 'Edge',
  EdgA: 'Edge',
  EdgiOS: 'Edge',
  OPR: 'Opera',
  OPX: 'Opera GX',
  OPT: 'Opera Touch',
  Vivaldi: 'Vivaldi',
  YaBrowser: 'Yandex',
  SamsungBrowser: 'Samsung Internet',
  DuckDuckGo: 'DuckDuckGo',
  Ddg: 'DuckDuckGo',
  Whale: 'Whale',
  HuaweiBrowser: 'Huawei Browser',
  HeyTapBrowser: 'HeyTap',
  MiuiBrowser: 'MIUI Browser',
  GSA: 'GSA',
  CriOS: 'Chrome',
  FxiOS: 'Firefox',
};

/** Browsers by their brand in Client Hints, if its name differs; some brands are the products of the User-Agent. */
export const browserOfBrand: ReadonlyMap<string, string> = new Map([
  ...Object.entries(browserOfProduct),
  ['Google Chrome', 'Chrome'],
  ['Microsoft Edge', 'Edge'],
  ['Android WebView', 'Chrome WebView'],
  ['HeadlessChrome', 'Chrome Headless'],
  ['CocCoc', 'Coc Coc'],
]);

/** Systems by their platform in Client Hints, if its name differs. */
export const systemOfPlatform = new Map(Object.entries({ macOS: 'Mac OS', 'Chrome OS': 'Chromium OS' }));

/** https://wicg.github.io/ua-client-hints/#sec-ch-ua-form-factors */
export const typeOfFormFactor: ReadonlyMap<string, DeviceType> = new Map([
  ['XR', 'xr'],
  ['Watch', 'wearable'],
  ['Automotive', 'embedded'],
  ['Tablet', 'tablet'],
  ['Mobile', 'mobile'],
  ['Desktop', 'desktop'],
]);

/** Families of uap-core that ua-parser-js names differently. */
export const nameOfFamily: ReadonlyMap<string, string> = new Map([
  ['UC Browser', 'UCBrowser'],
  ['QQ Browser', 'QQBrowser'],
  ['QQ Browser Mobile', 'QQBrowser'],
  ['Baidu Explorer', 'Baidu'],
]);

/** A frozen version, as the User-Agent states it, as we read it (the start of name and version), and as a person says it. */
type FrozenVersion = readonly [token: RegExp, read: string, stated: string, meaning: string];

/** WebKit froze the version of iOS at these. Browsers and some apps state the real one elsewhere; other web views do not. */
const frozenIos = ['18.6', '18.7'].map((version): FrozenVersion => {
  const inView = '(?!.*\\b(?:(?:Version|CriOS|FxiOS|FBSV)/|iOS[ /;])).*\\bMobile/15E148\\b';
  const token = new RegExp(`\\bOS ${version.replace('.', '_')} like Mac OS X\\)${inView}`);
  return [token, `iOS ${version}`, `iOS ${version}`, `iOS ${version} or any later version`];
});

/**
 * Versions that browsers freeze in the User-Agent: they state them on later systems too, so they say nothing about the machine. The first
 * match decides. https://www.chromium.org/updates/ua-reduction/, https://bugs.webkit.org/show_bug.cgi?id=216593,
 * https://webkit.org/blog/17333/webkit-features-in-safari-26-0/ and https://bugzilla.mozilla.org/show_bug.cgi?id=1679929
 */
export const frozenVersions: readonly FrozenVersion[] = [
  // Safari on an iPad requests desktop sites.
  [
    /\bMac OS X 10_15(?:_7)?\) AppleWebKit\/6/,
    'Mac OS 10.15',
    'macOS 10.15.7',
    'macOS 10.15 or any later version, or an iPad',
  ],
  [/\bMac OS X 10[._]15(?:[._]7)?(?=[;)])/, 'Mac OS 10.15', 'macOS 10.15.7', 'macOS 10.15 or any later version'],
  [/\bWindows NT 10\.0\b/, 'Windows 10', 'Windows 10', 'Windows 10 or 11'],
  [/\bAndroid 10; K\b/, 'Android 10', 'Android 10, model K', 'any version of Android on any device'],
  [
    /\bCrOS x86_64 14541\.0\.0\b/,
    'Chromium OS 14541.0.0',
    'Chrome OS 14541.0.0',
    'any version of Chrome OS on any processor',
  ],
  ...frozenIos,
];
