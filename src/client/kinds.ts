/** Kinds of clients and devices, and the bot that a client names. */

export const kinds = [
  'browser',
  'search-crawler',
  'ai-crawler',
  'ai-assistant',
  'social-preview',
  'http-library',
  'cli',
  'headless-browser',
  'monitoring',
  'bot',
  'unknown',
] as const;
export type Kind = (typeof kinds)[number];
export type BotKind = Exclude<Kind, 'browser' | 'unknown'>;
export type Bot = { name: string; kind: BotKind; operator: string | null };

/** Kinds that name the client's software, not its operator: another bot may be named beside them. */
export const tooling: ReadonlySet<Kind> = new Set<Kind>(['headless-browser', 'cli', 'http-library']);

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
