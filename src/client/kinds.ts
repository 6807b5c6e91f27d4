/** Kinds of clients and devices, and the bot that a client names. */

/** In order of precedence if a User-Agent names several: the requester precedes its software, a request for a person precedes a crawl. */
export const kinds = [
  'browser',
  'ai-assistant',
  'ai-crawler',
  'search-crawler',
  'social-preview',
  'monitoring',
  'bot',
  'headless-browser',
  'cli',
  'http-library',
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
