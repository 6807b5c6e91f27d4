/** The format of a common browser's User-Agent: a comment on the platform, then only products of browsers. It can name no bot. */
import { systemOf } from './platform.ts';

export type Engine = 'blink' | 'gecko' | 'webkit';

/** Products that an engine's own browsers state: Chrome, Edge, Opera and Vivaldi, Firefox, Safari. */
const engineProducts: Readonly<Record<Engine, readonly string[]>> = {
  blink: ['AppleWebKit', 'Chrome', 'Mobile', 'Safari', 'Edg', 'EdgA', 'OPR', 'Vivaldi'],
  gecko: ['Gecko', 'Firefox'],
  webkit: ['AppleWebKit', 'Version', 'Mobile', 'Safari'],
};

/** Products of browsers that change what the engine sends, and of all browsers on iOS. */
const otherProducts = [
  ...['Edge', 'EdgiOS', 'OPX', 'OPT', 'CriOS', 'FxiOS', 'GSA', 'YaBrowser', 'Yowser', 'SamsungBrowser', 'UCBrowser'],
  ...['DuckDuckGo', 'Ddg', 'HuaweiBrowser', 'HeyTapBrowser', 'VivoBrowser', 'MiuiBrowser', 'Silk', 'Brave', 'Whale'],
];

const products: ReadonlySet<string> = new Set([...Object.values(engineProducts).flat(), ...otherProducts]);

const detail = [
  'U',
  'en-US',
  'Win64',
  'WOW64',
  'x64',
  'ARM64',
  'arm_64',
  'Mobile',
  'Tablet',
  'wv',
  'Ubuntu',
  'Fedora',
  '(?:Ubuntu; )?Linux (?:x86_64|i686|aarch64|armv7l)',
  'CrOS (?:x86_64|aarch64|armv7l) [\\d.]+',
  '(?:Intel|PPC) Mac OS X [\\d._]+',
  'CPU (?:iPhone )?OS [\\d_]+ like Mac OS X',
  'rv:[\\d.]+',
].join('|');

/** Source of an expression for what precedes the products; its group is the comment. */
export const plainPlatform =
  `^Mozilla/5\\.0 \\(((?:Windows NT [\\d.]+|Macintosh|X11|iPhone|iPad|iPod touch|Android [\\d.]+)(?:; (?:${detail}))*` +
  // The model of a phone is free text; only known details follow it.
  `|Linux; (?:U; |arm_64; )?Android [\\d.]+(?:; [a-z]{2}[-_][A-Za-z]{2})?(?:; [\\w .,+/-]{1,60}(?:\\([\\w .+-]{1,30}\\))?)?(?:; (?:${detail}))*)\\)`;

const template = new RegExp(`${plainPlatform}((?: (?:[A-Z]\\w{1,20}(?:/[\\w.]{1,40})?|\\(KHTML, like Gecko\\)))+)$`);

/** What is no browser on a phone, although its model is free text. */
export const namesOther = /bot|crawl|spider|http|compatible|headless|fetch|preview|scan|monitor/i;

/** Whether the User-Agent has that format. */
export function isPlainBrowser(raw: string): boolean {
  const match = raw.length <= maxLength ? template.exec(raw) : null;
  if (match === null || (raw.includes('Android') && namesOther.test(raw))) return false;
  const names = (match[2] ?? '')
    .replaceAll(' (KHTML, like Gecko)', '')
    .replaceAll(/\/[^ ]*/g, '')
    .slice(1)
    .split(' ');
  return new Set(names).size === names.length && names.every((name) => products.has(name));
}

/** Longer User-Agents follow no template. */
export const maxLength = 400;

/** The comments of a User-Agent, and its products with their versions. */
export interface Syntax {
  readonly comments: readonly string[];
  readonly products: ReadonlyMap<string, string>;
}

/** Reads products and comments (RFC 9110 §10.1.5). Each alternative starts with a different character, so this takes linear time. */
export function readSyntax(raw: string): Syntax {
  const comments: string[] = [];
  const products = new Map<string, string>();
  for (const [, comment, name, version] of raw.matchAll(/\(([^()]*)\)|([^\s()/]+)(?:\/([^\s()]*))?/g)) {
    if (comment !== undefined) comments.push(comment);
    else if (name !== undefined && !products.has(name)) products.set(name, version ?? '');
  }
  return { comments, products };
}

/** Whether the User-Agent is only the template of an engine's own browser, headless or not, so that its headers can be expected. */
export function isOwnTemplate(engine: Engine, { comments, products }: Syntax): boolean {
  const own = ['Mozilla', ...(engine === 'blink' ? ['HeadlessChrome'] : []), ...engineProducts[engine]];
  if (comments.length !== (engine === 'gecko' ? 1 : 2) || ![...products.keys()].every((name) => own.includes(name)))
    return false;
  if (engine === 'gecko') return true;
  if (engine === 'webkit') return products.has('Version') && products.has('Safari');
  // WebViews state wv or the build. Opera for Android renders pages with more than one engine.
  const [platform = ''] = comments;
  const isAndroidOpera = products.has('OPR') && systemOf(platform) === 'Android';
  return products.has('Safari') && !/\bBuild\/|; ?wv\b/.test(platform) && !isAndroidOpera;
}
