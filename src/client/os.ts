/** Corrections of the OS that ua-parser-js reads: systems it does not know, and versions that are none. */
import type { Corrections } from './data/corrections.ts';
import { findRow } from './expression-table.ts';
import type { UserAgent } from './user-agent-schema.ts';

type Os = UserAgent['os'];

export function correctOs(os: Os, text: string, { systems, vagueSystems }: Corrections): Os {
  const own = findToken(systems, text) ?? (os.name === null ? findToken(vagueSystems, text) : null);
  const { name, version } = own ?? os;
  if (name === 'iOS') return appleOs(version, text);
  if (name === 'Android' && /\bAFT[A-Z\d]{1,8}\b|\bKF[A-Z]{2,6}\b|\bAEO[A-Z]{2,3}\b/.test(text))
    return { name: 'Fire OS', version: fireOsVersion(version) };
  return { name: name === 'linux' ? 'Linux' : name, version: isVersion(version) ? version : null };
}

/** The first row whose expression matches; its first group is the version. */
export function findToken(table: readonly (readonly [token: RegExp, name: string])[], text: string): Os | null {
  const [token, name = null] = findRow(table, text) ?? [];
  return token === undefined ? null : { name, version: token.exec(text)?.[1]?.replaceAll('_', '.') || null };
}

/** An architecture, a toolkit or `TV` is no version; names such as XP, Vista and Server 2012 R2 are. */
const noVersion =
  /^(?:aarch|arm|i\d86|x86|amd64|x64|riscv|ppc|powerpc|mips|s390|sparc|loongarch|ia64|sun4|i86pc|arch\b|TV$|like\b|package|Mobile|Smart)/i;

const isVersion = (version: string | null): boolean => version !== null && !noVersion.test(version);

/** Fire OS by the Android version it is built on: https://developer.amazon.com/docs/fire-tv/fire-os-overview.html */
const fireOsByAndroid: readonly (readonly [android: string, fireOs: string])[] = [
  ['4.0', '2'],
  ['4.2', '3'],
  ['4.4', '4'],
  ['5.', '5'],
  ['7.', '6'],
  ['9', '7'],
  ['11', '8'],
  ['14', '14'],
];

function fireOsVersion(android: string | null): string | null {
  return fireOsByAndroid.find(([prefix]) => android?.startsWith(prefix))?.[1] ?? null;
}

/** The first Darwin of the scheme by which each Darwin is one macOS and iOS; both took the number of the year with Darwin 25. */
const yearDarwin = 25;
const firstDarwin = 20;

/** macOS 11 came with Darwin 20, 10.15 with 19 and so on. */
const macOfDarwin = (darwin: number): string =>
  darwin >= yearDarwin ? String(darwin + 1) : darwin >= firstDarwin ? String(darwin - 9) : `10.${darwin - 4}`;

const iosOfDarwin = (darwin: number): string => String(darwin >= yearDarwin ? darwin + 1 : darwin - 6);

function appleOs(version: string | null, text: string): Os {
  const darwin = Number(/\bCFNetwork\/.*\bDarwin\/(\d{1,2})/.exec(text)?.[1] ?? Number.NaN);
  if (darwin >= 8 && /\((?:x86_64|i386|MacBook\w*|iMac|Macmini|MacPro|Mac)\b|%2\d(?:MacBook|iMac|Mac)/.test(text))
    return { name: 'Mac OS', version: macOfDarwin(darwin) };
  if (version === null && darwin >= 13) return { name: 'iOS', version: iosOfDarwin(darwin) };
  const stated = /\bFBSV\/([\d.]+)/.exec(text)?.[1];
  return { name: 'iOS', version: stated ?? unfrozenVersion(version, text) };
}

/** Since version 26 Safari freezes the OS at 18_x and states the real one as its own. */
export function unfrozenVersion(version: string | null, text: string): string | null {
  const safari = version?.startsWith('18.') ? /\bVersion\/(\d+)([\d.]*)/.exec(text) : null;
  return safari && Number(safari[1]) >= 26 ? `${safari[1]}${safari[2]}` : version;
}
