/** The browser that uap-core names if ua-parser-js recognizes only a common engine. */
import { type UapCoreRule, uapCoreBrowsers } from './data/generated/uap-core-browsers.ts';
import { nameOfFamily } from './data/stated-names.ts';
import { indexLiterals } from './literal-index.ts';
import type { UserAgent } from './user-agent-schema.ts';

export type Browser = UserAgent['browser'];

/** Names of ua-parser-js for engines that many browsers are built on: any other name in the string is more specific. */
const generic =
  /^(?:Chrome|Chrome WebView|Chromium|Android Browser|Safari|Mobile Safari|WebKit|Firefox|IE|Mozilla|Electron)$/;

/** Whether ua-parser-js recognizes no more than an engine. */
export const isGeneric = (name: string | null): boolean => name === null || generic.test(name);

/** Families of uap-core that are not more specific than the names above: engines, and libraries in the web view of an app. */
const genericFamily =
  /^(?:Chrome|Chromium|HeadlessChrome|Safari|Mobile Safari|Firefox|IE|Edge|Android|Opera|Apple Mail|HbbTV|CFNetwork|Other|Mozilla|Konqueror|WebKit|Netscape|okhttp|axios)\b/;

/** Created on first use, to keep the start of a process short. */
let findRules: ReturnType<typeof indexRules> | null = null;

const indexRules = () =>
  indexLiterals(
    uapCoreBrowsers.flatMap(([, literals], rule) => literals.split('\n').map((literal) => ({ literal, rule }))),
  );

/** Expressions of the rules, compiled on first use: all together would take 40 ms. */
const expressions: RegExp[] = [];

/** Returns `browser` unless it is a common engine and uap-core names something more specific. */
export function nameByUapCore(browser: Browser, text: string): Browser {
  if (!isGeneric(browser.name)) return browser;
  findRules ??= indexRules();
  const rules = new Set(findRules(text.toLowerCase()).map(({ row }) => row.rule));
  // The first rule of the table that matches counts.
  for (const rule of [...rules].sort((one, other) => one - other)) {
    const [source, , ...replacements] = uapCoreBrowsers[rule] as UapCoreRule;
    expressions[rule] ??= new RegExp(source);
    const match = expressions[rule].exec(text);
    if (match === null) continue;
    const [family, ...versions] = [0, 1, 2, 3].map((i) => fillIn(replacements[i] ?? null, match, i + 1));
    if (!family) return browser;
    const common = genericFamily.exec(family)?.[0];
    // If ua-parser-js knows nothing, any name is better.
    const isNameless = browser.name === null || browser.name === 'Mozilla';
    if (common !== undefined && !(isNameless && text.startsWith('Mozilla/'))) return browser;
    const name = common ?? nameOfFamily.get(family) ?? family;
    const last = versions.findIndex((version) => !version);
    return browserOf(name, (last < 0 ? versions : versions.slice(0, last)).join('.'));
  }
  return browser;
}

/** uap-core's specification: a replacement may quote groups as $1 to $9; without one the group at its place counts. */
function fillIn(replacement: string | null, match: RegExpExecArray, group: number): string {
  if (replacement === null) return match[group]?.trim() ?? '';
  return replacement.replace(/\$(\d)/g, (_, digit) => match[Number(digit)] ?? '').trim();
}

export function browserOf(name: string | null | undefined, version: string | null | undefined): Browser {
  const known = isVersion(version) ? version : null;
  return { name: name || null, version: known, major: majorOf(known) };
}

/** A word or a lone dot is no version. */
export const isVersion = (text: string | null | undefined): text is string =>
  text !== null && text !== undefined && (startsWithDigit(text) || /\d/.test(text));

const startsWithDigit = (text: string): boolean => text.charCodeAt(0) >= 0x30 && text.charCodeAt(0) <= 0x39;

export function majorOf(version: string | null): string | null {
  if (version === null) return null;
  const end = version.indexOf('.');
  const first = end === -1 ? version : version.slice(0, end);
  return (/\D/.test(first) ? first.replace(/\D/g, '') : first) || null;
}
