/** Kinds of clients, and the bot that a client names. */

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
