/** Compares the kinds and operators of bots with three public lists; each deviation is listed here with its reason. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { isbot } from 'isbot';
import { deniedPatterns } from '../../../src/client/data/crawler-exceptions.ts';
import type { Kind } from '../../../src/client/kinds.ts';
import { parseUserAgent } from '../../../src/client/user-agent.ts';

interface Listed {
  readonly pattern: string;
  readonly tags?: readonly string[];
  readonly instances?: readonly string[];
}
const crawlers: readonly Listed[] = createRequire(import.meta.url)('crawler-user-agents');

/** The first of these tags of crawler-user-agents decides. */
const kindOfTag: Readonly<Record<string, Kind>> = {
  'ai-crawler': 'ai-crawler',
  'search-engine': 'search-crawler',
  'social-preview': 'social-preview',
  monitoring: 'monitoring',
  'browser-automation': 'headless-browser',
  'http-library': 'http-library',
};

/** Patterns of crawler-user-agents that we sort otherwise, by our kind. */
const sortedOtherwise: Partial<Record<Kind, readonly string[]>> = {
  // They fetch a page because a person asked for it.
  'ai-assistant': [
    ...['ChatGPT-User', 'meta-externalfetcher\\/', 'Claude-User', 'Gemini-Deep-Research', 'Perplexity-User'],
    ...['PerplexityUser', 'DuckAssistBot', 'MistralAI-User', 'Amazon-Bedrock-AgentCore-Browser', 'AmazonBuyForMe'],
    ...['Amzn-User', 'Anchor Browser', 'bigsur\\.ai', 'Google-Agent', 'Google-Gemini-CLI', 'Google-NotebookLM'],
    ...['GoogleAgent-Mariner', 'kagi-fetcher', 'Manus-User', 'opencode-smartfetch', 'Poggio-Citations', 'TwinAgent'],
    ...['Devin', 'LinerBot\\/'],
  ],
  // Their operators say that they collect data for AI.
  'ai-crawler': [
    ...['GoogleOther', 'Linguee Bot', 'aiHitBot', 'AddSearchBot', 'Amazonbot', 'YouBot', 'ImagesiftBot', 'Timpibot'],
    ...['meta-webindexer', 'BuddyBot', 'PanguBot'],
  ],
  // People type these commands.
  cli: ['HTTrack', '^curl', '^HTTPie\\/'],
  // They neither build a search engine, nor watch a site, nor show a preview.
  bot: [
    ...[
      'APIs-Google',
      'W3C_Validator',
      'Google-Site-Verification',
      'Google-Read-Aloud',
      'Google-Safety',
      'GoogleProducer',
    ],
    ...['CloudflareRadarURLScanner', 'Cloudflare-Custom-Error-Page-Crawler'],
    ...['Meta-ExternalHit\\/', 'TwilioProxy\\/'],
  ],
};

const kindsOf = ({ instances = [] }: Listed) => new Set(instances.map((raw) => parseUserAgent(raw).kind));
const isPerson = (raw: string): boolean => ['browser', 'unknown'].includes(parseUserAgent(raw).kind);

test('sorts the bots of crawler-user-agents by its tags, but for the reviewed ones', () => {
  const reviewed = Object.entries(sortedOtherwise).flatMap(([kind, patterns]) =>
    patterns.map((pattern) => `${pattern} ${kind}`),
  );
  const found = crawlers
    .filter(({ pattern, instances = [] }) => instances.length > 0 && !deniedPatterns.includes(pattern))
    .flatMap((listed) => {
      const [, kind] = Object.entries(kindOfTag).find(([tag]) => listed.tags?.includes(tag)) ?? [];
      const ours = kindsOf(listed);
      return kind === undefined || ours.has(kind) ? [] : [`${listed.pattern} ${[...ours].join()}`];
    });
  assert.deepEqual(found.sort(), reviewed.sort());
});

test('takes no string of crawler-user-agents that isbot knows for a person, but for browsers and apps', () => {
  const people = crawlers
    .filter(({ pattern }) => !deniedPatterns.includes(pattern))
    .flatMap(({ instances = [] }) => instances.filter((raw) => isbot(raw) && isPerson(raw)));
  assert.deepEqual(people, []);
});

const aiNames = readFileSync(new URL('ai-names.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t') as [name: string, operator: string]);

/** Names of ai.robots.txt that are not AI crawlers or assistants for us, and why. */
const notOnlyAi: Readonly<Record<string, string>> = {
  Applebot: 'builds a search engine; Applebot-Extended is the name for AI',
  Awario: 'watches what is said about brands',
  Bravebot: 'builds a search engine',
  Code: 'the editor Visual Studio Code, which people use as a browser',
  ExaBot: 'an old search engine of Dassault Systèmes; ExaSearchBot is the one for AI',
  facebookexternalhit: 'shows a preview of a shared link',
  FriendlyCrawler: 'its operator is unknown',
  'Google-Firebase': 'apps of Firebase, for AI and other purposes',
  IbouBot: 'builds a search engine',
  MyCentralAIScraperBot: 'its operator and purpose are unknown',
  OpenAI: 'the name of a library',
  Operator: 'a common word; OpenAI’s agent sends the string of Chrome',
  PetalBot: 'builds a search engine',
  Scrapy: 'a library that anyone may use',
  'SemrushBot-OCOB': 'an SEO tool',
  'SemrushBot-SWA': 'an SEO tool',
  Spider: 'a common word',
  Trae: 'an editor, which people use as a browser',
};

test('takes the names of ai.robots.txt for AI, but for the reviewed ones', () => {
  const others = aiNames.map(([name]) => name).filter((name) => !parseUserAgent(`${name}/1.0`).kind.startsWith('ai-'));
  assert.deepEqual(others.sort(), Object.keys(notOnlyAi).sort());
});

test('knows the operators of the names of ai.robots.txt', () => {
  for (const [name, operator] of aiNames)
    assert.equal(parseUserAgent(`${name}/1.0`).bot?.operator ?? '-', operator, name);
  assert.ok(aiNames.filter(([, operator]) => operator !== '-').length >= 130);
});
