/** Weights in lists of Accept headers; Hono's parser decides what is right. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseAccept } from 'hono/utils/accept';
import { parseWeights, weightOf } from '../../src/core/accept.ts';
import { check } from '../random.ts';

const parameter = fc.constantFrom('level=1', 'level="b, c;q=0"', ' x = "\\", y"', 'v=', '');
const weight = fc.constantFrom('q=0', 'q=0.5', 'q="0.5"', ' Q = 1', 'q=.3', 'q=7', 'q=-1', 'q=x', 'q=', 'q = 0.25 ');
const element = fc
  .tuple(
    fc.constantFrom('text/html', 'Text/HTML', 'a/*', '*/*', 'gzip', ' br ', ''),
    fc.array(parameter, { maxLength: 2 }),
    weight,
  )
  .map(([name, before, last]) => [name, ...before, last].join(';'));

test('reads the same weights as another parser', () => {
  const list = fc.array(element, { maxLength: 4 }).map((elements) => elements.join(', '));
  check(20_000, list, (header) => {
    const expected = new Map<string, number>();
    for (const { type, q } of parseAccept(header)) {
      const name = type.toLowerCase();
      expected.set(name, Math.max(q, expected.get(name) ?? 0));
    }
    assert.deepEqual(parseWeights(header), expected, header);
  });
});

test('the most specific range that covers a media type decides', () => {
  const weights = parseWeights('text/*;q=0.3, text/html;level="1, 2";q=0.7, */*;q=0.1');
  assert.deepEqual(
    ['text/html', 'text/plain', 'image/png'].map((type) => weightOf(weights, type)),
    [0.7, 0.3, 0.1],
  );
  assert.equal(weightOf(parseWeights(''), 'text/html'), 0);
});

test('a quoted string without its end takes the rest, in linear time', () => {
  assert.deepEqual([...parseWeights(`a;x="b, c${'\\'.repeat(99)}`)], [['a', 1]]);
  assert.equal(parseWeights(`${'"\\'.repeat(200_000)},`.repeat(2)).size, 1);
});
