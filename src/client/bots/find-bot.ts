/** Finds the bot, tool or library that a User-Agent names, first in the table of agents by their tokens. */
import { type Operator, operators } from '../data/agents.ts';
import { modelOf, statedDevice } from '../device/model.ts';
import { type Bot, kinds, tooling } from '../kinds.ts';
import { indexLiterals } from '../literal-index.ts';
import { blankUrls, findCrawler } from './crawlers.ts';

type Row = ReturnType<typeof rowsOf>[number];

/** Returns a function that finds the agents of a table. Of several tokens at one position, the longest counts. */
export function createAgentFinder(table: readonly Operator[]): (text: string) => Bot | null {
  const find = indexLiterals(table.flatMap(rowsOf).sort((one, other) => other.literal.length - one.literal.length));
  return (text) => {
    // A host or path in a URL is not the name of the agent.
    const lower = blankUrls(text).toLowerCase();
    let best: { row: Row; at: number } | null = null;
    let end = 0;
    for (const { row, at } of find(lower)) {
      if (at < end || !isToken(row, lower, at)) continue;
      end = at + row.literal.length;
      if (best === null || row.rank < best.row.rank) best = { row, at };
    }
    return best && { name: nameOf(best.row, text, best.at), kind: best.row.kind, operator: best.row.operator };
  };
}

/** A literal is the token in lower case, without its signs. */
const rowsOf = ({ operator, tokens, except }: Operator) =>
  kinds.flatMap((kind, rank) => {
    if (kind === 'browser' || kind === 'unknown') return [];
    const literalOf = (token: string): string => token.toLowerCase().replace(/^\^|[$*]$/g, '');
    return (tokens[kind] ?? []).map((token) => ({ literal: literalOf(token), token, kind, rank, operator, except }));
  });

/** Whether the token is a whole word there, or bound as its `^` and `$` state. */
function isToken({ token, literal, except }: Row, lower: string, at: number): boolean {
  const before = lower[at - 1];
  if (token.startsWith('^') ? before !== undefined : before !== undefined && isWordCharacter(before)) return false;
  if (except?.test(/^[\w-]*/.exec(lower.slice(at, at + 64))?.[0] ?? '')) return false;
  const after = lower[at + literal.length];
  if (after === undefined) return true;
  if (token.endsWith('$')) return false;
  return token.endsWith('*') || !isWordCharacter(token.at(-1) ?? '') || !isWordCharacter(after);
}

const isWordCharacter = (character: string): boolean => /^[a-z0-9]$/i.test(character);

/** Parts of a token that are not of the name. Previews of other services begin like Facebook's. */
const besidesName = /^(?:\^|\(|compatible; |facebookexternalhit\/1\.1[; ]+)|[$*]$/g;

/** The token as its operator writes it, with the rest of the word if it may go on. */
function nameOf({ token }: Row, text: string, at: number): string {
  const name = token.replace(besidesName, '').replace(/\/[\d.]*$| \($/, '');
  if (!token.endsWith('*')) return name;
  return name + (/^[\w-]*/.exec(text.slice(at + name.length))?.[0] ?? '');
}

/** Longer than any User-Agent that a product documents; the rest is ignored. */
const maxLength = 1024;

const findOperator = createAgentFinder(operators);

/** `browser` is the name of the browser that the parser found in the User-Agent. */
export function findBot(raw: string, browser: string | null, findAgent = findOperator): Bot | null {
  const text = raw.slice(0, maxLength);
  const unmodeled = withoutModel(text);
  const first = findAgent(text);
  const found = first !== null && tooling.has(first.kind) ? findAgent(unmodeled) : first;
  if (found !== null && !tooling.has(found.kind)) return found;
  const bot = findCrawler(unmodeled, found === null, browser) ?? found;
  // In the web view of an app, a library is a part of the app.
  return bot?.kind === 'http-library' && browser === 'Chrome WebView' ? null : bot;
}

/** The model of a phone is free text, in which a word such as `bot` names no bot. */
export function withoutModel(text: string): string {
  const device = statedDevice(text);
  if (device !== null) return text.replace(device.whole, ' Android/1');
  if (!/^Mozilla\/5\.0 \((?:Linux; )?(?:U; )?Android/.test(text) || !text.includes('AppleWebKit')) return text;
  const model = modelOf(text)?.model;
  return model === undefined ? text : text.replace(model, '');
}
