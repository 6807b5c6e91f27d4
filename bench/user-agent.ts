/** User-Agents parsed and sorted per second: ordinary browsers, the long tail, and the first use of a process. */
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
const ordinary = platforms.flatMap((platform) =>
  Array.from({ length: 50 }, (_, i) => `Mozilla/5.0 (${platform}) ${kit} Chrome/${105 + i}.0.0.0 Safari/537.36`),
);
const phones = Array.from(
  { length: 200 },
  (_, i) =>
    `Mozilla/5.0 (Linux; Android ${8 + (i % 9)}; SM-A${100 + i}B) ${kit} Chrome/${90 + (i % 60)}.0.4280.${i} Mobile Safari/537.36`,
);
const bots = rows.filter(([, , , , kind]) => kind !== 'browser').map(([raw = '']) => raw);
const tail = rows.filter(([, , , , kind]) => kind === 'browser').map(([raw = '']) => raw);
const chrome = ordinary[49] ?? '';
const hints = {
  'user-agent': chrome,
  'sec-ch-ua': '"Chromium";v="154", "Google Chrome";v="154", "Not)A;Brand";v="24"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Windows"',
};

function row(name: string, count: number, elapsedMs: number): void {
  const perSecond = Math.round((count / elapsedMs) * 1_000).toLocaleString('en');
  console.log(
    `${name.padEnd(40)} ${perSecond.padStart(12)} /s ${((elapsedMs / count) * 1_000).toFixed(2).padStart(10)} us`,
  );
}

/** The best of five rounds, each over the whole list. */
function warm<T>(name: string, list: readonly T[], run: (item: T) => unknown): void {
  const rounds = Math.ceil(10_000 / list.length);
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5; attempt++) {
    const start = performance.now();
    for (let round = 0; round < rounds; round++) for (const item of list) run(item);
    best = Math.min(best, performance.now() - start);
  }
  row(name, rounds * list.length, best);
}

const cold = performance.now();
for (const raw of all) parseUserAgent(raw);
const coldMs = performance.now() - cold;
console.log(`load ${loadMs.toFixed(0)} ms`);
row('every fixture once, cold', all.length, coldMs);
warm('frozen User-Agent of Chrome', ordinary, parseUserAgent);
warm('the same with Client Hints', [hints], userAgent);
warm('the same, the long way', ordinary, parseInFull);
warm('phones that name their model', phones, parseUserAgent);
warm('browsers, the long tail', tail, parseUserAgent);
warm('bots, libraries and tools', bots, parseUserAgent);
warm('64 KB of "("', ['('.repeat(65_536)], parseUserAgent);
