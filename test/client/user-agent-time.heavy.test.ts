/** Time of parsing hostile User-Agents. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { preparations } from '../../src/client/preparations.ts';
import { parseInFull, parseUserAgent, userAgent } from '../../src/client/user-agent.ts';
import { cpuClock, momentMs } from '../cpu-time.ts';
import { check } from '../random.ts';
import { fixtures } from './fixtures.ts';

/** The target is 1 ms; garbage of other work may be collected meanwhile. */
const capMs = momentMs();

/** CPU time of the shortest of three runs. */
function quickestMs(run: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const cpuMs = cpuClock();
    run();
    return cpuMs();
  });
  return Math.min(...times);
}

function repeat(unit: string): string {
  return unit.repeat(Math.ceil(65_536 / unit.length)).slice(0, 65_536);
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

/** Prints the packages that are loaded with the parser. */
const listPackages = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      if (/^[a-z@]/.test(specifier) && !/^(?:node|file):/.test(specifier)) packages.add(specifier);
      return next(specifier, context);
    },
  });
  await import(${JSON.stringify(new URL('../../src/client/user-agent.ts', import.meta.url).href)});
  console.log([...packages].sort().join(' '));
`;

test('the parser loads no schema library, which takes three times as long as the rest', () => {
  const packages = execFileSync(process.execPath, ['--input-type=module', '--eval', listPackages], {
    encoding: 'utf8',
  });
  assert.equal(packages.trim(), 'isbot ua-parser-js');
});

test('each preparation takes less than a request may wait', () => {
  for (const prepare of preparations) {
    const cpuMs = cpuClock();
    prepare();
    assert.ok(cpuMs() < capMs);
  }
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
  const mixture = fc.record({
    length: fc.constantFrom(100, 500, 1_024, 65_536),
    vocabulary: fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 5 }),
    order: fc.array(fc.nat(4), { minLength: 1, maxLength: 100 }),
  });
  check(4_000, mixture, ({ length, vocabulary, order }) => {
    const portion = order.map((at) => vocabulary[at % vocabulary.length]).join('');
    const raw = portion.repeat(Math.ceil(length / portion.length));
    assert.ok(quickestMs(() => parseInFull(raw)) < capMs, JSON.stringify(raw.slice(0, 200)));
  });
});

test('parses a listed User-Agent with a repeated piece within the limit', () => {
  const place = fc.record({
    raw: fc.constantFrom(...fixtures.map(({ raw }) => raw)),
    at: fc.nat(),
    piece: fc.constantFrom(...pieces),
  });
  check(10 * fixtures.length, place, ({ raw, at, piece }) => {
    const middle = at % raw.length;
    const swollen = raw.slice(0, middle) + piece.repeat(2_000) + raw.slice(middle);
    assert.ok(quickestMs(() => parseInFull(swollen)) < capMs, raw);
  });
});
