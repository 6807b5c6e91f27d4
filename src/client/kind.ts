/** What kind of client a User-Agent belongs to, and which bot it names. */
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

/** Token in the User-Agent, kind, operator; the first that matches decides, so the specific stand before the general. */
const agents: readonly (readonly [token: string, kind: BotKind, operator: string | null])[] = [
  ['ChatGPT-User', 'ai-assistant', 'OpenAI'],
  ['Claude-User', 'ai-assistant', 'Anthropic'],
  ['Perplexity-User', 'ai-assistant', 'Perplexity'],
  ['GPTBot', 'ai-crawler', 'OpenAI'],
  ['OAI-SearchBot', 'ai-crawler', 'OpenAI'],
  ['ClaudeBot', 'ai-crawler', 'Anthropic'],
  ['PerplexityBot', 'ai-crawler', 'Perplexity'],
  ['CCBot', 'ai-crawler', 'Common Crawl'],
  ['Bytespider', 'ai-crawler', 'ByteDance'],
  ['Googlebot', 'search-crawler', 'Google'],
  ['bingbot', 'search-crawler', 'Microsoft'],
  ['YandexBot', 'search-crawler', 'Yandex'],
  ['Baiduspider', 'search-crawler', 'Baidu'],
  ['DuckDuckBot', 'search-crawler', 'DuckDuckGo'],
  ['Applebot', 'search-crawler', 'Apple'],
  ['facebookexternalhit', 'social-preview', 'Meta'],
  ['Twitterbot', 'social-preview', 'X'],
  ['Slackbot', 'social-preview', 'Slack'],
  ['Discordbot', 'social-preview', 'Discord'],
  ['UptimeRobot', 'monitoring', 'UptimeRobot'],
  ['Pingdom', 'monitoring', 'SolarWinds'],
  ['kube-probe', 'monitoring', 'Kubernetes'],
  ['HeadlessChrome', 'headless-browser', null],
  ['PhantomJS', 'headless-browser', null],
  ['python-requests', 'http-library', null],
  ['Go-http-client', 'http-library', null],
  ['okhttp', 'http-library', null],
  ['axios', 'http-library', null],
  ['undici', 'http-library', null],
  ['curl/', 'cli', null],
  ['Wget/', 'cli', null],
  ['HTTPie/', 'cli', null],
];

/** Sorts one User-Agent; `namesBrowser` is whether the parser found a browser in it. */
export function classify(raw: string, namesBrowser: boolean): { kind: Kind; bot: Bot | null } {
  const agent = agents.find(([token]) => raw.includes(token));
  if (agent) {
    const [token, kind, operator] = agent;
    return { kind, bot: { name: token.replace(/\/$/, ''), kind, operator } };
  }
  return { kind: namesBrowser ? 'browser' : 'unknown', bot: null };
}
