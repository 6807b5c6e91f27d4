/** Finds the bot, tool or library that a User-Agent names, first in the table of agents by their tokens. */
import { type Operator, operators } from '../data/agents.ts';
import { modelOf, statedDevice } from '../device/model.ts';
import { type Bot, kinds, tooling } from '../kinds.ts';
import { indexLiterals } from '../literal-index.ts';
import { electronApp, type Personal, personalUse, saysBot } from './apps.ts';
import { blankComparisons } from './comparisons.ts';
import { blankUrls, type Client, findCrawler } from './crawlers.ts';
import { operatedBy } from './operator-domains.ts';

type Row = ReturnType<typeof rowsOf>[number];

/** Returns a function that finds the agents of a table. Of several tokens at one position, the longest counts. `useOf` tells what a person uses. */
export function createAgentFinder(table: readonly Operator[]): (text: string, useOf?: () => Personal) => Bot | null {
  const find = indexLiterals(table.flatMap(rowsOf).sort((one, other) => other.literal.length - one.literal.length));
  return (text, useOf = () => null) => {
    // A host or path in a URL is not the name of the agent.
    const lower = blankUrls(text).toLowerCase();
    let best: { row: Row; at: number } | null = null;
    let end = 0;
    for (const { row, at } of find(lower)) {
      if (at < end || !isToken(row, lower, at) || isNameOnly(row, at, useOf)) continue;
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
    return (tokens[kind] ?? []).map((token) => {
      const literal = literalOf(token);
      const isBotName = saysBot(literal);
      // The name of a company or product, where other words may follow: those of other programs after a hyphen, and apps.
      const isPlainName =
        !isBotName && !tooling.has(kind) && kind !== 'monitoring' && /^(?!.*preview)[a-z]+$/.test(literal);
      return { literal, token, kind, rank, operator, except, isBotName, isPlainName };
    });
  });

/** Whether the token is a whole word there, or bound as its `^` and `$` state, and not a part of the name of a program about the bot. */
function isToken(row: Row, lower: string, at: number): boolean {
  const { token, literal, kind, except } = row;
  const before = lower[at - 1];
  if (token.startsWith('^') ? before !== undefined : before !== undefined && isWordCharacter(before)) return false;
  if (!tooling.has(kind) && isAboutBot(lower, at, at + literal.length)) return false;
  if (except?.test(/^[\w-]*/.exec(lower.slice(at, at + 64))?.[0] ?? '')) return false;
  const after = lower[at + literal.length];
  if (after === undefined) return true;
  if (after === '-' && row.isPlainName) return false;
  if (token.endsWith('$')) return false;
  return token.endsWith('*') || !isWordCharacter(token.at(-1) ?? '') || !isWordCharacter(after);
}

/** `fake-googlebot`, `gptbot-blocker`: other words after a hyphen are those of the operator, as in `Googlebot-Image`. */
function isAboutBot(lower: string, start: number, end: number): boolean {
  const isAfter =
    isJoint(lower[start - 1]) && /(?:^|[^a-z\d])(?:anti|block|fake|my|no|non|not).$/.test(lower.slice(0, start));
  return isAfter || (isJoint(lower[end]) && otherPurpose.test(lower.slice(end + 1, end + 9)));
}

const isJoint = (character: string | undefined): boolean => character === '-' || character === '_';

const otherPurpose =
  /^(?:block|check|clone|compat|detect|emulat|filter|guard|like|list|log|simulat|stat|test|verif|watch)/;

/** Whether a token is only a name in an app or web view, which may be that of a company with a bot. */
function isNameOnly({ kind, isBotName, isPlainName }: Row, at: number, useOf: () => Personal): boolean {
  if (isBotName) return false;
  const use = useOf();
  // An app states its own name first, then what it is built with.
  return use === 'view' ? isPlainName : use === 'app' && (!tooling.has(kind) || (kind === 'cli' && at === 0));
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

/** `client` is what the parser found in the User-Agent. */
export function findBot(raw: string, client: Client, findAgent = findOperator): Bot | null {
  const text = withoutAppName(raw.slice(0, maxLength));
  const found = botIn(text, client, findAgent);
  // Few User-Agents name a bot, and few of them compare themselves with another.
  const own = found === null ? text : blankComparisons(text);
  const bot = own === text ? found : botIn(own, client, findAgent);
  return bot && operatedBy(bot, own);
}

function botIn(text: string, client: Client, findAgent: typeof findOperator): Bot | null {
  const useOf = () => personalUse(withoutModel(text), client.device);
  const first = findAgent(text, useOf);
  if (first !== null && !tooling.has(first.kind)) return first;
  const unmodeled = withoutModel(text);
  const found = first === null || unmodeled === text ? first : findAgent(unmodeled, useOf);
  if (found !== null && !tooling.has(found.kind)) return found;
  const bot = findCrawler(unmodeled, found === null, client) ?? found;
  // In the web view of an app, a library is a part of the app.
  return bot?.kind === 'http-library' && client.browser === 'Chrome WebView' ? null : bot;
}

/** An app on Electron is a browser with a name of its own. */
function withoutAppName(text: string): string {
  const name = text.includes(' Electron/') ? electronApp.exec(text)?.[1] : undefined;
  // Cypress drives the browser that its name stands in.
  const isDriven = name !== undefined && findOperator(`${name}/`)?.kind === 'headless-browser';
  return name === undefined || isDriven ? text : text.replace(` ${name}/`, ' App/');
}

/** The model of a phone is free text, in which a word such as `bot` names no bot. */
export function withoutModel(text: string): string {
  const device = statedDevice(text);
  if (device !== null) return text.replace(device.whole, ' Android/1');
  if (!/^Mozilla\/5\.0 \((?:Linux; )?(?:U; )?Android/.test(text) || !text.includes('AppleWebKit')) return text;
  const model = modelOf(text)?.model;
  return model === undefined ? text : text.replace(model, '');
}
