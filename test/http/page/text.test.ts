/** Invisible characters of a text for a page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitInvisible } from '../../../src/http/page/text.ts';

test('divides a text at its invisible characters, and loses none', () => {
  for (const [text, parts] of [
    ['', []],
    ['abc', ['abc']],
    ['a\u202eb', ['a', '(U+202E)', 'b']],
    ['\u202eb', ['(U+202E)', 'b']],
    ['ab\u200b\u202e', ['ab', '(U+200B)', '(U+202E)']],
  ] as const) {
    const found = [...splitInvisible(text)].map((part) => (part.isInvisible ? `(${part.text})` : part.text));
    assert.deepEqual(found, parts);
  }
});
