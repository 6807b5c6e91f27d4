/** The agent that a `Signature-Agent` header claims. The signature is not verified here, so the name states "claimed". */
import { parseDictionary, parseItem } from 'structured-headers';
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

/** The value is a quoted string, or since draft 03 a dictionary of them. An unknown host may be any kind of bot. */
export function claimedAgent(field: string | undefined): Bot | null {
  const host = field === undefined || field.length > 1024 ? null : hostOf(urls(field));
  if (host === null) return null;
  const signer = signers.get(host) ?? { name: host, kind: 'bot', operator: null };
  return { ...signer, name: `${signer.name} (claimed by Signature-Agent)` };
}

function urls(field: string): readonly unknown[] {
  for (const parse of [() => [parseItem(field)], () => [...parseDictionary(field).values()]]) {
    try {
      // Without quotes a URL is a token, not a string.
      return [...parse().map(([value]) => value), field];
    } catch {}
  }
  return [field];
}

function hostOf(values: readonly unknown[]): string | null {
  for (const value of values) {
    const host = typeof value === 'string' ? /^https:\/\/([a-z0-9.-]{1,253})(?:[:/]|$)/i.exec(value)?.[1] : undefined;
    if (host !== undefined) return host.toLowerCase();
  }
  return null;
}
