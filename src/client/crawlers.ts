/** The long tail of bots: what crawler-user-agents lists and what isbot suspects. */
import crawlerUserAgents from 'crawler-user-agents';
import { isbot, isbotMatch } from 'isbot';
import type { Bot, BotKind } from './kinds.ts';

/**
 * Patterns of crawler-user-agents that name real browsers or phones. Measured against browser traffic (user-agents 2.1.198)
 * and the browsers' own documented strings. Last updated: 2026-11-21.
 */
export const deniedPatterns: readonly string[] = [
  'AP3A\\.240617\\.008', // the stock Android 15 build of OPPO, realme, OnePlus and Infinix phones
  'Sogou', // Sogou's mobile browser; its spiders stand in the own table
  'Sonic',
  'Viber', // in-app browser
  'Butterfly', // an HTC phone
  'Fever',
  'Fluid',
  'Fetch\\/',
  'Expanse',
  '008\\/',
  'MetaIAB Facebook', // in-app browser
  'Trae\\/',
  'Code\\/1\\.',
  'TSM-turingos',
  'Bluesky\\/', // in-app browser; its previews stand in the own table
  'WhatsApp', // the desktop app; its previews stand in the own table
  // Apps too, and browsers with them; their bots stand in the own table.
  'Feedly',
  'Feedbin',
  'NewsBlur',
  'Mastodon',
  'Daum\\/',
  'Stripe\\/',
  'Tumblr\\/',
  'PayPal\\/',
  'Grammarly\\/',
  'Notion\\/',
];

/** A tag of crawler-user-agents and the kind it means, the more telling first; every other tag means `bot`. */
const kindOfTag: readonly (readonly [tag: string, kind: BotKind])[] = [
  ['ai-crawler', 'ai-crawler'],
  ['search-engine', 'search-crawler'],
  ['social-preview', 'social-preview'],
  ['monitoring', 'monitoring'],
  ['browser-automation', 'headless-browser'],
  ['http-library', 'http-library'],
];

/**
 * Finds a bot by the lists, with `suspect` also what it is merely built with and what isbot, which names none, takes for one;
 * `browser` is what the parser found. Some patterns go back over what they have read: the caller caps the length.
 */
export function crawler(text: string, suspect: boolean, browser: string | null): Bot | null {
  const listed = find(text, suspect);
  if (listed !== null) return listed;
  if (!suspect) return null;
  const plain = withoutDecoys(text);
  if (!isbot(plain) || !tellsOfBot(plain, browser)) return null;
  const name = suspiciousName(text, isbotMatch(plain) ?? '');
  return name === null ? null : { name, kind: 'bot', operator: null };
}

/**
 * Whether there is more to a suspicion of isbot's than an odd word: bots dress as the few great browsers, but where a rare one is
 * named isbot trips over its odd shape, and in an app over the app's name.
 */
function tellsOfBot(text: string, browser: string | null): boolean {
  if (browser === null || disguises.has(browser) || /bot\b|crawl|spider/i.test(text)) return true;
  return appViews.has(browser) && /\bcompatible; |https?:\/\//i.test(text);
}

/** What apps show pages in: the app adds its name, whatever that is; a bot dressed so says where it comes from. */
const appViews: ReadonlySet<string> = new Set(['Chrome WebView', 'Mobile Safari', 'WebKit']);

const disguises: ReadonlySet<string> = new Set([
  'Chrome',
  'Chrome Headless',
  'Chromium',
  'Android Browser',
  'Edge',
  'Electron',
  'Firefox',
  'Mozilla',
  'Opera',
  'Safari',
]);

/** One alternative of 1,460 plain words takes 2 µs where the same list one by one takes 48; the 40 others are tried in turn. */
type List = {
  words: RegExp;
  kindOfWord: ReadonlyMap<string, BotKind>;
  others: readonly { pattern: RegExp; kind: BotKind }[];
};

let list: List | null = null;

