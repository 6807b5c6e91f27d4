/** Classes of clients, each by a generator: what decides a class holds for any name, also for one that no table has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { tooling } from '../../src/client/kinds.ts';
import { parseUserAgent } from '../../src/client/user-agent.ts';
import type { UserAgent } from '../../src/client/user-agent-schema.ts';

const seed = Number(process.env.SEENBY_FUZZ_SEED ?? 62);
const each = 400;

const from = (...values: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...values);
const number = fc.integer({ min: 1, max: 60 }).map(String);
const version = fc.tuple(number, number, fc.nat(9)).map((parts) => parts.join('.'));

/** Joins the pieces of a template and their values. */
const text = (pieces: TemplateStringsArray, ...values: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...values).map((chosen) => String.raw({ raw: pieces }, ...chosen));

/** Checks `each` strings of a class, and what holds for every client: versions have a digit, names are trimmed and not empty. */
function checkClass<Value>(
  values: fc.Arbitrary<Value>,
  rawOf: (value: Value) => string,
  isRight: (found: UserAgent, value: Value) => boolean,
) {
  const drawn = fc.sample(values, { seed, numRuns: each });
  assert.ok(new Set(drawn.map(rawOf)).size >= 200, 'too few strings');
  const wrong = drawn.filter((value) => {
    const found = parseUserAgent(rawOf(value));
    return !isRight(found, value) || !isWellFormed(found);
  });
  const examples = wrong.slice(0, 10).map((value) => {
    const { browser, os, device, kind, bot } = parseUserAgent(rawOf(value));
    return `${rawOf(value)}\n   ${JSON.stringify({ kind, bot, browser, os, device })}`;
  });
  assert.equal(wrong.length, 0, `seed ${seed}: ${wrong.length} of ${each}\n${examples.join('\n')}`);
}

const wordVersion = /^(?:CE|ME|NT|XP|Vista|Switch|WiiU?|One|Series [SX])$/;

function isWellFormed({ browser, engine, os, device }: UserAgent): boolean {
  const versions = [browser.version, engine.version, os.version];
  const names = [browser.name, os.name, device.vendor, device.model];
  return (
    versions.every((value) => value === null || /\d/.test(value) || wordVersion.test(value)) &&
    names.every((value) => value === null || (value !== '' && value === value.trim()))
  );
}

const isPerson = ({ kind, bot }: UserAgent): boolean => bot === null && (kind === 'browser' || kind === 'unknown');

/** Words that name bots, their operators or what bots do, and others. */
const appWord = from(
  ...[
    'Google',
    'Yandex',
    'Bing',
    'Baidu',
    'Facebook',
    'Grok',
    'Cloud',
    'Apple',
    'Amazon',
    'Feed',
    'News',
    'Scan',
    'Search',
    'Proxy',
  ],
  ...[
    'Radar',
    'Monitor',
    'Archive',
    'Download',
    'Fetch',
    'Insight',
    'Discovery',
    'Check',
    'Spider',
    'Bot',
    'Link',
    'Weather',
    'Recipe',
  ],
  ...['Fjord', 'Maple', 'Trolley', 'Quiz'],
);
const appEnd = from(
  'App',
  'Go',
  'Lite',
  'Kids',
  'Maps',
  'Battle',
  'Solitaire',
  'Diary',
  'Wallet',
  'Duo',
  'Photos',
  'Home',
);
const appName = fc.oneof(text`${appWord}${appEnd}`, text`${appWord} ${appEnd}`, text`${appWord}-${appEnd}`);
const packageName = text`com.${appWord.map((word) => word.toLowerCase())}.${from('android', 'app', 'ios', 'mobile', 'tv')}.${appEnd.map((word) => word.toLowerCase())}`;

const model = from(
  'SM-S931B',
  'Pixel 9 Pro',
  'CPH2449',
  'moto g(30)',
  'Redmi Note 8 Pro',
  'XQ-DQ72',
  'V2403A',
  'RMX2020',
  'SM-T870',
);
const androidVersion = from('9', '11', '12', '13', '14', '15', '16', '8.1.0');
const locale = from('en_US', 'de_DE', 'pt-BR', 'ja_JP', 'zh-Hans-CN', 'fr');
const build = from('AP3A.241005.015', 'UP1A.231005.007', 'TQ1A.221205.011', 'RKQ1.211119.001');
const iosVersion = from('15.8.3', '17.6.1', '18.1', '26.0.1');
const iosUnderscored = iosVersion.map((value) => value.replaceAll('.', '_'));
const iosDevice = from('iPhone15,2', 'iPhone17,1', 'iPad14,3');

