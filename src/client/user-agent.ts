/** Browser, engine, OS, device and kind of a client, from its request headers, and the versions of the OS that they freeze. */

import { claimedAgent, findBot } from './bots/find-bot.ts';
import { type Browser, browserOf, nameByUapCore } from './browser-name.ts';
import { clientHints } from './client-hints.ts';
import { commonUserAgent } from './common-user-agent.ts';
import { browsers } from './data/corrections.ts';
import { androidDevice, type Device, isAndroid, otherDevice, typeOfForm } from './device/device.ts';
import { mergeHints } from './hinted-user-agent.ts';
import { tooling } from './kinds.ts';
import { correctOs, findToken } from './os.ts';
import { parserOf } from './ua-parser.ts';
import type { UserAgent } from './user-agent-schema.ts';

/**
 * Reads the User-Agent, Client Hints and Signature-Agent of a request (lower-case header names). Missing values are null.
 */
export function userAgent(headers: Readonly<Record<string, string>>): UserAgent {
  const client = mergeHints(parseUserAgent(headers['user-agent'] ?? ''), clientHints(headers));
  const claimed = claimedAgent(headers['signature-agent']);
  // A claim replaces only software that bots are built with, never a bot that names itself.
  const isAnonymous = client.bot === null || tooling.has(client.bot.kind);
  return claimed !== null && isAnonymous ? { ...client, kind: claimed.kind, bot: claimed } : client;
}

/** Parses a User-Agent alone, of any length and content. */
export function parseUserAgent(raw: string): UserAgent {
  return commonUserAgent(raw) ?? parseInFull(raw);
}

/** Parses any User-Agent without the shortcut for common ones. */
export function parseInFull(raw: string): UserAgent {
  const { browser, engine, os, device, cpu } = parseParts(raw);
  const bot = findBot(raw, browser.name);
  const found = bot !== null ? withoutEngineName(browser) : nameByUapCore(browser, raw.slice(0, maxLength));
  // Trust a name from uap-core only on a device that is named or after `Mozilla/`; otherwise it may be an app.
  const isBrowser =
    browser.name !== null || (found.name !== null && (device.type !== null || raw.startsWith('Mozilla/')));
  const kind = bot?.kind ?? (isBrowser ? 'browser' : 'unknown');
  return {
    raw,
    browser: found,
    engine,
    os,
    device: { ...device, type: device.type ?? (kind === 'browser' ? 'desktop' : 'unknown') },
    cpu,
    kind,
    bot,
  };
}

/** The parser takes a lone engine for the browser; a bot that states one names no browser. */
const withoutEngineName = (browser: UserAgent['browser']): UserAgent['browser'] =>
  browser.name === 'WebKit' || browser.name === 'Mozilla' ? { name: null, version: null, major: null } : browser;

type Parser = ReturnType<typeof parserOf>;

/** ua-parser-js itself reads no further. */
const maxLength = 500;

/** Splits a User-Agent into browser, engine, OS, device and CPU: ua-parser-js with our corrections. */
export function parseParts(raw: string) {
  const text = raw.slice(0, maxLength);
  const parser = parserOf(text);
  const engine = parser.getEngine();
  const os = parser.getOS();
  return {
    browser: browserIn(text, parser),
    engine: { name: engine.name ?? null, version: engine.version ?? null },
    os: correctOs({ name: os.name ?? null, version: os.version ?? null }, text),
    device: deviceIn(text, parser),
    cpu: { architecture: parser.getCPU().architecture ?? null },
  };
}

function deviceIn(text: string, parser: Parser): Device {
  if (!isAndroid(text)) return otherDevice(text, parser.getDevice());
  const { type, ...device } = androidDevice(text);
  return { type: type ?? typeOfForm(text), ...device };
}

function browserIn(text: string, parser: Parser): Browser {
  const own = findToken(browsers, text);
  if (own !== null) return browserOf(own.name, own.version);
  const { name, version } = parser.getBrowser();
  const app = name === 'Electron' ? electronApp.exec(text) : null;
  if (app !== null) return browserOf(capitalize(app[1] ?? ''), app[2]);
  // A WebView before Android 5 has no "wv" yet; the stock browser of that version had no Chrome in it.
  const chrome = name === 'Android Browser' ? /\bVersion\/4\.0 Chrome\/([\d.]+)/.exec(text) : null;
  return chrome === null ? browserOf(name, version) : browserOf('Chrome WebView', chrome[1]);
}

/** Electron states the app before the Chrome that it contains: https://www.electronjs.org/docs/latest/api/app#appuseragentfallback */
const electronApp = /like Gecko\) ([A-Za-z][\w.-]{1,40})\/([\w.]+) Chrome\//;

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/**
 * Versions that browsers freeze in the User-Agent: they state them on later systems too, so they are no fact about the machine.
 * https://www.chromium.org/updates/ua-reduction/, https://bugs.webkit.org/show_bug.cgi?id=216593 and
 * https://bugzilla.mozilla.org/show_bug.cgi?id=1679929
 */
const frozen: readonly (readonly [token: RegExp, stated: string, meaning: string])[] = [
  [/\bMac OS X 10[._]15(?:[._]7)?(?=[;)])/, 'macOS 10.15.7', 'macOS 10.15 or any later version'],
  [/\bWindows NT 10\.0\b/, 'Windows 10', 'Windows 10 or 11'],
  [/\bAndroid 10; K\b/, 'Android 10, model K', 'any version of Android on any device'],
  [/\bCrOS x86_64 14541\.0\.0\b/, 'Chrome OS 14541.0.0', 'any version of Chrome OS on any processor'],
];

/**
 * Reads the headers of a request (lower-case names); null if its User-Agent states no frozen version. `meaning` is what the version may be
 * in fact, `hinted` the name and version from Client Hints: null if the request has no hint of the version.
 */
export function frozenOs(headers: Readonly<Record<string, string>>) {
  const row = frozen.find(([token]) => token.test(headers['user-agent'] ?? ''));
  if (row === undefined) return null;
  const [, stated, meaning] = row;
  const { name, version } = userAgent(headers).os;
  return { stated, meaning, hinted: clientHints(headers).platformVersion === null ? null : `${name} ${version}` };
}
