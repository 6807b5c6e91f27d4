/** Finds the agents of a table, such as crawlers and libraries, by their tokens in a User-Agent. */
import type { Operator } from '../data/agents.ts';
import { type Bot, type BotKind, kinds } from '../kinds.ts';
import { indexLiterals } from '../literal-index.ts';

interface Row {
  /** The token in lower case, without its signs. */
  literal: string;
  token: string;
  kind: BotKind;
  rank: number;
  operator: string | null;
  except: RegExp | undefined;
}

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

const rowsOf = ({ operator, tokens, except }: Operator): Row[] =>
  kinds.flatMap((kind, rank) =>
    kind === 'browser' || kind === 'unknown'
      ? []
      : (tokens[kind] ?? []).map((token) => ({
          literal: token.toLowerCase().replace(/^\^|[$*]$/g, ''),
          token,
          kind,
          rank,
          operator,
          except,
        })),
  );

const url = /https?:\/\/[^\s;,()<>"]*/gi;

/** The text with its URLs replaced by spaces, so that positions stay the same. */
export const blankUrls = (text: string): string =>
  text.includes('://') ? text.replace(url, (found) => ' '.repeat(found.length)) : text;

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

/** The token as its operator writes it, with the rest of the word if it may go on. */
function nameOf({ token }: Row, text: string, at: number): string {
  const name = token.replace(/^(?:\^|\(|compatible; )|[$*]$/g, '').replace(/\/[\d.]*$| \($/, '');
  if (!token.endsWith('*')) return name;
  return name + (/^[\w-]*/.exec(text.slice(at + name.length))?.[0] ?? '');
}
