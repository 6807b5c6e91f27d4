/** Takes a User-Agent apart: ua-parser-js, then uap-core where that only sees a common engine, then our own corrections. */
import parser from 'ua-parser-js';
import { type Corrections, corrections as ownCorrections } from './corrections.ts';
import { uapCoreBrowsers } from './uap-core-browsers.ts';
import type { UserAgent } from './user-agent-schema.ts';

export type Parts = Pick<UserAgent, 'browser' | 'engine' | 'os' | 'cpu'> & {
  device: { type: UserAgent['device']['type'] | null; vendor: string | null; model: string | null };
};

/** ua-parser-js itself reads no further. */
const maxLength = 500;

const deviceTypes: ReadonlySet<string> = new Set([
  'mobile',
  'tablet',
  'smarttv',
  'console',
  'wearable',
  'embedded',
  'xr',
]);

export function parts(raw: string, corrections: Corrections = ownCorrections): Parts {
  const text = raw.slice(0, maxLength);
  const { browser, engine, os, device, cpu } = parser(text);
  const read: Parts = {
    browser: named(browser.name, browser.version),
    engine: { name: engine.name ?? null, version: engine.version ?? null },
    os: { name: os.name ?? null, version: os.version ?? null },
    device: {
      type: deviceTypes.has(device.type ?? '') ? (device.type as UserAgent['device']['type']) : null,
      vendor: device.vendor ?? null,
      model: device.model ?? null,
    },
    cpu: { architecture: cpu.architecture ?? null },
  };
  return corrected(read, text, corrections);
}

/** Names of ua-parser-js for engines that many browsers are built on: another name in the string is the better one. */
const generic: ReadonlySet<string | null> = new Set([
  null,
  'Chrome',
  'Chrome WebView',
  'Chromium',
  'Android Browser',
  'Safari',
  'Mobile Safari',
  'WebKit',
  'Firefox',
  'IE',
  'Mozilla',
  'Electron',
]);

/** Families that ua-parser-js calls otherwise. */
const nameOfFamily: ReadonlyMap<string, string> = new Map([
  ['UC Browser', 'UCBrowser'],
  ['QQ Browser', 'QQBrowser'],
  ['QQ Browser Mobile', 'QQBrowser'],
  ['Baidu Explorer', 'Baidu'],
]);

/** Where ua-parser-js knows nothing any name is better. */
const nameless: ReadonlySet<string | null> = new Set([null, 'Mozilla']);

/** Families of uap-core that say no more than the names above. */
const genericFamily =
  /^(?:Chrome|Chromium|HeadlessChrome|Safari|Mobile Safari|Firefox|IE|Edge|Android|Opera|Apple Mail|HbbTV|CFNetwork|Other|Mozilla|Konqueror|WebKit|Netscape)\b/;

/** The browser that uap-core names where ua-parser-js only sees a common engine. */
export function namedByUapCore(browser: Parts['browser'], raw: string): Parts['browser'] {
  if (!generic.has(browser.name)) return browser;
  const text = raw.slice(0, maxLength);
  rules ??= uapCoreBrowsers
    .filter(([expression]) => !forBots.test(expression))
    .map(([expression, ...replacements]) => ({
      expression: new RegExp(expression),
      replacements,
    }));
  for (const { expression, replacements } of rules) {
    const match = expression.exec(text);
    if (match === null) continue;
    const [family, ...versions] = [0, 1, 2, 3].map((i) => replaced(replacements[i] ?? null, match, i + 1));
    if (!family) return browser;
    const common = genericFamily.exec(family)?.[0];
    if (common !== undefined && !(nameless.has(browser.name) && raw.startsWith('Mozilla/'))) return browser;
    const name = common ?? nameOfFamily.get(family) ?? family;
    const last = versions.findIndex((version) => !version);
    return named(name, (last < 0 ? versions : versions.slice(0, last)).join('.'));
  }
  return browser;
}

/** The lists and shapes of bots, which uap-core counts among browsers: its costliest rules, and whoever comes here is none. */
const forBots = /\[Bb\]ot|\[Ss\]pider|\[Ss\]\[Pp\]|CSimpleSpider|Altresium/;

type Rule = { expression: RegExp; replacements: readonly (string | null)[] };
let rules: readonly Rule[] | null = null;

/** uap-core's specification: a replacement may quote groups as $1 to $9; without one the group at its place counts. */
function replaced(replacement: string | null, match: RegExpExecArray, group: number): string {
  if (replacement === null) return match[group]?.trim() ?? '';
  return replacement.replace(/\$(\d)/g, (_, digit) => match[Number(digit)] ?? '').trim();
}

function named(name: string | undefined, version: string | undefined): Parts['browser'] {
  return { name: name || null, version: version || null, major: majorOf(version || null) };
}

export function majorOf(version: string | null): string | null {
  return version?.replace(/[^\d.]/g, '').split('.')[0] || null;
}

function corrected(read: Parts, text: string, corrections: Corrections): Parts {
  const { browsers, systems, vagueSystems, devices, vendors } = corrections;
  const browser = tokenOf(browsers, text);
  if (browser !== null) read.browser = named(browser.name, browser.version ?? undefined);
  // A WebView before Android 5 has no "wv" yet; the stock browser of that version had no Chrome in it.
  const chrome = read.browser.name === 'Android Browser' ? /\bVersion\/4\.0 Chrome\/([\d.]+)/.exec(text) : null;
  if (chrome !== null) read.browser = named('Chrome WebView', chrome[1]);
  const system = tokenOf(systems, text) ?? (read.os.name === null ? tokenOf(vagueSystems, text) : null);
  if (system !== null) read.os = system;
  if (read.os.name === 'iOS') read.os.version = iosVersion(read.os.version, text);
  // "K" stands for every model in Chrome's reduced User-Agent.
  if (read.device.model === 'K') read.device.model = null;
  // A word between "Mobile" and "Safari" is not a tablet's.
  if (read.device.type === 'tablet' && read.device.vendor === null && /\bMobile\b/.test(text))
    read.device.type = 'mobile';
  const device = devices.find(([token]) => token.test(text));
  if (device !== undefined) read.device.type = device[1];
  read.device.vendor ??= tokenOf(vendors, text)?.name ?? null;
  return read;
}

function tokenOf(table: readonly (readonly [RegExp, string])[], text: string) {
  for (const [token, name] of table) {
    const match = token.exec(text);
    if (match !== null) return { name, version: match[1]?.replaceAll('_', '.') || null };
  }
  return null;
}

/** Since version 26 Safari freezes the system's version at 18_x and tells the real one as its own. */
function iosVersion(version: string | null, text: string): string | null {
  const safari = /\bVersion\/(\d+)([\d.]*)/.exec(text);
  const frozen = version?.startsWith('18.') ?? false;
  return frozen && safari && Number(safari[1]) >= 26 ? `${safari[1]}${safari[2]}` : version;
}
