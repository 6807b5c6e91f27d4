/** Flat text and JSON of a resource, to which no value can add a line; ages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { clip, editDistance, flatten, formatAge, formatCount, maxEchoLength, toJson } from '../../src/core/text.ts';
import { check } from '../random.ts';

const header = (name: string, value: string): { headers: Record<string, string> } => {
  const headers: Record<string, string> = Object.create(null);
  headers[name] = value;
  return { headers };
};

const rows: readonly [sentence: string, resource: object, text: string][] = [
  ['writes one line per leaf, in JSON order', { b: 'x', a: 'y' }, 'b: x\na: y\n'],
  ['joins the path with dots', { a: { b: { camelCase: 1 } } }, 'a.b.camelCase: 1\n'],
  ['writes null as a key without a value', { city: null, asn: 1 }, 'city:\nasn: 1\n'],
  ['writes a null object under its own key', { userAgent: { bot: null } }, 'userAgent.bot:\n'],
  [
    'writes booleans and numbers like JSON',
    { a: true, b: false, c: -0.5, d: 1e21 },
    'a: true\nb: false\nc: -0.5\nd: 1e+21\n',
  ],
  ['writes no line for an empty object', { edgeHeaders: {}, ip: '::1' }, 'ip: ::1\n'],
  ['writes nothing for a resource without leaves', {}, ''],
  ['writes an empty string as a value', { raw: '' }, 'raw: \n'],
  ['keeps dots and colons of header names and values', header('x.y', 'a: b'), 'headers.x.y: a: b\n'],
  ['writes a header named __proto__', header('__proto__', 'x'), 'headers.__proto__: x\n'],
  ['replaces CR LF, so that a value cannot add a line', header('x', 'a\r\nip: 6.6.6.6'), 'headers.x: a  ip: 6.6.6.6\n'],
  ['keeps text beyond ASCII', { city: 'Tromsø 東京 🦊' }, 'city: Tromsø 東京 🦊\n'],
];
for (const [sentence, resource, text] of rows) {
  test(sentence, () => {
    assert.equal(flatten(resource), text);
  });
}

test('replaces every control character and line separator by a space', () => {
  const codes = [...Array(0x20).keys(), 0x7f, ...Array.from({ length: 0x20 }, (_, at) => 0x80 + at), 0x2028, 0x2029];
  for (const code of codes) {
    assert.equal(flatten({ a: `x${String.fromCharCode(code)}y` }), 'a: x y\n', `U+${code.toString(16)}`);
  }
});

test('writes indented JSON with a final newline', () => {
  assert.equal(toJson({ a: null, b: { c: 1 } }), '{\n  "a": null,\n  "b": {\n    "c": 1\n  }\n}\n');
});

test('only a text that is longer than permitted is cut', () => {
  const whole = 'x'.repeat(maxEchoLength);
  assert.equal(clip(whole), whole);
  assert.equal(clip(`${whole}y`), `${whole}…`);
  assert.equal(clip('abc', 2), 'ab…');
  // A character of two units stays whole, and a lone half stays.
  assert.equal(clip('a👍b', 2), 'a…');
  assert.equal(clip('a👍b', 3), 'a👍…');
  assert.equal(clip('a\ud83db', 2), 'a\ud83d…');
});

const now = Date.UTC(2026, 10, 22, 12);

test('ages are days of the calendar, then whole months and years', () => {
  for (const [date, age] of [
    ['1995-08-14T04:00:00Z', '31 years ago'],
    ['1996-11-22T23:59:59Z', '30 years ago'],
    ['1996-11-23T00:00:00Z', '29 years ago'],
    ['2024-11-23T00:00:00Z', '23 months ago'],
    ['2026-09-22T23:59:59Z', '2 months ago'],
    ['2026-09-23T00:00:00Z', '60 days ago'],
    ['2026-11-21T23:59:59Z', 'yesterday'],
    ['2026-11-22T00:00:00Z', 'today'],
    ['2026-11-22T11:00:00Z', 'today'],
    ['2026-11-22T23:59:59Z', 'today'],
    ['2026-11-23T00:00:00Z', 'tomorrow'],
    ['2026-11-24T11:00:00Z', 'in 2 days'],
    ['2026-12-01T12:00:00Z', 'in 9 days'],
    ['2027-08-13T04:00:00Z', 'in 8 months'],
    ['2029-11-21T23:59:59Z', 'in 2 years'],
    ['2029-11-22T00:00:00Z', 'in 3 years'],
  ] as const)
    assert.equal(formatAge(Date.parse(date), now), age, date);
});

/** A date of the calendar, of which the compiler's libraries for this project have no type. */
interface CalendarDay {
  add(duration: { readonly days: number }): CalendarDay;
  until(other: CalendarDay, options: { readonly largestUnit: 'months' }): { readonly months: number };
}
const { Temporal } = globalThis as unknown as {
  readonly Temporal: { readonly PlainDate: { from(text: string): CalendarDay } };
};

test('ages count the months of the calendar as Temporal does, leap days and ends of months included', () => {
  const days = fc.integer({ min: -20_000, max: 40_000 });
  const dayMs = 86_400_000;
  check(20_000, fc.record({ day: days, today: days, ms: fc.nat(dayMs - 1), nowMs: fc.nat(dayMs - 1) }), (drawn) => {
    const [from = 0, to = 0] = [drawn.day, drawn.today].toSorted((one, other) => one - other);
    const epoch = Temporal.PlainDate.from('1970-01-01');
    const { months } = epoch.add({ days: from }).until(epoch.add({ days: to }), { largestUnit: 'months' });
    const age = formatAge(drawn.day * dayMs + drawn.ms, drawn.today * dayMs + drawn.nowMs);
    const [count, unit] =
      months >= 24 ? [Math.floor(months / 12), 'year'] : months >= 2 ? [months, 'month'] : [to - from, 'day'];
    const words = new Map([
      [0, 'today'],
      [1, drawn.day < drawn.today ? 'yesterday' : 'tomorrow'],
    ]);
    const counted = `${count} ${unit}s`;
    const expected =
      (unit === 'day' ? words.get(count) : undefined) ?? (drawn.day < drawn.today ? `${counted} ago` : `in ${counted}`);
    assert.equal(age, expected, JSON.stringify(drawn));
  });
});

test('a number has its noun in the form that Unicode prescribes for English', () => {
  const rules = new Intl.PluralRules('en');
  const forms: Readonly<Record<string, string>> = { one: 'day', other: 'days' };
  for (let count = 0; count < 130; count++)
    assert.equal(formatCount(count, 'day'), `${count} ${forms[rules.select(count)]}`);
  assert.equal(formatCount(2, 'address', 'addresses'), '2 addresses');
});

test('counts the changes from one word to another', () => {
  for (const [one, other, distance] of [
    ['kitten', 'sitting', 3],
    ['port', 'ports', 1],
    ['ports', 'port', 1],
    ['host', 'hots', 2],
    ['abc', '', 3],
    ['', 'ab', 2],
    ['same', 'same', 0],
  ] as const)
    assert.equal(editDistance(one, other), distance, `${one} ${other}`);
});
