/** Browser, engine, OS, device and kind of a client, from its request headers, and whether the version of the OS is frozen. */
import { blankComparisons } from './bots/comparisons.ts';
import { findBot } from './bots/find-bot.ts';
import { browserOf, nameByUapCore } from './browser-name.ts';
import { clientHints, hintedOs, mergeHints } from './client-hints.ts';
import { commonUserAgent } from './common-user-agent.ts';
import { signers } from './data/agents.ts';
import { frozenVersions } from './data/stated-names.ts';
import { engineOfBrowser } from './engine.ts';
import { type Bot, tooling } from './kinds.ts';
import { maxLength, parseParts } from './user-agent-parts.ts';
import type { UserAgent } from './user-agent-schema.ts';

/**
 * Reads the User-Agent, Client Hints and Signature-Agent of a request (lower-case header names). Missing values are null.
 */
export function userAgent(headers: Readonly<Record<string, string>>): UserAgent {
  const client = mergeHints(parseUserAgent(headers['user-agent'] ?? ''), clientHints(headers));
  const claimed = claimedAgent(headers['signature-agent']);
  // A claim replaces only software that bots are built with, never a bot that names itself.
  const isAnonymous = client.bot === null || tooling.has(client.bot.kind);
  return claimed !== null && isAnonymous ? { ...client, kind: claimed.kind, bot: claimed } : client;
}

/** Parses a User-Agent alone, of any length and content. */
export const parseUserAgent = (raw: string): UserAgent => commonUserAgent(raw) ?? parseInFull(raw);

/** Parses a User-Agent that a person or a model gave: alone, or as the line of a header. */
export const parseGivenUserAgent = (given: string): UserAgent =>
  parseUserAgent(given.replace(/^\s*user-agent\s*:\s*/i, ''));

/** Parses any User-Agent without the shortcut for common ones. */
export function parseInFull(raw: string): UserAgent {
  const { browser, engine, os, device, cpu } = parseParts(raw);
  const text = raw.slice(0, maxLength);
  const bot = findBot(raw, { browser: browser.name, os: os.name, device: device.type });
  const found =
    bot !== null
      ? browserOfBot(browser, bot, raw)
      : nameByUapCore(browser, browser.name === null ? blankComparisons(text) : text);
  // Trust a name from uap-core only on a device that is named or after `Mozilla/`; otherwise it may be an app.
  const isBrowser =
    browser.name !== null || (found.name !== null && (device.type !== null || raw.startsWith('Mozilla/')));
  const kind = bot?.kind ?? (isBrowser ? 'browser' : 'unknown');
  return {
    raw,
    browser: found,
    engine: kind === 'browser' ? engineOfBrowser(engine, text) : engine,
    os,
    device: {
      ...device,
      type: device.type ?? (kind === 'browser' || statesComputer(kind, os.name) ? 'desktop' : 'unknown'),
    },
    cpu,
    kind,
    bot,
  };
}

/** An app states the system of the computer that it runs on; a library may run on a server. */
const statesComputer = (kind: UserAgent['kind'], system: string | null): boolean =>
  kind === 'unknown' && (system === 'Mac OS' || system === 'Windows');

/**
 * The parser mistakes a lone engine for the browser, or a word of a tool's name; a bot that states one names no browser. Some tools are browsers in
 * a terminal.
 */
function browserOfBot(browser: UserAgent['browser'], { name, kind }: Bot, raw: string): UserAgent['browser'] {
  const isTool = tooling.has(kind) && !raw.startsWith('Mozilla/') && browser.name?.toLowerCase() !== name.toLowerCase();
  return isTool || browser.name === 'WebKit' || browser.name === 'Mozilla' ? browserOf(null, null) : browser;
}

/**
 * Reads the headers of a request (lower-case names); null if its User-Agent states no frozen version. `meaning` is what the version may be
 * in fact, `hinted` the name and version from Client Hints: null if the request has no hint of the version of this system.
 */
export function frozenOs(headers: Readonly<Record<string, string>>) {
  const text = (headers['user-agent'] ?? '').slice(0, maxLength);
  const row = frozenVersions.find(([token]) => token.test(text));
  if (row === undefined) return null;
  const [, read, stated, meaning] = row;
  const agent = parseUserAgent(text);
  // Consoles and others state the OS of a computer besides their own.
  if (!`${agent.os.name} ${agent.os.version}`.startsWith(read)) return null;
  const hinted = hintedOs(agent, clientHints(headers));
  return { stated, meaning, hinted: hinted && `${hinted.name} ${hinted.version}` };
}

/** The name of a member of a dictionary (RFC 8941). */
const memberName = '[a-z*][a-z0-9_.*-]*=';
const otherMember = `${memberName}"(?!https:)[^"]*"[^",]*,[ \\t]*`;

/** A quoted string, or a URL without quotes; since draft 03 a dictionary of quoted strings, of which the first HTTPS URL counts. */
const directory = new RegExp(
  `^(?:(?:${otherMember})*${memberName}(?="))?"?https://([a-z0-9.-]{1,253})(?=[:/";,]|$)`,
  'i',
);

/** Longer than any URL. */
const maxSignerLength = 1024;

/**
 * Returns what a `Signature-Agent` header claims. An unknown host may be any kind of bot. The signature is not verified here, so the name
 * states "claimed".
 */
function claimedAgent(field = ''): Bot | null {
  const host = field.length > maxSignerLength ? undefined : directory.exec(field)?.[1]?.toLowerCase();
  if (host === undefined) return null;
  const signer = signers.get(host) ?? { name: host, kind: 'bot', operator: null };
  return { ...signer, name: `${signer.name} (claimed by Signature-Agent)` };
}
