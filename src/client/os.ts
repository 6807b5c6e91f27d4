/** Corrections of the OS that ua-parser-js reads: systems it does not know, and versions that are none. */
import { isVersion } from './browser-name.ts';
import { appSystems, systems, vagueSystems } from './data/corrections.ts';
import { findRow } from './expression-table.ts';
import type { UserAgent } from './user-agent-schema.ts';

type Os = UserAgent['os'];

export function correctOs(os: Os, text: string): Os {
  const isApp = !text.startsWith('Mozilla/');
  const own =
    (isApp ? findToken(appSystems, text) : null) ??
    findToken(systems, text) ??
    (os.name === null ? findToken(vagueSystems, text) : null);
  const { name, version } = own ?? os;
  // The library GnuTLS, as it names itself.
  if (name?.toLowerCase() === 'gnu' && /^tls$/i.test(version ?? '')) return { name: null, version: null };
  if (name === 'iOS') return appleOs(version, text);
  if (name === 'Android' && /\bAFT[A-Z\d]{1,8}\b|\bKF[A-Z]{2,6}\b|\bAEO[A-Z]{2,3}\b/.test(text))
    return { name: 'Fire OS', version: fireOsVersion(version) };
  // `10 Pro` and `2000 5.0` are one version; `Server 2012 R2` is another.
  const isKnown = version !== null && !noVersion.test(version) && (isVersion(version) || namedVersion.test(version));
  const known = isKnown ? version.replace(/^(\d[\d.]*) .*/, '$1') : null;
  if (name === 'Android' && isApp) return { name, version: androidOfLevel(known) };
  return { name: name === 'linux' ? 'Linux' : name, version: known };
}

/** Versions of Windows and consoles without a number. */
const namedVersion = /^(?:CE|ME|NT|RT|XP|Vista|Vita|Portable|Switch|Wii|One|Series)/;

/** Apps may state the API level: https://developer.android.com/tools/releases/platforms. From 31 on, each new version has one or two. */
const androidByLevel = [
  '5.0',
  '5.1',
  '6.0',
  '7.0',
  '7.1',
  '8.0',
  '8.1',
  '9',
  '10',
  '11',
  '12',
  '12',
  '13',
  '14',
  '15',
  '16',
];
const firstLevel = 21;

function androidOfLevel(version: string | null): string | null {
  if (version === null || !/^[2-4]\d$/.test(version) || Number(version) < firstLevel) return version;
  const level = Number(version);
  return androidByLevel[level - firstLevel] ?? String(level - 20);
}

/** The first row whose expression matches; its first group is the version. */
export function findToken(table: readonly (readonly [token: RegExp, name: string])[], text: string): Os | null {
  const [token, name = null] = findRow(table, text) ?? [];
  return token === undefined ? null : { name, version: token.exec(text)?.[1]?.replaceAll('_', '.') || null };
}

/** An architecture, a toolkit or `TV` is not a version; names such as XP, Vista and Server 2012 R2 are. */
const noVersion =
  /^(?:aarch|arm|i\d86|x86|amd64|x64|riscv|ppc|powerpc|mips|s390|sparc|loongarch|ia64|sun4|APT(?:-|$)|i86pc|evb|hpc|macppc|r\d+$|arch\b|TV$|like\b|package|Mobile|Smart|32$|64$)/i;

/** Fire OS by the Android version it is built on: https://developer.amazon.com/docs/fire-tv/fire-os-overview.html */
const fireOsByAndroid = { '4.0': '2', '4.2': '3', '4.4': '4', '5.': '5', '7.': '6', 9: '7', 11: '8', 14: '14' };

const fireOsVersion = (android: string | null): string | null =>
  Object.entries(fireOsByAndroid).find(([prefix]) => android?.startsWith(prefix))?.[1] ?? null;

/** The first Darwin of the scheme by which each Darwin is one macOS and iOS; both took the number of the year with Darwin 25. */
const yearDarwin = 25;
const firstDarwin = 20;

/** macOS 11 came with Darwin 20, 10.15 with 19 and so on. */
const macOfDarwin = (darwin: number): string =>
  darwin >= yearDarwin ? String(darwin + 1) : darwin >= firstDarwin ? String(darwin - 9) : `10.${darwin - 4}`;

/** The first CFNetwork of each iOS from 4 to 8: before Darwin 15, one Darwin served two versions of iOS, which it tells apart. */
const oldNetworks = [467, 548, 602, 672, 711];

function iosOfNetwork(network: number, darwin: number): string | null {
  if (darwin > 14) return String(darwin >= yearDarwin ? darwin + 1 : darwin - 6);
  const at = oldNetworks.findLastIndex((first) => network >= first);
  return at < 0 ? null : String(at + 4);
}

/** An app that names a Mac. Safari does not, but on iOS it is MobileSafari. */
const ofMac = /\((?:x86_64|i386|MacBook\w*|iMac|Macmini|MacPro|Mac)\b|%2\d(?:MacBook|iMac|Mac)|^Safari\//;

function appleOs(version: string | null, text: string): Os {
  const [, cfNetwork = '', darwinVersion = ''] = /\bCFNetwork\/(\d+).*\bDarwin\/(\d{1,2})/.exec(text) ?? [];
  const darwin = Number(darwinVersion);
  if (darwin >= 8 && ofMac.test(text)) return { name: 'Mac OS', version: macOfDarwin(darwin) };
  const stated = statedByApp(text);
  if (version === null || stated?.startsWith(version))
    return { name: 'iOS', version: stated ?? (darwin > 0 ? iosOfNetwork(Number(cfNetwork), darwin) : null) };
  const unfrozen = unfrozenVersion(version, text);
  const isFrozen = version.startsWith('18.') && Number.parseInt(stated ?? unfrozen ?? '', 10) >= firstYear;
  return { name: 'iOS', version: (isFrozen ? stated : null) ?? unfrozen };
}

/** The first version that is a year. */
const firstYear = 26;

/** The version as Facebook's, Instagram's, Snapchat's and TikTok's apps state it, apart from the frozen one. */
const statedByApp = (text: string): string | null =>
  /\bFBSV\/([\d.]+)|(?<!like Mac OS X.{0,9})\biOS[ /;]{1,2}(\d{1,2}(?:[._]\d{1,2}){0,2})\b/
    .exec(text)
    ?.slice(1)
    .find((version) => version !== undefined)
    ?.replaceAll('_', '.') ?? null;

/** Apple's builds of iOS 26 begin with 23, and a letter for each minor version. */
const iosBuild = /\bMobile\/(2[3-9])([A-H])\d/;

/** Since version 26 WebKit freezes the OS at 18_x; Safari states the real one as its own, and web views the build. */
export function unfrozenVersion(version: string | null, text: string): string | null {
  if (!version?.startsWith('18.')) return version;
  const [, safari = '', minor = ''] = /\bVersion\/(\d+)([\d.]*)/.exec(text) ?? [];
  // The version that Edge states beside its own is only the major one of the OS.
  if (Number(safari) >= firstYear) return text.includes(' EdgiOS/') ? safari : `${safari}${minor}`;
  const [, build, letter = 'A'] = iosBuild.exec(text) ?? [];
  return build === undefined ? version : `${Number(build) + 3}.${letter.charCodeAt(0) - 'A'.charCodeAt(0)}`;
}
