/** The timeline of a registration: marks are to scale and on the line, and ages are rounded down. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentsOf, renderDates } from '../../../../src/http/page/lookup/registration.ts';

const now = Date.UTC(2026, 10, 22, 12);

test('marks are to scale and within the line, whatever the times', () => {
  const day = 86_400_000;
  for (const times of [
    [now],
    [now, now, now, now, now],
    [now - 10_000 * day, now - 1, now, now, now + 1],
    [now - 10_000 * day, now - 9_999 * day, now - 9_998 * day, now - 9_997 * day, now],
    [Date.UTC(1, 0), now, Date.UTC(9999, 11)],
  ]) {
    const positions = percentsOf(times);
    const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
    for (const [n, position] of positions.entries()) {
      assert.ok(position >= 0 && position <= 100, `${positions}`);
      const share = ((times[n] ?? 0) - (times[0] ?? 0)) / (span || 1);
      assert.ok(Math.abs(position - 100 * share) <= 0.05 + 1e-9, `${positions}`);
    }
  }
  assert.deepEqual(percentsOf([0, 31, 100]), [0, 31, 100]);
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
  assert.match(`${dates}`, /<li class="past"><span class="small">Registered/);
  assert.match(`${dates}`, /<li class="today">/);
  // 31 years of 32, and the mark of today above the others.
  assert.match(`${dates}`, /<rect class="past" y="6" width="97\.7%".*<circle class="today" cx="97\.7%"[^>]*\/><\/svg>/);
  assert.equal(renderDates({ Updated: 'never' }, now), null);
});
