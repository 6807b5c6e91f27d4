/** Finds the bot, tool or library that a User-Agent names. */
import { operators } from '../data/agents.ts';
import { modelOf } from '../device/model.ts';
import { type Bot, tooling } from '../kinds.ts';
import { createAgentFinder } from './agent-names.ts';
import { findCrawler } from './crawlers.ts';

/** Longer than any User-Agent that a product documents; the rest is ignored. */
const maxLength = 1024;

const findOperator = createAgentFinder(operators);

/** `browser` is the name of the browser that the parser found in the User-Agent. */
export function findBot(raw: string, browser: string | null, findAgent = findOperator): Bot | null {
  const text = raw.slice(0, maxLength);
  const unmodeled = withoutModel(text);
  const first = findAgent(text);
  const found = first !== null && tooling.has(first.kind) ? findAgent(unmodeled) : first;
  // In the web view of an app, a library is a part of the app.
  const agent = found?.kind === 'http-library' && browser === 'Chrome WebView' ? null : found;
  if (agent !== null && !tooling.has(agent.kind)) return agent;
  return findCrawler(unmodeled, found === null, browser) ?? agent;
}

/** The model of a phone is free text, in which a word such as `bot` names no bot. */
export function withoutModel(text: string): string {
  if (!/^Mozilla\/5\.0 \((?:Linux; )?(?:U; )?Android/.test(text) || !text.includes('AppleWebKit')) return text;
  const model = modelOf(text)?.model;
  return model === undefined ? text : text.replace(model, '');
}
