/** The agent that a `Signature-Agent` header claims. */
import { signers } from '../data/agents.ts';
import type { Bot } from '../kinds.ts';

/** The name of a member of a dictionary (RFC 8941). */
const key = '[a-z*][a-z0-9_.*-]*=';
const otherMember = `${key}"(?!https:)[^"]*"[^",]*,[ \\t]*`;

/** A quoted string, or a URL without quotes; since draft 03 a dictionary of quoted strings, of which the first HTTPS URL counts. */
const directory = new RegExp(`^(?:(?:${otherMember})*${key}(?="))?"?https://([a-z0-9.-]{1,253})(?=[:/";,]|$)`, 'i');

/** Longer than any URL. */
const maxLength = 1024;

/**
 * Returns what a `Signature-Agent` header claims. An unknown host may be any kind of bot. The signature is not verified here, so the name
 * states "claimed".
 */
export function claimedAgent(field = ''): Bot | null {
  const host = field.length > maxLength ? undefined : directory.exec(field)?.[1]?.toLowerCase();
  if (host === undefined) return null;
  const signer = signers.get(host) ?? { name: host, kind: 'bot', operator: null };
  return { ...signer, name: `${signer.name} (claimed by Signature-Agent)` };
}
