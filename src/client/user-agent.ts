/** What a User-Agent says of browser, engine, system, device and kind of client. */
import { clientHints } from './client-hints.ts';
import { frozenUserAgent } from './frozen-user-agent.ts';
import { hinted } from './hinted-user-agent.ts';
import { classify } from './kind.ts';
import type { Kind } from './kinds.ts';
import { namedByUapCore, parts } from './parts.ts';
import { isPlainBrowser } from './plain-browser.ts';
import { claimedAgent } from './signature-agent.ts';
import type { UserAgent } from './user-agent-schema.ts';

/**
 * Reads the client's account of itself from its request headers (lower-case names): the User-Agent, Client Hints, and the agent that
 * Signature-Agent claims. Missing parts are null.
 */
export function userAgent(headers: Readonly<Record<string, string>>): UserAgent {
  const said = parseUserAgent(headers['user-agent'] ?? '');
  const client = hinted(said, clientHints(headers));
  const claimed = claimedAgent(headers['signature-agent']);
  // A bot that names itself is not renamed, the tool that it is built with is.
  const anonymous = client.bot === null || builtWith.has(client.bot.kind);
  return claimed !== null && anonymous ? { ...client, kind: claimed.kind, bot: claimed } : client;
}

const builtWith: ReadonlySet<Kind> = new Set(['headless-browser', 'http-library', 'cli']);

/** Takes a User-Agent apart by itself, whatever its length and content. */
export function parseUserAgent(raw: string): UserAgent {
  return frozenUserAgent(raw) ?? parseInFull(raw);
}

/** The long way, which every User-Agent may take. */
export function parseInFull(raw: string): UserAgent {
  const { browser, engine, os, device, cpu } = parts(raw);
  const { kind: sorted, bot } = classify(raw, browser.name);
  const named = bot !== null || isPlainBrowser(raw) ? browser : namedByUapCore(browser, raw);
  // A phone or a Mozilla with a name is a browser; any other word with a number may be an app.
  const kind =
    sorted === 'unknown' && named.name !== null && (device.type !== null || raw.startsWith('Mozilla/'))
      ? 'browser'
      : sorted;
  return {
    raw,
    browser: named,
    engine,
    os,
    device: { ...device, type: device.type ?? (kind === 'browser' ? 'desktop' : 'unknown') },
    cpu,
    kind,
    bot,
  };
}
