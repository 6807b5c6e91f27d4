/** The long tail of bots: the list of crawler-user-agents, and the suspicions of isbot. */
import { isbot, isbotMatch } from 'isbot';
import { isGeneric } from '../browser-name.ts';
import { decoys } from '../data/crawler-exceptions.ts';
import type { DeviceType } from '../data/device-vendors.ts';
import { crawlers } from '../data/generated/crawlers.ts';
import type { Bot, BotKind } from '../kinds.ts';
import { indexLiterals } from '../literal-index.ts';
import { isListedApp, type Personal, personalUse, saysBot } from './apps.ts';
import { findTool } from './tools.ts';

/** What the parser found: the names of the browser and the OS, and the type of the device. */
export interface Client {
  readonly browser: string | null;
  readonly os: string | null;
  readonly device: DeviceType | null;
}

/** `AppleTV11,1/18.5`: the hardware name of an Apple device before the version of its OS. */
const appleHardware = /^(?:iPhone|iPad|iPod|AppleTV|Watch|Mac\w*)\d+,\d+\//;

/**
 * Finds a bot by the lists. `suspect` also reports HTTP libraries, headless browsers and whatever isbot flags (it names no bots).
 * The caller limits the length: some patterns backtrack.
 */
export function findCrawler(text: string, suspect: boolean, client: Client): Bot | null {
  const useOf = () => personalUse(text, client.device);
  const listed = findListed(text, suspect, useOf);
  if (listed !== null) return listed;
  if (!suspect || isListedApp(text)) return null;
  const tool = findTool(text);
  // Most texts raise no suspicion, so that nothing need be removed from them.
  if (tool === null && !isbot(text)) return null;
  if (useOf() === 'app' || appleHardware.test(text)) return null;
  if (tool !== null) return tool;
  const plain = withoutDecoys(text);
  if (!isbot(plain) || !isSuspicious(plain, client)) return null;
  const name = suspiciousName(plain, isbotMatch(plain) ?? '');
  return name === null ? null : { name, kind: 'bot', operator: null };
}

/**
 * Whether isbot has a better reason for its suspicion than an unusual word. Bots imitate common browsers, so the unusual format of a
 * rare browser is not a reason, nor is the name of an app in its own User-Agent, nor that of an extension in a browser's.
 */
function isSuspicious(text: string, { browser, os }: Client): boolean {
  if (/bot\b|crawl|spider/i.test(text)) return true;
  if (browser !== null && appViews.has(browser)) return /\bcompatible; |https?:\/\//i.test(text);
  // Internet Explorer's add-ons state names and URLs of their own.
  if (browser === 'IE' || !(isGeneric(browser) || imitated.has(browser ?? ''))) return false;
  const isOnComputer = text.startsWith('Mozilla/') ? browser !== null : os === 'Mac OS' || os === 'Windows';
  return !isOnComputer || (saysTask.test(text) && !/\bextension\b/i.test(text));
}

/** What bots do, or where to read about it. An app or extension may be named for news, feeds, downloads or a proxy. */
const saysTask =
  /scan|scrap|fetch|check|monitor|preview|render|valid|probe|analy[sz]|inspect|audit|archiv|grab|agent\b|headless|phantom|transcod|captur|measur|synthetic|splash|nutch|classif|retriev|parser|webkit2|https?:\/\/|compatible;/i;

/** Browsers in apps: the app adds any name; a bot that imitates one states a URL. */
const appViews: ReadonlySet<string> = new Set(['Chrome WebView', 'Mobile Safari', 'WebKit']);

/** Browsers with names of their own that bots imitate too. */
const imitated: ReadonlySet<string> = new Set(['Chrome Headless', 'Edge', 'Opera']);

