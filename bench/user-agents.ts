/** User-Agents parsed and classified per second: common browsers, rare browsers, hostile values, and the first of each kind in a process. */
import { readFileSync } from 'node:fs';

const started = performance.now();
const { parseInFull, parseUserAgent, userAgent } = await import('../src/client/user-agent.ts');
const loadMs = performance.now() - started;

const lines = readFileSync(new URL('../test/client/user-agents.tsv', import.meta.url), 'utf8').split('\n');
const rows = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('\t'));
const all = rows.map(([raw = '']) => raw);

const kit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const platforms = [
  'Windows NT 10.0; Win64; x64',
  'Macintosh; Intel Mac OS X 10_15_7',
  'X11; Linux x86_64',
  'Linux; Android 10; K',
];
const reducedChrome = platforms.flatMap((platform) =>
  Array.from({ length: 50 }, (_, i) => `Mozilla/5.0 (${platform}) ${kit} Chrome/${105 + i}.0.0.0 Safari/537.36`),
);
const phones = Array.from(
  { length: 200 },
  (_, i) =>
    `Mozilla/5.0 (Linux; Android ${8 + (i % 9)}; SM-A${100 + i}B) ${kit} Chrome/${90 + (i % 60)}.0.4280.${i} Mobile Safari/537.36`,
);
const full = [
  ...platforms.slice(0, 3).map((platform) => `Mozilla/5.0 (${platform}) ${kit} Chrome/154.0.7912.51 Safari/537.36`),
  `Mozilla/5.0 (${platforms[0]}) ${kit} Chrome/154.0.7912.51 Safari/537.36 Edg/154.0.3800.50`,
  'Mozilla/5.0 (Windows NT 6.1; Win64; x64; rv:115.0) Gecko/20100101 Firefox/115.0.2',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_13_6) AppleWebKit/604.5.6 (KHTML, like Gecko) Version/11.0.3 Safari/604.5.6',
];
const bots = rows.filter(([, , , , kind]) => kind !== 'browser').map(([raw = '']) => raw);
const browsers = rows.filter(([, , , , kind]) => kind === 'browser').map(([raw = '']) => raw);
const chrome = reducedChrome[49] ?? '';
const hints = {
  'user-agent': chrome,
  'sec-ch-ua': '"Chromium";v="154", "Google Chrome";v="154", "Not)A;Brand";v="24"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Windows"',
};

function printRow(name: string, count: number, elapsedMs: number): void {
  const perSecond = Math.round((count / elapsedMs) * 1_000).toLocaleString('en');
  console.log(
    `${name.padEnd(48)} ${perSecond.padStart(12)} /s ${((elapsedMs / count) * 1_000).toFixed(2).padStart(10)} us`,
  );
}

const attempts = 5;
const attemptMs = 200;

/** The best of five attempts, each over the whole list as often as the time permits. */
function measure<T>(name: string, list: readonly T[], run: (item: T) => unknown): void {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const start = performance.now();
    let rounds = 0;
    let elapsedMs = 0;
    for (; elapsedMs < attemptMs; elapsedMs = performance.now() - start) {
      for (const item of list) run(item);
      rounds += 1;
    }
    bestMs = Math.min(bestMs, elapsedMs / rounds);
  }
  printRow(name, list.length, bestMs);
}

/** The first of each kind in a process, which compiles regular expressions of its own. */
const firstOfKind: readonly (readonly [string, string])[] = [
  ['Chrome, full version', full[0] ?? ''],
  ['phone with a model name', phones[0] ?? ''],
  ['app on iOS', browsers.find((raw) => raw.includes('FBAN/')) ?? ''],
  ['rare browser', browsers.find((raw) => raw.includes('QupZilla') || raw.includes('Falkon')) ?? browsers[200] ?? ''],
  ['tool', 'curl/8.17.0'],
  ['crawler', bots[0] ?? ''],
];
for (const [name, raw] of firstOfKind) {
  const start = performance.now();
  parseUserAgent(raw);
  console.log(`first: ${name.padEnd(28)} ${(performance.now() - start).toFixed(2).padStart(12)} ms`);
}

const cold = performance.now();
for (const raw of all) parseUserAgent(raw);
const coldMs = performance.now() - cold;
console.log(`load ${loadMs.toFixed(0)} ms`);
printRow('every fixture once, without warm-up', all.length, coldMs);
measure('reduced User-Agent of Chrome', reducedChrome, parseUserAgent);
measure('full versions of Chrome, Edge, Firefox, Safari', full, parseUserAgent);
measure('reduced Chrome with Client Hints', [hints], userAgent);
measure('reduced Chrome, without the fast path', reducedChrome, parseInFull);
measure('phones with a model name', phones, parseUserAgent);
measure('browsers, including rare ones', browsers, parseUserAgent);
measure('bots, libraries and tools', bots, parseUserAgent);
for (const unit of ['(', 'a/1 ', 'Mozilla/5.0 (Linux; Android 9; ', 'Build/', 'bot '])
  measure(`16 KB of ${JSON.stringify(unit)}`, [unit.repeat(16_384 / unit.length)], parseUserAgent);
