/** A shortcut for User-Agents in the format of common browsers: it reads their comment and products without a parser. */

import { browserOf } from './browser-name.ts';
import { matchPlainBrowser } from './browser-template.ts';
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
const ios = /^(?:(iPhone); CPU iPhone OS|iPad; CPU OS) (\d{1,2}(?:_\d{1,2}){1,2}) like Mac OS X$/;
const androidComment = /^Linux; (?:U; )?Android (\d{1,2}(?:\.\d{1,2}){0,2})(?:; (.+))?$/;
const number = /^\d{1,9}(?:\.\d{1,9}){0,4}$/;

/** Browsers whose product precedes that of the engine. */
const specific: Readonly<Record<string, string>> = {
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

const ofEngine = new Set(['AppleWebKit', 'Gecko', 'Chrome', 'Firefox', 'Version', 'Safari', 'Mobile', 'Yowser']);

/** The same result as without the shortcut; null if the User-Agent has another format. */
export function commonUserAgent(raw: string): UserAgent | null {
  const match = matchPlainBrowser(raw);
  if (match === null) return null;
  const { comment, versions: products } = match;
  let name: string | null = null;
  for (const [key, version] of products) {
    if (Object.hasOwn(specific, key)) {
      if (name !== null || !number.test(version)) return null;
      name = key;
    } else if (!ofEngine.has(key)) return null;
  }
  const parts = products.has('Firefox') ? readFirefox(comment, products) : readWebKit(raw, comment, products);
  if (parts === null) return null;
  const { engine, os, device, cpu } = parts;
  const browser = name === null ? parts.browser : browserOf(specific[name], products.get(name));
  // The caller may change the result, but not the tables.
  return { raw, browser, engine, os: { ...os }, device: { ...device }, cpu: { ...cpu }, kind: 'browser', bot: null };
}

type Products = ReadonlyMap<string, string>;

/** Of Chrome, and of Safari and the browsers on iOS. */
function readWebKit(raw: string, comment: string, products: Products): Parts | null {
  const [kit = '', chrome, version] = [products.get('AppleWebKit'), products.get('Chrome'), products.get('Version')];
  const isMobile = products.has('Mobile');
  const platform = platformOf(comment) ?? iosPlatform(raw, comment) ?? androidPlatform(comment, isMobile);
  const isNumbered = number.test(kit) && /^\w*$/.test(products.get('Mobile') ?? '');
  if (platform === null || !isNumbered || products.has('Gecko')) return null;
  const { name } = platform.os;
  if (isMobile !== (name === 'iOS') && name !== 'Android') return null;
  if (chrome === undefined) {
    if ((name !== 'iOS' && name !== 'Mac OS') || !number.test(version ?? '0')) return null;
    if (version === undefined && ![...products.keys()].some((key) => Object.hasOwn(specific, key))) return null;
    const browser = browserOf(name === 'iOS' ? 'Mobile Safari' : 'Safari', version);
    return { ...platform, browser, engine: { name: 'WebKit', version: kit } };
  }
  if (!number.test(chrome) || Number.parseInt(chrome, 10) < 30) return null;
  const isView = version !== undefined;
  if (isView ? version !== '4.0' || name !== 'Android' : comment.endsWith('; wv')) return null;
  const isBlink = kit.startsWith('537.36');
  if (isView && !isBlink) return null;
  const engine = { name: isBlink ? 'Blink' : 'WebKit', version: isBlink ? chrome : kit };
  return { ...platform, browser: browserOf(isView ? 'Chrome WebView' : 'Chrome', chrome), engine };
}

function readFirefox(comment: string, products: Products): Parts | null {
  const [, system = '', gecko = ''] = /^(.*); rv:(\d{1,3}\.\d{1,3})$/.exec(comment) ?? [];
  const [, version, form] = /^Android (\d{1,2}(?:\.\d){0,2}); (Mobile|Tablet)$/.exec(system) ?? [];
  const firefox = products.get('Firefox') ?? '';
  const platform = version === undefined ? platformOf(system) : firefoxOnAndroid(version, form);
  if (platform === null || !products.has('Gecko') || products.size > 2 || !number.test(firefox)) return null;
  return { ...platform, browser: browserOf('Firefox', firefox), engine: { name: 'Gecko', version: gecko } };
}

const firefoxOnAndroid = (version: string, form: string | undefined): Platform => ({
  os: { name: 'Android', version },
  device: { type: form === 'Mobile' ? 'mobile' : 'tablet', vendor: null, model: null, name: null },
  cpu: unknownCpu,
});

function platformOf(comment: string): Platform | null {
  const known = platforms.get(comment);
  if (known !== undefined) return known;
  const version = macOs.exec(comment)?.[1]?.replaceAll('_', '.');
  return version === undefined ? null : { os: { name: 'Mac OS', version }, device: mac, cpu: unknownCpu };
}

/** Models that also determine the OS or the CPU, so that the full parser must run. */
const specialModel = /(?:^|; )(?:AFT|KF[A-Z]|AEO)|Chromebook|x86|x64|arm|aarch|amd|i\d86|ia32|ppc|mips|sparc|avr|irix/i;

function androidPlatform(comment: string, isMobile: boolean): Platform | null {
  const [, version = '', model = ''] = androidComment.exec(comment) ?? [];
  if (version === '') return null;
  const os = { name: 'Android', version };
  if (specialModel.test(model)) return null;
  const { type, ...device } = model === 'K' ? unnamed : androidDevice(comment);
  return { os, device: { type: type ?? (isMobile ? 'mobile' : 'tablet'), ...device }, cpu: unknownCpu };
}

const unnamed = { type: null, vendor: null, model: null, name: null };

function iosPlatform(raw: string, comment: string): Platform | null {
  const [, phone, version] = ios.exec(comment) ?? [];
  if (version === undefined) return null;
  return {
    os: { name: 'iOS', version: unfrozenVersion(version.replaceAll('_', '.'), raw) },
    device: { type: phone ? 'mobile' : 'tablet', vendor: 'Apple', model: phone ?? 'iPad', name: null },
    cpu: unknownCpu,
  };
}