const url = /https?:\/\/[^\s;,()<>"]*/gi;

/** The text with its URLs replaced by spaces, so that positions stay the same. */
export const blankUrls = (text: string): string =>
  text.includes('://') ? text.replace(url, (found) => ' '.repeat(found.length)) : text;

/** Created on first use, to keep the start of a process short. */
let findListedWords: ReturnType<typeof indexCrawlers> | null = null;

const indexCrawlers = () => indexLiterals(crawlers.map(([literal, kind, pattern]) => ({ literal, kind, pattern })));

/**
 * The first listed bot; software that bots are built with only if `suspect`, and only if nothing else is listed. In the app of a person,
 * other words may be names of the app's company.
 */
function findListed(text: string, suspect: boolean, useOf: () => Personal): Bot | null {
  let builtWith: Bot | null = null;
  findListedWords ??= indexCrawlers();
  for (const { row, at: place } of findListedWords(text)) {
    const { literal, kind, pattern } = row;
    const match = pattern === undefined ? { 0: literal, index: place } : new RegExp(pattern).exec(text);
    if (match === null) continue;
    const { 0: word, index: at } = match;
    if (!builtWithKinds.has(kind) && !saysBot(word) && useOf() !== null) continue;
    const withoutUrls = blankUrls(text);
    const shown = withoutUrls.slice(at, at + word.length);
    const isInUrl = withoutUrls.startsWith('   ', at) || shown.trim() === '';
    const name = isInUrl ? (suspiciousName(text, '') ?? unnamed) : fullName(withoutUrls, withoutDetails(shown), at);
    const bot = { name, kind, operator: null };
    if (!builtWithKinds.has(kind)) return bot;
    if (suspect && (builtWith === null || kind === 'headless-browser')) builtWith = bot;
  }
  return builtWith;
}

/** Software that bots are built with. */
const builtWithKinds: ReadonlySet<BotKind> = new Set(['http-library', 'headless-browser']);

/** The product that a match begins with, without its version and what follows it: `SSL Labs (https://…`, `ContextualBot/1.0; +https://…`. */
function withoutDetails(match: string): string {
  const trimmed = match.replace(/^[\W_]+|[\W_]+$/g, '');
  return trimmed.replace(/(?:\/v?\d| [(]|;).*$/s, '') || match;
}

/** Decoys are removed only from strings in the format of a browser. */
export function withoutDecoys(text: string): string {
  const isBrowserLike =
    /^(?:Mozilla\/[45]\.0 \(|Opera\/)/.test(text) && /AppleWebKit|Gecko|Trident|MSIE|Presto|KHTML|Nintendo/.test(text);
  return isBrowserLike ? text.replace(anyDecoy, '') : text;
}

const anyDecoy = new RegExp(decoys.join('|'), 'gi');

/** The product token in which isbot found something, else the first; never a part of a URL. A token has two letters in a row. */
function suspiciousName(text: string, suspicion: string): string | null {
  const at = suspicion === '' ? 0 : text.indexOf(suspicion);
  const words = [...blankUrls(text).matchAll(/[\w.-]+/g)].filter(([word]) => /[a-z]{2}/i.test(word));
  const specific = words.filter(([word]) => !everyday.test(word));
  const found = specific.find(({ 0: word, index }) => index + word.length > at) ?? specific[0];
  if (found !== undefined) return fullName(blankUrls(text), found[0], found.index).slice(0, 64);
  return /https?:\/\//i.test(text) ? unnamed : null;
}

/** The name of several words, such as `Acme Site Crawler`, that begins with the word at the beginning or contains it elsewhere; else that word. */
function fullName(text: string, word: string, at: number): string {
  const [first = ''] = at === 0 ? (firstProduct.exec(text) ?? []) : [];
  if (first.startsWith(`${word} `)) return first;
  for (const { 0: name, index } of text.matchAll(severalWords))
    if (index <= at && at < index + name.length && !name.split(' ').some((part) => everyday.test(part))) return name;
  return word;
}

/** A product of several words at the beginning: `Acme Assistant/1.0`, `Acme Web Engine (Linux)`. */
const firstProduct = /^[A-Z][\w.-]*(?: [A-Za-z][\w.-]*){1,3}(?=\/v?\d| ?[(;,+]| v?\d|$)/;

const severalWords =
  /\b(?:[A-Z]\w* ){1,3}(?:[Bb]ot|[Rr]obot|[Cc]rawler|[Ss]pider|[Ss]craper|[Cc]hecker|[Ff]etcher|[Ii]nspector|[Mm]onitor|[Ss]canner)\b/g;

/** Name of a bot that states a URL and no name. */
const unnamed = 'unnamed bot';

const everyday =
  /^(?:Mozilla|compatible|https?|www|AppleWebKit|KHTML|like|Gecko|Chrome|Safari|Version|Mobile|Linux|X11|Windows|NT|Win64|x64|x86_64|Macintosh|Intel|Mac|OS|Android|\d.*)$/i;
