/** Dates of cookies in the forms that servers send; that browsers read them the same is tested in test/browser/cookie-storage.test.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseCookieDate } from '../../../../src/lookups/headers-check/cookies/cookie-date.ts';
import { check } from '../../../random.ts';

const dates = fc.date({ min: new Date(0), max: new Date(Date.UTC(2069, 11, 31)), noInvalidDate: true });

test('reads every date in the forms of servers', () => {
  check(3000, dates, (date) => {
    const expected = Math.floor(date.getTime() / 1000) * 1000;
    const [weekday = '', day = '', month = '', year = '', time = ''] = date.toUTCString().split(/,? /);
    for (const text of [
      date.toUTCString(),
      `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
      `${weekday} ${month} ${Number(day)} ${time} ${year}`,
      `${time} ${month.toUpperCase()}uary ${day} ${year}`,
    ])
      assert.equal(parseCookieDate(text), expected, text);
  });
});

test('rejects what is not a date', () => {
  for (const text of [
    ...[
      '',
      '0',
      'x',
      'Sat, 01 Jan 2001',
      '01 Jan 2001 24:00:00',
      '30 Feb 2001 00:00:00',
      '32 Jan 2001 00:00:00',
      '01 Jan 1600 00:00:00',
    ],
    ...['2001-01-01T00:00:00Z', '01 Jan 00:00:00', '1 2001 00:00:00', '-'.repeat(1000)],
  ])
    assert.equal(parseCookieDate(text), null, text);
});