interface AppCase {
  readonly raw: string;
  readonly os: string;
  readonly version: string;
}

const androidApp = fc
  .tuple(fc.oneof(appName, packageName), version, androidVersion, model, locale, build, fc.nat(5))
  .map(([name, product, system, device, language, id, form]): AppCase => {
    const comments = [
      `(Linux; U; Android ${system}; ${language}; ${device}; Build/${id}; Cronet/130.0.6723.58)`,
      `(Linux; U; Android ${system}; ${language}; ${device}; Build/${id})`,
      `(Linux; Android ${system}; ${device})`,
      `(Android ${system}; ${device})`,
      `(Android ${system}; ${device} Build/${id})`,
      `(${device}; Android ${system})`,
    ];
    return { raw: `${name}/${product} ${comments[form]}`, os: 'Android', version: system };
  });

const iosApp = fc
  .tuple(fc.oneof(appName, packageName), version, iosVersion, iosDevice, locale, fc.nat(5))
  .map(([name, product, system, device, language, form]): AppCase => {
    const underscored = system.replaceAll('.', '_');
    const family = device.replace(/\d.*/, '');
    const comments = [
      `(${family}; iOS ${system}; Scale/3.00)`,
      `(${device}; iOS ${system}; ${language})`,
      `(${device}; U; CPU iOS ${underscored} like Mac OS X; ${language})`,
      `(${device}; U; CPU iPadOS ${underscored} like Mac OS X; ${language})`,
      `iOS/${system} (${device})`,
      `${family}/${system} hw/${device.replace(',', '_')}`,
    ];
    return { raw: `${name}/${product} ${comments[form]}`, os: 'iOS', version: system };
  });

for (const [name, values] of Object.entries({ Android: androidApp, iOS: iosApp })) {
  test(`an app of ${name} is of a person, and states its system`, () => {
    checkClass(
      values,
      ({ raw }) => raw,
      (found, { os, version: system }) => isPerson(found) && found.os.name === os && found.os.version === system,
    );
  });
}

test('an app of a television or player is of a person', () => {
  const television = from(
    ...[
      '(Linux; Android 12; BRAVIA 4K UR2)',
      '(Linux; U; Android 11; en_US; AFTKA; Build/RS8130)',
      '(Apple TV; tvOS 18.1; Scale/2.00)',
    ],
    ...[
      '(AppleTV11,1; tvOS 18.1)',
      '(Linux; Android 14; Google TV Streamer)',
      '(SMART-TV; Linux; Tizen 7.0)',
      '(Web0S; Linux/SmartTV)',
    ],
    ...[
      '(Roku/DVP-14.0)',
      '(PlayStation 5)',
      '(Apple Watch; watchOS 11.1; Scale/2.00)',
      '(Linux; Android 11; SHIELD Android TV)',
    ],
  );
  checkClass(text`${appName}/${version} ${television}`, (raw) => raw, isPerson);
});

const webView = fc.oneof(
  text`Mozilla/5.0 (Linux; Android ${androidVersion}; ${model} Build/${build}; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.6723.58 Mobile Safari/537.36`,
  text`Mozilla/5.0 (iPhone; CPU iPhone OS ${iosUnderscored} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148`,
  text`Mozilla/5.0 (iPad; CPU OS ${iosUnderscored} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1`,
);

test('a web view with the name of a company that also has a bot is a browser', () => {
  const company = from(
    ...[
      'Grok',
      'Cloudflare',
      'Yandex',
      'Feedly',
      'Awario',
      'Codex',
      'Perplexity',
      'Kagi',
      'Ahrefs',
      'Semrush',
      'HubSpot',
      'Goodreads',
      'Klaviyo',
    ],
    ...[
      'Asana',
      'Zapier',
      'MailChimp',
      'Devin',
      'Pinterest',
      'DeepSeek',
      'Instapaper',
      'Blackboard',
      'Podimo',
      'Acme',
      'Tumblr',
      'Mistral',
    ],
  );
  checkClass(
    text`${webView} ${fc.oneof(text`${company}App`, text`${company}`, text`${company}Mobile`)}/${version}`,
    (raw) => raw,
    ({ kind, bot }) => kind === 'browser' && bot === null,
  );
});

