/** Untrusted JSON is limited in depth. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson, readMember } from '../../src/core/json.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test('reads 32 levels and rejects 33', () => {
  assert.ok('value' in parseJson(nested(32)));
  assert.deepEqual(parseJson(nested(33)), { failure: 'too_deep' });
  assert.deepEqual(parseJson(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`), { failure: 'too_deep' });
});

test('counts levels, not brackets: lists beside each other are not deep', () => {
  assert.ok('value' in parseJson(`[${Array(100).fill('[]').join()}]`));
  assert.ok('value' in parseJson(`{${Array.from({ length: 100 }, (_, n) => `"${n}":{}`).join()}}`));
});

test('ignores brackets inside strings', () => {
  for (const text of ['['.repeat(100), '\\"['.repeat(200), '\\\\']) {
    const value = `${text.replaceAll('\\"', '"').replaceAll('\\\\', '\\')}`;
    assert.deepEqual(parseJson(`["${text}"]`), { value: [value] });
  }
});

test('counts values without creating them', () => {
  for (const [text, values] of [
    ['1', 1],
    ['[]', 2],
    ['[1]', 2],
    ['[1,[2,3],{"a":4,"b":5}]', 8],
    [`["${','.repeat(99)}","a,b"]`, 3],
  ] as const) {
    assert.ok('value' in parseJson(text, values), text);
    assert.deepEqual(parseJson(text, values - 1), { failure: 'too_many' }, text);
  }
});

test('distinguishes malformed from too deep', () => {
  for (const text of ['', '{', '"', '"\\', '[1,]', '{}{}', 'undefined', ']['])
    assert.deepEqual(parseJson(text), { failure: 'malformed' }, text);
});

test('reads a member of the outermost object without parsing the rest', () => {
  const deep = `${'['.repeat(50)}${']'.repeat(50)}`;
  for (const [text, value] of [
    [`{"params":{"id":1,"a":${deep}},"id":7}`, 7],
    [`{"id" : "a\\"b", "params":${deep}}`, 'a"b'],
    [`{"a":"id","id":-3}`, -3],
    [`{"a":"\\"id\\":5"}`, null],
    ['{"id":1.5}', null],
    ['{"id":12', null],
    ['{"id":{"id":1}}', null],
    ['[{"id":1}]', null],
    ['"id"', null],
    ['', null],
  ] as const)
    assert.equal(readMember(text, 'id'), value, text);
});
