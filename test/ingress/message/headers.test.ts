/** Headers are reported as received. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headersOf } from '../../../src/ingress/message/headers.ts';

/** Entries, so that order counts and `__proto__` is an ordinary name. */
const entriesOf = (...rawPairs: string[]): [string, string][] => Object.entries(headersOf(rawPairs));
/** UTF-8 text as Node delivers it. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

const rows: readonly [
  sentence: string,
  rawPairs: readonly string[],
  headers: readonly (readonly [string, string])[],
][] = [
  ['reports none where there is none', [], []],
  [
    'keeps the order and lowers the names',
    ['X-B', '1', 'X-A', 'Two'],
    [
      ['x-b', '1'],
      ['x-a', 'Two'],
    ],
  ],
  [
    'joins repeats by a comma, at the place of the first',
    ['A', '1', 'B', '2', 'a', '3'],
    [
      ['a', '1, 3'],
      ['b', '2'],
    ],
  ],
  ['joins cookies by a semicolon', ['Cookie', 'a=1', 'cookie', 'b=2, 3'], [['cookie', 'a=1; b=2, 3']]],
  ['joins a repeated empty value', ['A', '', 'A', 'x'], [['a', ', x']]],
  [
    'keeps every repeat of headers that Node would drop',
    ['Age', '1', 'Age', '2', 'User-Agent', 'a', 'User-Agent', 'b'],
    [
      ['age', '1, 2'],
      ['user-agent', 'a, b'],
    ],
  ],
  [
    'names :authority host, and leaves the other pseudo-headers out',
    [':method', 'GET', ':authority', 'a:8443', ':scheme', 'https', ':path', '/', 'b', 'c'],
    [
      ['host', 'a:8443'],
      ['b', 'c'],
    ],
  ],
  ['does not repeat a host that equals :authority', [':authority', 'a', 'host', 'A:443'], [['host', 'a']]],
  ['reads UTF-8', ['X', bytes('Tromsø 東京 🦊')], [['x', 'Tromsø 東京 🦊']]],
  ['keeps a byte order mark', ['X', bytes('\ufeffa')], [['x', '\ufeffa']]],
  ['reads Latin-1 where the bytes are not UTF-8', ['X', 'Troms\u00f8'], [['x', 'Tromsø']]],
  ['reads as Latin-1 what is UTF-8 only in part', ['X', `${bytes('ø')}\u00f8`], [['x', 'Ã¸ø']]],
  ['reads each of two repeats by itself', ['X', bytes('ø'), 'X', '\u00f8'], [['x', 'ø, ø']]],
  [
    'takes __proto__ and constructor for names',
    ['__proto__', 'a', 'constructor', 'b', '__PROTO__', 'c'],
    [
      ['__proto__', 'a, c'],
      ['constructor', 'b'],
    ],
  ],
];
for (const [sentence, rawPairs, headers] of rows) {
  test(sentence, () => {
    assert.deepEqual(entriesOf(...rawPairs), headers);
  });
}

test('inherits no members', () => {
  const headers = headersOf(['Host', 'a']);
  for (const name of ['__proto__', 'constructor', 'toString']) assert.equal(name in headers, false, name);
});

test('accepts 100 and 2,500 headers', () => {
  for (const count of [100, 2500]) {
    const names = Array.from({ length: count }, (_, at) => `x-${at}`);
    assert.deepEqual(
      entriesOf(...names.flatMap((name) => [name, `${name} value`])),
      names.map((name) => [name, `${name} value`]),
    );
  }
});