const desktopSystem = from('Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7', 'X11; Linux x86_64');

test('a desktop app on Electron is a browser with the name of the app, that of an assistant too', () => {
  const assistant = from(
    'Codex',
    'Claude',
    'ChatGPT',
    'Perplexity',
    'Grok',
    'DeepSeek',
    'Kimi',
    'opencode',
    'Devin',
    'LM-Studio',
    'Jan',
    'Manus',
    'Feedly',
    'Slackbot',
  );
  const cases = fc.tuple(assistant, text`${version}`, desktopSystem).map(([name, product, system]) => ({
    name,
    raw: `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${name}/${product} Chrome/140.0.7339.41 Electron/38.1.0 Safari/537.36`,
  }));
  checkClass(
    cases,
    ({ raw }) => raw,
    ({ kind, browser }, { name }) => kind === 'browser' && browser.name?.toLowerCase() === name.toLowerCase(),
  );
});

const desktopBrowser = fc.oneof(
  text`Mozilla/5.0 (${desktopSystem}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1${number}.0.0.0 Safari/537.36`,
  text`Mozilla/5.0 (${desktopSystem}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/1${number}.0.0.0`,
  text`Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:1${number}.0) Gecko/20100101 Firefox/1${number}.0`,
  text`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.${number} Safari/605.1.15`,
);

test('a browser with the suffix of an extension is that browser', () => {
  const requestType = from(
    'xmlhttprequest',
    'main_frame',
    'sub_frame',
    'csp_report',
    'websocket',
    'ping',
    'image',
    'other',
  );
  const suffix = fc.oneof(
    text` ||| ReqID: ${number} | Tab: ${number} | Type: ${requestType}`,
    text` | Type: ${requestType}`,
    text` [id=${number}; type=${requestType}]`,
    text`; requestId=${number}; type=${requestType}`,
    text` ${from('Recipe', 'Price', 'Feed', 'Video Download', 'News', 'Proxy')} Extension/${version}`,
    text` chrome-extension://abcdefghijklmnopabcdefghijklmnop`,
    text` ${from('Honey', 'Trolley', 'Fjord')}/${version}`,
  );
  checkClass(
    text`${desktopBrowser}${suffix}`,
    (raw) => raw,
    ({ kind, bot }) => kind === 'browser' && bot === null,
  );
});

test('a name after "like" or "compatible with" is no identity', () => {
  const bot = from('FjordBot', 'TrolleyCrawler', 'Maple-Fetcher', 'RecipeSpider', 'QuizPreview', 'AcmeReader');
  const compared = from(
    'FeedFetcher-Google',
    'Googlebot',
    'Twitterbot/1.0',
    'facebookexternalhit/1.1',
    'GPTBot/1.2',
    'bingbot',
    'Slackbot',
    'iTMS',
    'Applebot/0.1',
    'Bytespider',
  );
  const comparison = from('like', 'compatible with', 'similar to', 'treat like', 'Like');
  const cases = fc.tuple(bot, version, comparison, compared, fc.nat(4)).map(([name, product, words, other, form]) => {
    const forms = [
      `${name}/${product} (+https://fjord.example/bot; ${words} ${other})`,
      `Mozilla/5.0 (compatible; ${name}/${product}; ${words} ${other}; +https://fjord.example/bot)`,
      `${name}/${product} (${words} ${other})`,
      `${name}/${product} ${words} ${other}`,
      `${name} (${words} ${other}; +https://fjord.example)`,
    ];
    return { name, raw: forms[form] ?? '' };
  });
  checkClass(
    cases,
    ({ raw }) => raw,
    ({ bot: found }, { name }) => found === null || (found.name === name && found.operator === null),
  );
});

