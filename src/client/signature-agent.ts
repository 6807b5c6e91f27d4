/** The agent that a `Signature-Agent` header claims: nobody has checked the signature here, so the name says "claimed". */
import { parseDictionary, parseItem } from 'structured-headers';
import type { Bot } from './kinds.ts';

/**
 * Hosts of key directories, and who signs with them (https://datatracker.ietf.org/doc/draft-meunier-http-message-signatures-directory/).
 * Last updated: 2026-11-21.
 */
const signers: ReadonlyMap<string, Bot> = new Map([
  ['chatgpt.com', { name: 'ChatGPT agent', kind: 'ai-assistant', operator: 'OpenAI' }],
]);

/** The value is a string in quotes, or since draft 03 a dictionary of them; an unknown host may be any kind of bot. */
export function claimedAgent(field: string | undefined): Bot | null {
  const host = field === undefined || field.length > 1024 ? null : hostOf(urls(field));
  if (host === null) return null;
  const signer = signers.get(host) ?? { name: host, kind: 'bot', operator: null };
  return { ...signer, name: `${signer.name} (claimed by Signature-Agent)` };
}

function urls(field: string): readonly unknown[] {
  for (const parse of [() => [parseItem(field)], () => [...parseDictionary(field).values()]]) {
    try {
      // Without quotes an address is a token, not a string.
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
