/** The timeline of a registration: marks neither overlap nor leave the line, and ages are rounded down. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderDates, spread } from '../../../../src/http/page/lookup/registration.ts';

const now = Date.UTC(2026, 10, 22, 12);

test('marks are in order, within the line and apart, whatever the times', () => {
  const day = 86_400_000;
  for (const times of [
    [now],
    [now, now, now, now, now],
    [now - 10_000 * day, now - 1, now, now, now + 1],
    [now - 10_000 * day, now - 9_999 * day, now - 9_998 * day, now - 9_997 * day, now],
    [Date.UTC(1, 0), now, Date.UTC(9999, 11)],
  ]) {
    const positions = spread(times);
    for (const [n, position] of positions.entries()) {
      assert.ok(position >= 1 && position <= 17, `${positions}`);
      if (n > 0) assert.ok(position - (positions[n - 1] ?? 0) >= 4, `${positions}`);
    }
  }
  assert.deepEqual(spread([0, 50, 100]), [1, 9, 17]);
});

test('dates are in order, with today among them, and invalid ones are omitted', () => {
  const dates = renderDates(
    { Registered: '1995-08-14T04:00:00Z', Updated: 'never', Transferred: null, Expires: '2027-08-13T04:00:00Z' },
    now,
  );
  const text = `${dates}`
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  assert.equal(text, 'Registered 14 Aug 1995 31 years ago Today 22 Nov 2026 Expires 13 Aug 2027 in 8 months');
  assert.match(`${dates}`, /<li class="past from-1 to-13"><span class="small">Registered/);
  assert.match(`${dates}`, /<li class="today from-13 to-17">/);
  assert.equal(renderDates({ Updated: 'never' }, now), null);
});
