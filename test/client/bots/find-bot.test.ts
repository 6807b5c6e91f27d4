/** Classification of bots, libraries and browsers; every row of the tables is necessary. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import crawlerUserAgents from 'crawler-user-agents';
import { isbot } from 'isbot';
import { findCrawler, withoutDecoys } from '../../../src/client/bots/crawlers.ts';
import { createAgentFinder, findBot, withoutModel } from '../../../src/client/bots/find-bot.ts';
import { commonUserAgent } from '../../../src/client/common-user-agent.ts';
import { type Operator, operatorOfDomain, operators } from '../../../src/client/data/agents.ts';
import { decoys, deniedPatterns } from '../../../src/client/data/crawler-exceptions.ts';
import { parseUserAgent } from '../../../src/client/user-agent.ts';
import { parseParts } from '../../../src/client/user-agent-parts.ts';
import { corpus, fixtures } from '../fixtures.ts';

const samples = [...fixtures.map(({ raw }) => raw), ...corpus.map(({ headers }) => headers['user-agent'] ?? '')];
const isPlainBrowser = (raw: string): boolean => commonUserAgent(raw) !== null;
const clients = samples.map((raw) => {
  const { browser, os, device } = parseParts(raw);
  return { raw, client: { browser: browser.name, os: os.name, device: device.type }, kind: parseUserAgent(raw).kind };
});

/** The table without one token. */
function without(row: Operator, kind: string, token: string): readonly Operator[] {
  const tokens = Object.entries(row.tokens).map(([k, list]) => [
    k,
    k === kind ? list.filter((t) => t !== token) : list,
  ]);
  return operators.map((other) => (other === row ? { ...row, tokens: Object.fromEntries(tokens) } : other));
}

test('every token of the table of agents is necessary', () => {
  const classified = clients.map(({ raw, client }) => ({ raw, client, result: findBot(raw, client) }));
  for (const row of operators) {
    for (const [kind, tokens] of Object.entries(row.tokens)) {
      for (const token of tokens) {
        const word = token.replace(/^\^|[$*]$/g, '').toLowerCase();
        const concerned = classified.filter(({ raw }) => raw.toLowerCase().includes(word));
        const findWithout = createAgentFinder(without(row, kind, token));
        const needed = concerned.some(
          ({ raw, client, result }) => JSON.stringify(findBot(raw, client, findWithout)) !== JSON.stringify(result),
        );
        assert.ok(needed, `${token} changes nothing`);
      }
    }
  }
});

test('no token is listed twice', () => {
  const tokens = operators.flatMap(({ tokens }) => Object.values(tokens).flat());
  assert.equal(new Set(tokens.map((token) => token.replace(/^\^|[$*]$/g, '').toLowerCase())).size, tokens.length);
});

test('every operator of a domain is one of the table', () => {
  const names = new Set(operators.map(({ operator }) => operator));
  for (const [domain, operator] of operatorOfDomain) {
    assert.ok(names.has(operator), domain);
    assert.equal(parseUserAgent(`FjordBot/1.0 (+https://www.${domain}/bot)`).bot?.operator, operator, domain);
  }
});

test('every exception to crawler-user-agents is necessary', () => {
  for (const denied of deniedPatterns) {
    assert.ok(
      crawlerUserAgents.some(({ pattern }) => pattern === denied),
      `${denied} is not in the list any more`,
    );
    assert.ok(
      clients.some(({ raw, kind }) => kind === 'browser' && new RegExp(denied).test(raw)),
      `${denied} meets no browser`,
    );
  }
});

test('every decoy removed for isbot is necessary', () => {
  for (const decoy of decoys) {
    const others = new RegExp(decoys.filter((other) => other !== decoy).join('|'), 'gi');
    assert.ok(
      clients.some(
        ({ raw }) => isbot(raw.replace(others, '')) && withoutDecoys(raw) !== raw && !isbot(withoutDecoys(raw)),
      ),
      `${decoy} hides nothing`,
    );
  }
});

test('recognizes a plain browser by its whole string', () => {
  const phone = 'Mozilla/5.0 (Linux; Android 11; moto g power (2022)) AppleWebKit/537.36 (KHTML, like Gecko)';
  assert.ok(isPlainBrowser(`${phone} Chrome/137.0.0.0 Mobile Safari/537.36`));
  for (const rest of [
    'Chrome/137.0.0.0 Safari/537.36 PTST/1',
    'PTST/1 (x) Chrome/137.0.0.0',
    'Chrome/137.0.0.0 (x)',
    '',
  ]) {
    assert.ok(!isPlainBrowser(`${phone} ${rest}`), rest);
  }
  assert.ok(
    !isPlainBrowser('Mozilla/5.0 (Linux; Android 11; K) PTST/1 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36'),
  );
});

test('the lists find no bot in a plain browser', () => {
  const agent = createAgentFinder(operators);
  const plain = clients.filter(({ raw }) => isPlainBrowser(raw));
  assert.ok(plain.length >= 40);
  for (const { raw, client } of plain) {
    assert.equal(agent(withoutModel(raw)), null, raw);
    assert.equal(findCrawler(withoutModel(raw), true, client), null, raw);
  }
});

test('removes the model only from the User-Agent of a browser on Android', () => {
  const browser = ' AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 Mobile Safari/537.36';
  assert.doesNotMatch(withoutModel(`Mozilla/5.0 (Linux; Android 10; Some Bot 3)${browser}`), /Some Bot/);
  for (const raw of [
    'Mozilla/5.0 (Linux; Android 10; Some Bot 3) Gecko/1 Firefox/1',
    `Mozilla/5.0 (X11; Linux x86_64; Some Bot 3)${browser}`,
  ])
    assert.equal(withoutModel(raw), raw);
});

test('recognizes every example of crawler-user-agents', () => {
  const missed = crawlerUserAgents
    .filter(({ pattern }) => !deniedPatterns.includes(pattern))
    .flatMap(({ instances }) => instances)
    .filter((raw) => parseUserAgent(raw).bot === null);
  assert.deepEqual(missed, []);
});

test('prefers the requester to its software, and a request for a person to a crawl', () => {
  const cases = [
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/141.0.0.0 Safari/537.36 PTST/250930',
      'PTST',
      'monitoring',
    ],
    ['Go-http-client/1.1 (+centurybot)', 'centurybot', 'bot'],
    [
      'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
      'LinkedInBot',
      'social-preview',
    ],
    ['GPTBot/1.3 ChatGPT-User/1.0', 'ChatGPT-User', 'ai-assistant'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1) GPTBot/1.3', 'GPTBot', 'ai-crawler'],
    ['GPTBOT/1.3', 'GPTBot', 'ai-crawler'],
    ['SomeNewBot/1.0 (+https://example.com/bot)', 'SomeNewBot', 'bot'],
    ['Mozilla/5.0 (compatible; SomeCheck/2.1; +http://check.example)', 'SomeCheck', 'bot'],
    [
      'Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 (+http://some.example/about)',
      'unnamed bot',
      'bot',
    ],
    ['Mozilla/5.0', undefined, undefined],
  ];
  for (const [raw = '', name, kind] of cases) {
    const { bot } = parseUserAgent(raw);
    assert.deepEqual([bot?.name, bot?.kind], [name, kind], raw);
  }
});

test('matches agents only as whole words', () => {
  const chrome =
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Mobile Safari/537.36';
  for (const word of ['Lightpandas/1', 'MyWhatsApp/2', 'Snode', 'Xgit/1', 'Bravery/1']) {
    assert.equal(createAgentFinder(operators)(`${chrome} ${word}`), null, word);
  }
});
