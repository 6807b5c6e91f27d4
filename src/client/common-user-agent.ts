/** A shortcut for User-Agents of Chrome, Edge, Firefox and Safari that follow the template of their vendor, reduced or in full. */

import { browserOf } from './browser-name.ts';
import { isPlainBrowser } from './browser-template.ts';
import { androidDevice } from './device/device.ts';
import { unfrozenVersion } from './os.ts';
import type { UserAgent } from './user-agent-schema.ts';

type Platform = Pick<UserAgent, 'os' | 'device' | 'cpu'>;
type Parts = Omit<UserAgent, 'raw' | 'kind' | 'bot'>;

const desktop = { type: 'desktop', vendor: null, model: null, name: null } as const;
const mac = { type: 'desktop', vendor: 'Apple', model: 'Macintosh', name: null } as const;
const amd64 = { architecture: 'amd64' };
const unknownCpu = { architecture: null };

/** https://www.chromium.org/updates/ua-reduction/ and https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/User-Agent/Firefox */
const platforms: ReadonlyMap<string, Platform> = new Map([
  ['Windows NT 10.0; Win64; x64', { os: { name: 'Windows', version: '10' }, device: desktop, cpu: amd64 }],
  ['Windows NT 6.3; Win64; x64', { os: { name: 'Windows', version: '8.1' }, device: desktop, cpu: amd64 }],
  ['Windows NT 6.1; Win64; x64', { os: { name: 'Windows', version: '7' }, device: desktop, cpu: amd64 }],
  ['Windows NT 10.0; WOW64', { os: { name: 'Windows', version: '10' }, device: desktop, cpu: amd64 }],
  ['Windows NT 6.1; WOW64', { os: { name: 'Windows', version: '7' }, device: desktop, cpu: amd64 }],
  ['X11; Linux x86_64', { os: { name: 'Linux', version: null }, device: desktop, cpu: amd64 }],
  ['X11; Ubuntu; Linux x86_64', { os: { name: 'Ubuntu', version: null }, device: desktop, cpu: amd64 }],
  ['X11; CrOS x86_64 14541.0.0', { os: { name: 'Chromium OS', version: '14541.0.0' }, device: desktop, cpu: amd64 }],
]);

const macOs = /^Macintosh; Intel Mac OS X (\d{2}[._]\d{1,2}(?:[._]\d{1,2})?)$/;

const chromium =
  /^Mozilla\/5\.0 \(([^()]{10,90}(?:\([^()]{1,30}\)[^()]{0,30})?)\) AppleWebKit\/537\.36 \(KHTML, like Gecko\) (Version\/4\.0 )?Chrome\/((?:[3-9]\d|\d{3})\.\d{1,5}\.\d{1,5}\.\d{1,5}) (Mobile )?Safari\/537\.36(?: EdgA?\/(\d{2,3}\.\d{1,5}\.\d{1,5}\.\d{1,5}))?$/;
const firefox =
  /^Mozilla\/5\.0 \(([\w ._;]{10,50}); rv:(\d{2,3}\.\d)\) Gecko\/(?:20100101|\d{2,3}\.0) Firefox\/(\d{2,3}\.\d{1,2}(?:\.\d{1,2})?)$/;
const safari =
  /^Mozilla\/5\.0 \(([^)]*)\) AppleWebKit\/([\d.]+) \(KHTML, like Gecko\) (?:(Version|CriOS|FxiOS)|Version\/[\d.]+ EdgiOS)\/(\d{1,3}\.[\d.]+)( Mobile\/\w+)? Safari\/[\d.]+$/;

/** Longer User-Agents follow no template. */
const maxLength = 300;

/** The same result as without the shortcut; null if the User-Agent follows none of the templates. */
export function commonUserAgent(raw: string): UserAgent | null {
  if (raw.length > maxLength) return null;
  const read = raw.includes('Chrome/') ? readChromium : raw.includes('Gecko/') ? readFirefox : readSafari;
  const parts = read(raw);
  if (parts === null) return null;
  const { browser, engine, os, device, cpu } = parts;
  // The caller may change the result, but not the tables.
  return { raw, browser, engine, os: { ...os }, device: { ...device }, cpu: { ...cpu }, kind: 'browser', bot: null };
}

function platformOf(comment: string): Platform | null {
  const known = platforms.get(comment);
  if (known !== undefined) return known;
  const version = macOs.exec(comment)?.[1]?.replaceAll('_', '.');
  return version === undefined ? null : { os: { name: 'Mac OS', version }, device: mac, cpu: unknownCpu };
}