test('a tool of developers is named by itself, on any platform', () => {
  const tool = from(
    'poetry',
    'pdm',
    'flit',
    'trolley',
    'fjordctl',
    'cargo',
    'Gradle',
    'maplebuild',
    'conda',
    'renovate',
    'quizpm',
    'RubyGems',
    'gem',
    'nimble',
  );
  const stated = from(
    ...[
      'CPython/3.12.7 Linux/6.8.0-48-generic',
      '(Linux; Python 3.12)',
      'node/v22.11.0 linux x64',
      '(Java 21.0.5; Linux 6.8.0)',
      'Ruby/3.3.6',
    ],
    ...[
      '(linux/amd64)',
      '(darwin/arm64) go1.23.2',
      'x86_64-linux Ruby/3.3.6 (2024-11-05 patchlevel 108)',
      '(Elixir/1.17.3) (OTP/27.1)',
    ],
    ...[
      '(x86_64-pc-linux-gnu)',
      'PHP/8.3.13',
      'CPython/3.13.0 Windows/11',
      'CPython/3.12.7 Darwin/24.1.0',
      '(win32 x64) node/v20.1.0',
    ],
  );
  const cases = fc
    .tuple(tool, version, stated)
    .map(([name, product, platform]) => ({ name, raw: `${name}/${product} ${platform}` }));
  checkClass(
    cases,
    ({ raw }) => raw,
    ({ kind, bot }, { name }) => tooling.has(kind) && kind !== 'headless-browser' && bot?.name === name,
  );
});

/** Operators and a domain of each, from the pages on which they describe their bots. */
const domains = [
  ['exa.ai', 'Exa'],
  ['www.bing.com', 'Microsoft'],
  ['developers.google.com', 'Google'],
  ['platform.openai.com', 'OpenAI'],
  ['support.anthropic.com', 'Anthropic'],
  ['developers.facebook.com', 'Meta'],
  ['yandex.com', 'Yandex'],
  ['help.baidu.com', 'Baidu'],
  ['duckduckgo.com', 'DuckDuckGo'],
  ['ahrefs.com', 'Ahrefs'],
  ['www.semrush.com', 'Semrush'],
  ['commoncrawl.org', 'Common Crawl'],
] as const;

test('an operator is named by its domain', () => {
  const name = from('ExaBot', 'FjordBot', 'TrolleyCrawler', 'RecipeBot', 'MapleSpider', 'Quiz-Bot');
  const cases = fc
    .tuple(name, version, fc.constantFrom(...domains), fc.nat(2))
    .map(([bot, product, [domain, operator], form]) => {
      const forms = [
        `${bot}/${product} (+https://${domain}/bot)`,
        `Mozilla/5.0 (compatible; ${bot}/${product}; +http://${domain}/about.html)`,
        `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ${bot}/${product}; https://${domain}) Chrome/140.0.0.0 Safari/537.36`,
      ];
      return { operator, raw: forms[form] ?? '' };
    });
  checkClass(
    cases,
    ({ raw }) => raw,
    ({ bot }, { operator }) => bot?.operator === operator,
  );
});

test('an operator is not named by a word in the name of another program, nor by the host of its users', () => {
  const word = from(
    'cloudflare',
    'google',
    'openai',
    'exa',
    'slack',
    'discord',
    'bing',
    'grok',
    'yandex',
    'facebook',
    'feedly',
    'awario',
    'ahrefs',
  );
  const rest = from(
    'ddns-doc-watch',
    'export',
    'status-page',
    'backup-tool',
    'dns-sync',
    'price-watch',
    'webhook-relay',
  );
  const host = from(
    'sites.google.com/view/fjord',
    'github.com/fjord/fjord',
    'docs.google.com/document/d/1',
    'fjord.example',
    'notgoogle.com',
    'exa.ai.fjord.example',
  );
  const program = fc.oneof(text`${word}-${rest}/${version}`, text`FjordBot/${version} (+https://${host})`);
  checkClass(
    program,
    (raw) => raw,
    ({ bot }) => (bot?.operator ?? null) === null,
  );
  const about = text`${from('fake-googlebot', 'my-slackbot', 'not-gptbot', 'gptbot-blocker', 'googlebot-checker', 'bingbot-verifier', 'twitterbot-simulator')}/${version}`;
  checkClass(
    about,
    (raw) => raw,
    ({ bot }) => (bot?.operator ?? null) === null,
  );
});
