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

/** Of a member of a dictionary (RFC 8941). */
const key = '[a-z*][a-z0-9_.*-]*=';
const otherMember = `${key}"(?!https:)[^"]*"[^",]*,[ \\t]*`;

/** A quoted string, or a URL without quotes; since draft 03 a dictionary of quoted strings, of which the first HTTPS URL counts. */
const directory = new RegExp(`^(?:(?:${otherMember})*${key}(?="))?"?https://([a-z0-9.-]{1,253})(?=[:/";,]|$)`, 'i');

/** Longer than any URL with its host. */
const maxLength = 1024;

/** Returns what a `Signature-Agent` header claims. An unknown host may be any kind of bot. */
export function claimedAgent(field = ''): Bot | null {
  const host = field.length > maxLength ? undefined : directory.exec(field)?.[1]?.toLowerCase();
  if (host === undefined) return null;
  const signer = signers.get(host) ?? { name: host, kind: 'bot', operator: null };
  return { ...signer, name: `${signer.name} (claimed by Signature-Agent)` };
}
