/** Rows, columns and dates fit the width of a terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  colorLines,
  columns,
  describeDate,
  isColored,
  layOutRows,
  widthOf,
  wrap,
} from '../../../src/cli/layouts/terminal.ts';

const terminal = { width: 40, nowMs: Date.parse('2026-11-22T12:00:00Z') };

test('wraps at spaces, and leaves a longer word whole', () => {
  assert.deepEqual(wrap('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrap('https://example.com/long is long', 10), ['https://example.com/long', 'is long']);
});

test('puts values in one column and leaves out rows without a value', () => {
  const text = layOutRows(
    [
      ['Name', 'one two three four five six seven'],
      ['Empty', null],
      ['List', ['a', null, 'b']],
    ],
    terminal,
  );
  assert.equal(
    text,
    'Name          one two three four five\n              six seven\nList          a\n              b\n',
  );
});

test('makes columns as wide as their longest cell, and wraps the last', () => {
  const text = columns(
    [
      ['a', '1', 'short'],
      ['longer', '22', 'a text of more than one line here'],
    ],
    terminal,
  );
  assert.equal(text, 'a       1   short\nlonger  22  a text of more than one line\n            here\n');
});

test('says how long ago or ahead a date is', () => {
  const dates = {
    '2027-08-13T04:00:00Z': 'in 8 months',
    '1995-08-14T04:00:00Z': '31 years ago',
    '2026-11-20T12:00:00Z': '2 days ago',
    '2026-11-22T20:00:00Z': 'today',
  };
  for (const [date, words] of Object.entries(dates))
    assert.equal(describeDate(date, terminal), `${date.slice(0, 10)} (${words})`);
  assert.equal(describeDate(null, terminal), null);
});

test('assumes 80 columns for a stream that does not know its width', () => {
  assert.deepEqual([widthOf({}), widthOf({ columns: 0 }), widthOf({ columns: 40 })], [80, 80, 40]);
});

test('colors the beginning of a line that states a result or a name, and no other', () => {
  const colorWith = (color: number) => (text: string) => `\u001b[${color}m${text}\u001b[39m`;
  const red = colorWith(31);
  const green = colorWith(32);
  const cyan = colorWith(36);
  assert.equal(colorLines('ok    a\nfail  b\nplain c'), `${green('ok  ')}  a\n${red('fail  ')}b\nplain c`);
  assert.equal(colorLines('Address  192.0.2.1'), `${cyan('Address  ')}192.0.2.1`);
});

test('colors the output of a terminal that has colors, unless NO_COLOR is set', () => {
  assert.deepEqual(
    [
      isColored(true, {}),
      isColored(true, { TERM: 'xterm-256color', NO_COLOR: '' }),
      isColored(true, { TERM: 'dumb' }),
      isColored(true, { NO_COLOR: '1' }),
      isColored(false, {}),
    ],
    [true, true, false, false, false],
  );
});
