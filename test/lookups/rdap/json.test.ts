/** Untrusted JSON is read for any types. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integerOf, listOf, textOf, timeOf } from '../../../src/lookups/rdap/json.ts';

test('reads times in UTC', () => {
  const times: Record<string, string | null> = {
    '1995-08-14T04:00:00Z': '1995-08-14T04:00:00Z',
    '2023-12-28T17:24:56-05:00': '2023-12-28T22:24:56Z',
    '2023-12-31T23:30:00.000+02:00': '2023-12-31T21:30:00Z',
    '2026-08-31T12:04:21.912Z': '2026-08-31T12:04:21.912Z',
    '2026-08-31T12:04:21.912345678Z': '2026-08-31T12:04:21.912Z',
    '2026-08-31 12:04:21 +0530': '2026-08-31T06:34:21Z',
    '2026-08-31t12:04:21z': '2026-08-31T12:04:21Z',
    '2026-08-31T12:04:21+02': '2026-08-31T10:04:21Z',
    '2026-08-31T12:04:21': '2026-08-31T12:04:21Z',
    '2026-08-31': '2026-08-31T00:00:00Z',
    '2020-02-29T12:00:00Z': '2020-02-29T12:00:00Z',
    '2016-12-31T23:59:60Z': '2017-01-01T00:00:00Z',
    '2016-12-31T23:59:60.5Z': '2017-01-01T00:00:00.500Z',
    '2017-01-01T05:29:60+05:30': '2017-01-01T00:00:00Z',
    '2020-02-30': null,
    '2020-02-30T12:00:00+02:00': null,
    '2021-02-29T00:00:00Z': null,
    '2026-04-31': null,
    '2026-01-01T12:00:60Z': null,
    '2016-12-31T23:59:61Z': null,
    '9999-12-31T23:59:60Z': null,
    '9999-12-31T23:59:59-01:00': null,
    '0000-01-01T00:00:00+01:00': null,
    '2026-13-01T00:00:00Z': null,
    '2026-01-01T25:00:00Z': null,
    '31.08.2026': null,
    'Mon, 31 Aug 2026 12:04:21 GMT': null,
    '20260831': null,
    never: null,
    '': null,
  };
  for (const [text, utc] of Object.entries(times)) assert.equal(timeOf(text), utc, text);
  for (const value of [null, undefined, 0, {}, [], true]) assert.equal(timeOf(value), null);
});

test('reads a number that cannot be represented as null', () => {
  const parsed = JSON.parse('[1e400, -1e400, 12345678901234567890, 9007199254740993, 9007199254740991, 1.5]');
  assert.deepEqual(parsed.map(textOf), [null, null, null, null, '9007199254740991', '1.5']);
  assert.deepEqual(parsed.map(integerOf), [null, null, null, null, null, null]);
});

test('reads texts, numbers and lists leniently', () => {
  assert.deepEqual([' a ', 7, '', '  ', null, {}, ['a'], true].map(textOf), [
    'a',
    '7',
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
  assert.deepEqual([7, '7', ' 7 ', -1, 1.5, '1e3', 'AS7', null, 1e300].map(integerOf), [
    7,
    7,
    7,
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
  assert.deepEqual([[1, 2], 'a', null, undefined, { a: 1 }].map(listOf), [[1, 2], ['a'], [], [], [{ a: 1 }]]);
  assert.equal(listOf(Array(100_000).fill(0)).length, 256);
});