/** The first bot that is listed; what it is merely built with only if `suspect`, and only if nothing else is. */
function find(text: string, suspect: boolean): Bot | null {
  list ??= compile();
  let builtWith: Bot | null = null;
  for (const { name, kind } of hits(list, text)) {
    const bot = { name: nameOf(name), kind, operator: null };
    if (kind !== 'http-library' && kind !== 'headless-browser') return bot;
    if (suspect && (builtWith === null || kind === 'headless-browser')) builtWith = bot;
  }
  return builtWith;
}

function* hits({ words, kindOfWord, others }: List, text: string): Generator<{ name: string; kind: BotKind }> {
  words.lastIndex = 0;
  for (let match = words.exec(text); match !== null; match = words.exec(text)) {
    yield { name: match[0], kind: kindOfWord.get(match[0]) ?? 'bot' };
    words.lastIndex = match.index + 1;
  }
  for (const { pattern, kind } of others) {
    const match = pattern.exec(text);
    if (match !== null) yield { name: match[0], kind };
  }
}

function compile(): List {
  // The package's types for `import` leave the tags out.
  const listed: readonly { pattern: string; tags?: readonly string[] }[] = crawlerUserAgents;
  const entries = listed
    .filter(({ pattern }) => !deniedPatterns.includes(pattern))
    .map(({ pattern, tags = [] }) => ({
      pattern,
      kind: kindOfTag.find(([tag]) => tags.includes(tag))?.[1] ?? ('bot' as const),
    }));
  const isWord = ({ pattern }: { pattern: string }) => /^(?:[\w !"#%&',/:;<=>@~-]|\\[^\w])*$/.test(pattern);
  const words = entries.filter(isWord);
  return {
    words: new RegExp(words.map(({ pattern }) => pattern).join('|'), 'g'),
    kindOfWord: new Map(words.map(({ pattern, kind }) => [pattern.replace(/\\(.)/g, '$1'), kind])),
    others: entries
      .filter((entry) => !isWord(entry))
      .map(({ pattern, kind }) => ({ pattern: new RegExp(pattern), kind })),
  };
}

/** The matched text without the separators that patterns end in. */
function nameOf(match: string): string {
  return match.replace(/^[\W_]+|[\W_]+$/g, '') || match;
}

/** What isbot takes for a bot in the User-Agents of real browsers, as regular expressions. Last updated: 2026-11-21. */
export const decoys: readonly string[] = [
  '\\b(?:cubot|xbot)\\b[\\w ]*',
  'Build/[^;)]*',
  'Google TV',
  'Google Earth[\\w/.]*',
  'Discovery',
  'HTML/1\\.0;',
  'Catcher[\\w/.]*',
  'FirePHP/[\\d.]+',
  '\\w*News\\w*/[\\d.]+',
  'Sogou(?:Search|MSE|MiniMSE)\\w*',
  '\\b[0-9A-F]{32}\\b',
  '\\|',
  '(?:,gzip\\(gfe\\) )?\\(via translate\\.google\\.com\\)',
];

/** Decoys only stand in strings of a browser's shape. */
export function withoutDecoys(text: string, removed: readonly string[] = decoys): string {
  return /^(?:Mozilla\/[45]\.0 \(|Opera\/)/.test(text) && /AppleWebKit|Gecko|Trident|MSIE|Presto|KHTML/.test(text)
    ? text.replace(removed === decoys ? anyDecoy : new RegExp(removed.join('|'), 'gi'), '')
    : text;
}

const anyDecoy = new RegExp(decoys.join('|'), 'gi');

/** The word in which isbot found something, else the first; a word has two letters beside each other. */
function suspiciousName(text: string, suspicion: string): string | null {
  const at = text.indexOf(suspicion);
  const words = [...text.matchAll(/[\w.-]+/g)].filter(([word]) => /[a-z]{2}/i.test(word));
  const telling = words.filter(([word]) => !everyday.test(word));
  const suspicious = telling.find(({ 0: word, index }) => index + word.length > at) ?? telling[0] ?? words[0];
  return suspicious?.[0].slice(0, 64) ?? null;
}

const everyday = /^(?:Mozilla|compatible|https?|www|AppleWebKit|KHTML|like|Gecko|Chrome|Safari|Version|Mobile)$/i;
