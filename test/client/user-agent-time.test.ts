/** Time of parsing hostile User-Agents. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preparations } from '../../src/client/preparations.ts';
import { parseInFull, parseUserAgent, userAgent } from '../../src/client/user-agent.ts';
import { fixtures } from './fixtures.ts';

/** The target is 1 ms; the limit allows for a busy machine. A superlinear expression would take seconds. */
const capMs = 250;

function elapsedMs(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** The shortest of three, so that a pause of the machine does not count. */
function quickestMs(run: () => unknown): number {
  return Math.min(elapsedMs(run), elapsedMs(run), elapsedMs(run));
}

function repeat(unit: string): string {
  return unit.repeat(Math.ceil(65_536 / unit.length)).slice(0, 65_536);
}

/** A generator of Park and Miller: the same strings on every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

const pieces = [
  ...[
    '(',
    ')',
    ';',
    '/',
    ' ',
    '\t',
    '.',
    '-',
    '_',
    '1',
    '9.9',
    'a',
    'Z',
    '\u0000',
    '\ud800',
    'é',
    '🤖',
    '\\',
    '|',
    '[',
    '+',
    '%20',
  ],
  ...[
    'Mozilla/5.0 (',
    'Linux; Android ',
    'Windows NT ',
    'like Mac OS X',
    'AppleWebKit/',
    'Chrome/',
    'Safari/',
    'Mobile ',
    'Version/',
  ],
  ...[
    'Build/',
    'bot',
    'Bot/1.0',
    'spider',
    'crawl',
    'http://',
    'compatible; ',
    'rv:',
    'Gecko/',
    'Opera',
    'MSIE ',
    'SM-',
    'wv)',
    'Edg/',
  ],
];

test('each preparation takes less than a request may wait', () => {
  for (const prepare of preparations) assert.ok(elapsedMs(prepare) < capMs);
});

test('parses 64 KB of any repeated piece within the limit', () => {
  for (const piece of pieces) {
    const raw = repeat(piece);
    assert.ok(quickestMs(() => parseUserAgent(raw)) < capMs, JSON.stringify(piece));
    const headers = { 'user-agent': raw, 'sec-ch-ua': raw, 'sec-ch-ua-model': raw, 'signature-agent': raw };
    assert.ok(quickestMs(() => userAgent(headers)) < capMs, JSON.stringify(piece));
  }
});

test('parses any mixture of pieces within the limit', () => {
  const next = random(20_261_121);
  for (let i = 0; i < 400; i++) {
    let raw = '';
    const length = [100, 500, 1_024, 65_536][next(4)] ?? 0;
    const vocabulary = Array.from({ length: 1 + next(5) }, () => pieces[next(pieces.length)] ?? '');
    while (raw.length < length) raw += vocabulary[next(vocabulary.length)];
    assert.ok(quickestMs(() => parseInFull(raw)) < capMs, JSON.stringify(raw.slice(0, 200)));
  }
});

test('parses a listed User-Agent with a repeated piece within the limit', () => {
  const next = random(9);
  for (const { raw } of fixtures) {
    const at = next(raw.length);
    const swollen = raw.slice(0, at) + (pieces[next(pieces.length)] ?? '').repeat(2_000) + raw.slice(at);
    assert.ok(quickestMs(() => parseInFull(swollen)) < capMs, raw);
  }
});
