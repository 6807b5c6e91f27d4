/** The shape of what a User-Agent says. */
import * as z from 'zod';
import { kinds } from './kinds.ts';

const deviceTypes = [
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
