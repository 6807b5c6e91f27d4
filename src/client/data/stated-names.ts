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

/**
 * Versions that browsers freeze in the User-Agent: they state them on later systems too, so they say nothing about the machine.
 * https://www.chromium.org/updates/ua-reduction/, https://bugs.webkit.org/show_bug.cgi?id=216593 and
 * https://bugzilla.mozilla.org/show_bug.cgi?id=1679929
 */
export const frozenVersions: readonly (readonly [token: RegExp, stated: string, meaning: string])[] = [
  [/\bMac OS X 10[._]15(?:[._]7)?(?=[;)])/, 'macOS 10.15.7', 'macOS 10.15 or any later version'],
  [/\bWindows NT 10\.0\b/, 'Windows 10', 'Windows 10 or 11'],
  [/\bAndroid 10; K\b/, 'Android 10, model K', 'any version of Android on any device'],
  [/\bCrOS x86_64 14541\.0\.0\b/, 'Chrome OS 14541.0.0', 'any version of Chrome OS on any processor'],
];
