/** A shortcut for User-Agents of Chrome, Edge, Firefox and Safari that follow the template of their vendor, reduced or in full. */

import { isPlainBrowser } from './browser-template.ts';
import { androidDevice } from './device.ts';
import type { UserAgent } from './user-agent-schema.ts';

type Platform = Pick<UserAgent, 'os' | 'device' | 'cpu'>;

const desktop = { type: 'desktop', vendor: null, model: null } as const;
const mac = { type: 'desktop', vendor: 'Apple', model: 'Macintosh' } as const;
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
  /^Mozilla\/5\.0 \(([^()]{10,90}(?:\([^()]{1,30}\)[^()]{0,30})?)\) AppleWebKit\/537\.36 \(KHTML, like Gecko\) (Version\/4\.0 )?Chrome\/([3-9]\d|\d{3})(\.\d{1,5}\.\d{1,5}\.\d{1,5}) (Mobile )?Safari\/537\.36(?: EdgA?\/(\d{2,3})(\.\d{1,5}\.\d{1,5}\.\d{1,5}))?$/;
const firefox =
  /^Mozilla\/5\.0 \(([\w ._;]{10,50}); rv:(\d{2,3}\.\d)\) Gecko\/20100101 Firefox\/(\d{2,3})(\.\d{1,2}(?:\.\d{1,2})?)$/;
const firefoxAndroid =
  /^Mozilla\/5\.0 \(Android (\d{1,2}(?:\.\d){0,2}); (Mobile|Tablet); rv:(\d{2,3}\.0)\) Gecko\/\d{2,3}\.0 Firefox\/(\d{2,3})(\.\d{1,2})$/;
const safari =
  /^Mozilla\/5\.0 \((Macintosh; Intel Mac OS X [\d_]{4,8})\) AppleWebKit\/([\d.]{3,12}) \(KHTML, like Gecko\) Version\/(\d{1,2})(\.[\d.]{1,8}) Safari\/[\d.]{3,12}$/;
const ios =
  /^Mozilla\/5\.0 \((?:(iPhone); CPU iPhone OS|iPad; CPU OS) (\d{1,2})_(\d{1,2})(_\d{1,2})? like Mac OS X\) AppleWebKit\/([\d.]{3,12}) \(KHTML, like Gecko\) (?:(Version)|CriOS|FxiOS|Version\/(?:1?\d|2[0-5])\.[\d.]{1,6} EdgiOS)\/(\d{2,3})(\.[\d.]{1,15}) Mobile\/\w{3,10} Safari\/[\d.]{3,12}$/;

/** Longer User-Agents follow no template. */
const maxLength = 300;

/** The same result as without the shortcut; null if the User-Agent follows none of the templates. */
export function commonUserAgent(raw: string): UserAgent | null {
  if (raw.length > maxLength) return null;
  return raw.includes('Chrome/') ? chrome(raw) : raw.includes('Gecko/') ? gecko(raw) : apple(raw);
}

function platformOf(text: string): Platform | null {
  const known = platforms.get(text);
  if (known !== undefined) return known;
  const version = macOs.exec(text)?.[1];
  return version === undefined
    ? null
    : { os: { name: 'Mac OS', version: version.replaceAll('_', '.') }, device: mac, cpu: unknownCpu };
}

function chrome(raw: string): UserAgent | null {
  const match = chromium.exec(raw);
  if (match === null) return null;
  const [, comment = '', view, major = '', rest = '', mobile, edge, edgeRest = ''] = match;
  const isView = comment.endsWith('; wv');
  if (isView !== (view !== undefined) || (isView && edge !== undefined)) return null;
  const isAndroid = comment.startsWith('Linux; Android ');
  if (mobile !== undefined && !isAndroid) return null;
  const platform = isAndroid ? androidPlatform(raw, comment, mobile !== undefined) : platformOf(comment);
  if (platform === null) return null;
  const name = isView ? 'Chrome WebView' : 'Chrome';
  const browser = edge === undefined ? browserOf(name, major, rest) : browserOf('Edge', edge, edgeRest);
  return resultOf(raw, browser, { name: 'Blink', version: major + rest }, platform);
}

