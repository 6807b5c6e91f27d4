/** Invisible characters from outside never reach a terminal, a text, a page or the log. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeControls, flatten, invisible, replaceControlsOfLines, toJson, toLine } from '../../src/core/text.ts';
import { visible } from '../../src/http/page/text.ts';
import { createLog, createServiceLog } from '../../src/runtime/log.ts';

/** Every control and format character, line separator, lone surrogate, and those that change the direction of text. */
const characters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter((character) =>
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(character),
);

const logLines = (message: string, format: 'plain' | 'json'): string => {
  let written = '';
  const out = { write: (line: string) => (written += line) };
  createServiceLog({ logFormat: format, logLevel: 'info' }, { out, err: out }, {}).log('reload_failed', message, {
    what: message,
    reason: message,
  });
  createLog({ format, level: 'info', write: (line) => (written += line) })('reload_failed', message);
  return written;
};

const outputs: Readonly<Record<string, (text: string) => string>> = {
  'a value as text': toLine,
  'a resource as text': (text) => flatten({ value: text, list: [text] }),
  'lines in a terminal': replaceControlsOfLines,
  'JSON in a terminal': (text) => escapeControls(toJson({ value: text })),
  'a title of a page': visible,
  'a line of the log': (text) => logLines(text, 'plain'),
  'a JSON line of the log': (text) => logLines(text, 'json'),
};

for (const [name, write] of Object.entries(outputs))
  test(`${name} shows no invisible character`, () => {
    assert.ok(characters.length > 2_000);
    for (const character of characters) {
      const written = write(`a${character}b`).replaceAll('\n', '');
      assert.ok(!new RegExp(invisible, 'u').test(written), `U+${character.codePointAt(0)?.toString(16)}`);
      assert.ok(written.includes('a') && written.includes('b'));
    }
  });

test('JSON in a terminal and in the log stays the same value', () => {
  const value = characters.join('').toWellFormed();
  assert.equal(JSON.parse(escapeControls(toJson({ value }))).value, value);
  const line = logLines('\u202e\u009b', 'json').split('\n')[0] ?? '';
  assert.equal(JSON.parse(line).message, '\u202e\u009b');
});

test('what reverses or hides text is shown as an escape, and visible text stays', () => {
  assert.equal(toLine('Status \u202etxt.exe'), 'Status \\u{202e}txt.exe\n');
  assert.equal(toLine('Zürich 東京 😀\u2028x'), 'Zürich 東京 😀 x\n');
});
