/** Untrusted JSON is limited in depth. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson } from '../../src/core/json.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test('reads 32 levels and rejects 33', () => {
  assert.ok('value' in parseJson(nested(32)));
  assert.deepEqual(parseJson(nested(33)), { failure: 'too_deep' });
  assert.deepEqual(parseJson(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`), { failure: 'too_deep' });
});

test('ignores brackets inside strings', () => {
  for (const text of ['['.repeat(100), '\\"['.repeat(200), '\\\\']) {
    const value = `${text.replaceAll('\\"', '"').replaceAll('\\\\', '\\')}`;
    assert.deepEqual(parseJson(`["${text}"]`), { value: [value] });
  }
});

test('distinguishes malformed from too deep', () => {
  for (const text of ['', '{', '"', '"\\', '[1,]', '{}{}', 'undefined', ']['])
    assert.deepEqual(parseJson(text), { failure: 'malformed' }, text);
});