const androidComment = /^Linux; Android (\d{1,2}(?:\.\d{1,2}){0,2}); ([^;]+)(?:; wv)?$/;

/** Models that also determine the OS or the CPU, so that the full parser must run. */
const specialModel = /^(?:AFT|KF[A-Z]|AEO)|Chromebook|x86|x64|arm|aarch|amd|i\d86|ia32|ppc|mips|sparc|avr|irix/i;

function androidPlatform(raw: string, comment: string, isMobile: boolean): Platform | null {
  const [, version = '', model = ''] = androidComment.exec(comment) ?? [];
  if (version === '') return null;
  const os = { name: 'Android', version };
  if (model === 'K')
    return { os, device: { type: isMobile ? 'mobile' : 'tablet', vendor: null, model: null }, cpu: unknownCpu };
  if (specialModel.test(model) || !isPlainBrowser(raw)) return null;
  const device = androidDevice(raw);
  // Without the shortcut, more vendors are known.
  if (device === null || device.type === null || device.vendor === null) return null;
  return { os, device: { ...device, type: device.type }, cpu: unknownCpu };
}

function gecko(raw: string): UserAgent | null {
  const match = firefox.exec(raw);
  if (match === null) return geckoAndroid(raw);
  const [, comment = '', rv = '', major = '', rest = ''] = match;
  const platform = platformOf(comment);
  if (platform === null) return null;
  return resultOf(raw, browserOf('Firefox', major, rest), { name: 'Gecko', version: rv }, platform);
}

function geckoAndroid(raw: string): UserAgent | null {
  const match = firefoxAndroid.exec(raw);
  if (match === null) return null;
  const [, version = '', form, rv = '', major = '', rest = ''] = match;
  const device = { type: form === 'Mobile' ? 'mobile' : 'tablet', vendor: null, model: null } as const;
  const platform = { os: { name: 'Android', version }, device, cpu: unknownCpu };
  return resultOf(raw, browserOf('Firefox', major, rest), { name: 'Gecko', version: rv }, platform);
}

function apple(raw: string): UserAgent | null {
  const onMac = safari.exec(raw);
  if (onMac !== null) {
    const [, comment = '', webKit = '', major = '', rest = ''] = onMac;
    const platform = platformOf(comment);
    if (platform === null) return null;
    return resultOf(raw, browserOf('Safari', major, rest), { name: 'WebKit', version: webKit }, platform);
  }
  const match = ios.exec(raw);
  if (match === null) return null;
  const [, phone, system = '', minor = '', patch = '', webKit = '', isSafari, major = '', rest = ''] = match;
  // Since version 26 Safari freezes the OS at 18_x and states the real one as its own.
  const isFrozen = system === '18' && isSafari !== undefined && Number(major) >= 26;
  const name = isSafari
    ? 'Mobile Safari'
    : raw.includes('CriOS')
      ? 'Chrome'
      : raw.includes('FxiOS')
        ? 'Firefox'
        : 'Edge';
  return resultOf(
    raw,
    browserOf(name, major, rest),
    { name: 'WebKit', version: webKit },
    {
      os: { name: 'iOS', version: isFrozen ? major + rest : `${system}.${minor}${patch.replace('_', '.')}` },
      device: { type: phone ? 'mobile' : 'tablet', vendor: 'Apple', model: phone ?? 'iPad' },
      cpu: unknownCpu,
    },
  );
}

const browserOf = (name: string, major: string, rest: string): UserAgent['browser'] => ({
  name,
  version: major + rest,
  major,
});

/** Every member is a copy that the caller may change. */
function resultOf(
  raw: string,
  browser: UserAgent['browser'],
  engine: UserAgent['engine'],
  { os, device, cpu }: Platform,
): UserAgent {
  return { raw, browser, engine, os: { ...os }, device: { ...device }, cpu: { ...cpu }, kind: 'browser', bot: null };
}
