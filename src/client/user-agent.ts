/** What a User-Agent says of browser, engine, system, device and kind of client. */
import * as z from 'zod';
import { clientHints } from './client-hints.ts';
import { frozenUserAgent } from './frozen-user-agent.ts';
import { hinted } from './hinted-user-agent.ts';
import { classify, type Kind, kinds } from './kind.ts';
import { namedByUapCore, parts } from './parts.ts';
import { isPlainBrowser } from './plain-browser.ts';
import { claimedAgent } from './signature-agent.ts';

export const deviceTypes = [
  'desktop',
  'mobile',
  'tablet',
  'smarttv',
  'console',
  'wearable',
  'xr',
  'embedded',
  'unknown',
] as const;

const text = z.string().nullable();

export const UserAgent = z
  .object({
    raw: z.string().describe('The User-Agent header as sent; empty when there was none'),
    browser: z.object({ name: text, version: text, major: text }),
    engine: z.object({ name: text, version: text }),
    os: z.object({ name: text, version: text }),
    device: z.object({ type: z.enum(deviceTypes), vendor: text, model: text }),
    cpu: z.object({ architecture: text }),
    kind: z.enum(kinds),
    bot: z
      .object({
        name: z.string(),
        kind: z.enum(kinds).exclude(['browser', 'unknown']),
        operator: text.describe('Who runs it; null when nobody says'),
      })
      .nullable()
      .describe('null for browsers and for the unknown'),
  })
  .meta({ id: 'UserAgent', description: 'Who is calling, by its own account' });
export type UserAgent = z.infer<typeof UserAgent>;

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