function readChromium(raw: string): Parts | null {
  const match = chromium.exec(raw);
  if (match === null) return null;
  const [, comment = '', view, version = '', mobile, edge] = match;
  const isView = comment.endsWith('; wv');
  if (isView !== (view !== undefined) || (isView && edge !== undefined)) return null;
  const isAndroid = comment.startsWith('Linux; Android ');
  if (mobile !== undefined && !isAndroid) return null;
  const platform = isAndroid ? androidPlatform(raw, comment, mobile !== undefined) : platformOf(comment);
  if (platform === null) return null;
  const browser =
    edge === undefined ? browserOf(isView ? 'Chrome WebView' : 'Chrome', version) : browserOf('Edge', edge);
  return { ...platform, browser, engine: { name: 'Blink', version } };
}

const androidComment = /^Linux; Android (\d{1,2}(?:\.\d{1,2}){0,2}); ([^;]+)(?:; wv)?$/;

/** Models that also determine the OS or the CPU, so that the full parser must run. */
const specialModel = /^(?:AFT|KF[A-Z]|AEO)|Chromebook|x86|x64|arm|aarch|amd|i\d86|ia32|ppc|mips|sparc|avr|irix/i;

function androidPlatform(raw: string, comment: string, isMobile: boolean): Platform | null {
  const [, version = '', model = ''] = androidComment.exec(comment) ?? [];
  if (version === '') return null;
  const os = { name: 'Android', version };
  if (model === 'K')
    return {
      os,
      device: { type: isMobile ? 'mobile' : 'tablet', vendor: null, model: null, name: null },
      cpu: unknownCpu,
    };
  if (specialModel.test(model) || !isPlainBrowser(raw)) return null;
  const device = androidDevice(raw);
  // Without the shortcut, more vendors are known.
  if (device === null || device.type === null || device.vendor === null) return null;
  return { os, device: { ...device, type: device.type }, cpu: unknownCpu };
}

function readFirefox(raw: string): Parts | null {
  const [, comment = '', engineVersion = '', version] = firefox.exec(raw) ?? [];
  const platform = comment.startsWith('Android ') ? firefoxAndroidPlatform(comment) : platformOf(comment);
  if (platform === null) return null;
  return { ...platform, browser: browserOf('Firefox', version), engine: { name: 'Gecko', version: engineVersion } };
}

function firefoxAndroidPlatform(comment: string): Platform | null {
  const [, version, form] = /^Android (\d{1,2}(?:\.\d){0,2}); (Mobile|Tablet)$/.exec(comment) ?? [];
  if (version === undefined) return null;
  const device = { type: form === 'Mobile' ? 'mobile' : 'tablet', vendor: null, model: null, name: null } as const;
  return { os: { name: 'Android', version }, device, cpu: unknownCpu };
}

/** Reads the User-Agent of Safari and of the browsers on iOS. */
function readSafari(raw: string): Parts | null {
  const [, comment = '', engineVersion = '', token = 'EdgiOS', version, mobile] = safari.exec(raw) ?? [];
  const isMac = token === 'Version' && mobile === undefined;
  const platform = isMac ? platformOf(comment) : iosPlatform(raw, comment);
  if (platform === null || isMac !== (platform.device === mac) || (!isMac && mobile === undefined)) return null;
  const name = isMac ? 'Safari' : (iosBrowsers[token] ?? null);
  return { ...platform, browser: browserOf(name, version), engine: { name: 'WebKit', version: engineVersion } };
}

const iosBrowsers: Readonly<Record<string, string>> = {
  Version: 'Mobile Safari',
  CriOS: 'Chrome',
  FxiOS: 'Firefox',
  EdgiOS: 'Edge',
};

function iosPlatform(raw: string, comment: string): Platform | null {
  const [, phone, version] =
    /^(?:(iPhone); CPU iPhone OS|iPad; CPU OS) (\d{1,2}(?:_\d{1,2}){1,2}) like Mac OS X$/.exec(comment) ?? [];
  if (version === undefined) return null;
  return {
    os: { name: 'iOS', version: unfrozenVersion(version.replaceAll('_', '.'), raw) },
    device: { type: phone ? 'mobile' : 'tablet', vendor: 'Apple', model: phone ?? 'iPad', name: null },
    cpu: unknownCpu,
  };
}
