/** The browser that uap-core names if ua-parser-js recognizes only a common engine. */
import { uapCoreBrowsers } from './data/generated/uap-core-browsers.ts';
import { type FindRows, indexRows } from './row-index.ts';
import type { UserAgent } from './user-agent-schema.ts';

export type Browser = UserAgent['browser'];

/** Names of ua-parser-js for engines that many browsers are built on: any other name in the string is more specific. */
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

/** Families that ua-parser-js names differently. */
const nameOfFamily: ReadonlyMap<string, string> = new Map([
  ['UC Browser', 'UCBrowser'],
  ['QQ Browser', 'QQBrowser'],
  ['QQ Browser Mobile', 'QQBrowser'],
  ['Baidu Explorer', 'Baidu'],
]);

/** ua-parser-js knows nothing, so any name is better. */
const nameless: ReadonlySet<string | null> = new Set([null, 'Mozilla']);

/** Families of uap-core that are no more specific than the names above. */
const genericFamily =
  /^(?:Chrome|Chromium|HeadlessChrome|Safari|Mobile Safari|Firefox|IE|Edge|Android|Opera|Apple Mail|HbbTV|CFNetwork|Other|Mozilla|Konqueror|WebKit|Netscape)\b/;

/** Rules for bots, which uap-core lists among browsers: the costliest ones, and not needed for a browser. */
const forBots = /\[Bb\]ot|\[Ss\]pider|\[Ss\]\[Pp\]|CSimpleSpider|Altresium/;

interface Rule {
  readonly source: string;
  readonly literals: readonly string[] | null;
  readonly replacements: readonly (string | null)[];
  /** Compiled on first use: all together would take 40 ms. */
  expression: RegExp | null;
}

function readRules(): FindRows<Rule> {
  const listed = uapCoreBrowsers.filter(([expression]) => !forBots.test(expression));
  const rows = listed.map(([source, literals, ...replacements]) => ({
    source,
    literals: literals === '' ? null : literals.split('\n'),
    replacements,
    expression: null,
  }));
  return indexRows<Rule>(rows, ({ literals }) => literals);
}

/** Read on first use; the expressions are compiled one by one, when they are needed. */
let findRules: FindRows<Rule> | null = null;

/** Returns `browser` unless it is a common engine and uap-core names something more specific. */
export function nameByUapCore(browser: Browser, text: string): Browser {
  if (!generic.has(browser.name)) return browser;
  findRules ??= readRules();
  for (const rule of findRules(text.toLowerCase())) {
    rule.expression ??= new RegExp(rule.source);
    const match = rule.expression.exec(text);
    if (match === null) continue;
    const { replacements } = rule;
    const [family, ...versions] = [0, 1, 2, 3].map((i) => fillIn(replacements[i] ?? null, match, i + 1));
    if (!family) return browser;
    const common = genericFamily.exec(family)?.[0];
    if (common !== undefined && !(nameless.has(browser.name) && text.startsWith('Mozilla/'))) return browser;
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
  return { name: name || null, version: version || null, major: majorOf(version || null) };
}

export function majorOf(version: string | null): string | null {
  if (version === null) return null;
  const end = version.indexOf('.');
  const first = end === -1 ? version : version.slice(0, end);
  return (/\D/.test(first) ? first.replace(/\D/g, '') : first) || null;
}
