/** What a User-Agent says of browser, engine, system, device and kind of client. */
import parser from 'ua-parser-js';
import * as z from 'zod';
import { classify, kinds } from './kind.ts';

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

/** ua-parser-js gives these device types; every other client that names a browser and a system is a desktop. */
const parsedTypes: ReadonlySet<string> = new Set(deviceTypes);

/** Reads the client's account of itself from its request headers (lower-case names); missing parts are null. */
export function userAgent(headers: Readonly<Record<string, string>>): UserAgent {
  const raw = headers['user-agent'] ?? '';
  const { browser, engine, os, device, cpu } = parser(raw);
  const { kind, bot } = classify(raw, browser.name !== undefined);
  const namesType = device.type !== undefined && parsedTypes.has(device.type);
  return {
    raw,
    browser: {
      name: browser.name ?? null,
      version: browser.version ?? null,
      major: browser.version?.split('.')[0] ?? null,
    },
    engine: { name: engine.name ?? null, version: engine.version ?? null },
    os: { name: os.name ?? null, version: os.version ?? null },
    device: {
      type: namesType ? (device.type as UserAgent['device']['type']) : kind === 'browser' ? 'desktop' : 'unknown',
      vendor: device.vendor ?? null,
      model: device.model ?? null,
    },
    cpu: { architecture: cpu.architecture ?? null },
    kind,
    bot,
  };
}
