/** The agent that a `Signature-Agent` header claims. The signature is not verified here, so the name states "claimed". */
import type { Bot } from '../kinds.ts';

/**
 * Hosts of key directories and their operators, from https://help.openai.com/en/articles/11845367-chatgpt-agent-allowlisting,
 * https://developers.google.com/search/docs/crawling-indexing/google-user-triggered-fetchers, https://www.hyperbrowser.ai/docs/sessions/web-bot-auth
 * and https://help.shopify.com (crawler access, by which merchants' tools sign). Last updated: 2026-11-21.
 */
const signers: ReadonlyMap<string, Bot> = new Map([
  ['chatgpt.com', { name: 'ChatGPT agent', kind: 'ai-assistant', operator: 'OpenAI' }],
  ['agent.bot.goog', { name: 'Google-Agent', kind: 'ai-assistant', operator: 'Google' }],
  ['www.hyperbrowser.ai', { name: 'Hyperbrowser', kind: 'ai-assistant', operator: 'Hyperbrowser' }],
  ['shopify.com', { name: 'Shopify crawler access', kind: 'bot', operator: 'Shopify' }],
]);

/** The first URL of the value: a quoted string, since draft 03 a dictionary of them, or without quotes. */
const directory = /^(?:[^"]*=)?"?https:\/\/([a-z0-9.-]{1,253})(?=[:/";,]|$)/i;

/** Returns what a `Signature-Agent` header claims. An unknown host may be any kind of bot. */
export function claimedAgent(field = ''): Bot | null {
  const host = directory.exec(field.slice(0, maxLength))?.[1]?.toLowerCase();
  if (host === undefined) return null;
  const signer = signers.get(host) ?? { name: host, kind: 'bot', operator: null };
  return { ...signer, name: `${signer.name} (claimed by Signature-Agent)` };
}

/** Longer than any URL with its host. */
const maxLength = 1024;
