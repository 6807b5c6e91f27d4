/** What kind of client a User-Agent belongs to, and which bot it names. */
import { type Operator, operators } from './agents.ts';
import { crawler } from './crawlers.ts';
import type { Bot, BotKind, Kind } from './kinds.ts';
import { isPlainBrowser } from './plain-browser.ts';

/** Which kind decides when a User-Agent names several: who asks beats what it is built with, and a person's errand beats a crawl. */
const precedence: readonly BotKind[] = [
  'ai-assistant',
  'ai-crawler',
  'search-crawler',
  'social-preview',
  'monitoring',
  'bot',
  'headless-browser',
  'cli',
  'http-library',
];

/** These say how a client is built; the bot that is built so may be named beside them. */
const means: ReadonlySet<BotKind> = new Set(['headless-browser', 'cli', 'http-library']);

/** Long enough for every User-Agent that a product documents; the rest is never looked at. */
const maxLength = 1024;

/** Sorts one User-Agent; `browser` is the name of the browser that the parser found in it. */
export type Classify = (raw: string, browser: string | null) => { kind: Kind; bot: Bot | null };

/** Sorts by a table of agents, then by the lists of the long tail. */
export function classifier(table: readonly Operator[]): Classify {
  const agent = agentFinder(table);
  return (raw, browser) => {
    if (isPlainBrowser(raw)) return { kind: 'browser', bot: null };
    const text = raw.slice(0, maxLength);
    const own = agent(text);
    const bot = own !== null && !means.has(own.kind) ? own : (crawler(text, own === null, browser) ?? own);
    if (bot !== null) return { kind: bot.kind, bot };
    return { kind: browser !== null ? 'browser' : 'unknown', bot: null };
  };
}

/** A function that finds the agents of a table in a User-Agent. */
export function agentFinder(table: readonly Operator[]): (text: string) => Bot | null {
  const rows = new Map<string, Row>();
  for (const { operator, tokens } of table) {
    for (const kind of precedence) for (const token of tokens[kind] ?? []) addRow(rows, { token, kind, operator });
  }
  const longestFirst = [...rows.keys()].sort((a, b) => b.length - a.length);
  // Plain alternatives only: with a look-around in them V8 takes 20 times as long.
  const any = new RegExp(longestFirst.map((word) => word.replace(/[^\w ]/g, '\\$&')).join('|'), 'g');
  return (text) => {
    const lower = text.toLowerCase();
    let best: { row: Row; rank: number; at: number } | null = null;
    any.lastIndex = 0;
    for (let match = any.exec(lower); match !== null; match = any.exec(lower)) {
      const row = rows.get(match[0]);
      if (row === undefined || !stands(row.token, lower, match.index, match[0].length)) {
        any.lastIndex = match.index + 1;
        continue;
      }
      const rank = precedence.indexOf(row.kind);
      if (best === null || rank < best.rank) best = { row, rank, at: match.index };
    }
    return best && { name: nameOf(best.row.token, text, best.at), kind: best.row.kind, operator: best.row.operator };
  };
}

type Row = { token: string; kind: BotKind; operator: string | null };

function addRow(rows: Map<string, Row>, row: Row): void {
  rows.set(row.token.toLowerCase().replace(/^\^|[$*]$/g, ''), row);
}

/** Whether the token is a whole word there, or bound as its `^` and `$` say. */
function stands(token: string, lower: string, at: number, length: number): boolean {
  const before = lower[at - 1];
  if (token.startsWith('^') ? before !== undefined : before !== undefined && isWordCharacter(before)) return false;
  const after = lower[at + length];
  if (after === undefined) return true;
  if (token.endsWith('$')) return false;
  return token.endsWith('*') || !isWordCharacter(token.at(-1) ?? '') || !isWordCharacter(after);
}

function isWordCharacter(character: string): boolean {
  return /^[a-z0-9]$/i.test(character);
}

function nameOf(token: string, text: string, at: number): string {
  const name = token.replace(/^(?:\^|\(|compatible; )|[$*]$/g, '').replace(/\/[\d.]*$| \($/, '');
  if (!token.endsWith('*')) return name;
  return name + (/^[\w-]*/.exec(text.slice(at + name.length))?.[0] ?? '');
}

export const classify = classifier(operators);
