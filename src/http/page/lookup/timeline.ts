/** Renders dates of a registration: marks on a line, then each date with its age. */
import { html } from 'hono/html';
import type { Fragment } from '../fragment.ts';

/** In percent of the width: wider than a mark on a phone, so that no mark overlaps another or is cut off. */
const minGap = 9;
const [left, right] = [5, 95];

/** Null if no date is known. */
export function renderDates(dates: Readonly<Record<string, string | null>>, nowMs: number): Fragment | null {
  const known = Object.entries(dates).map(([term, date]) => ({ term, ms: Date.parse(date ?? '') }));
  const today = { term: 'Today', ms: nowMs };
  const marks = [...known, today].filter(({ ms }) => !Number.isNaN(ms)).toSorted((a, b) => a.ms - b.ms);
  if (marks.length === 1) return null;
  const positions = spread(marks.map(({ ms }) => ms));
  const titles = marks.map(({ term, ms }) => `${term} ${formatDay(ms)}`);
  const circles = marks.map((mark, n) => {
    const [look, radius] = mark === today ? ['today', 5] : ['event', 7];
    return html`<circle class="${look}" cx="${positions[n]}%" cy="50%" r="${radius}"><title>${titles[n]}</title></circle>`;
  });
  const rows = marks.map(
    ({ term, ms }) =>
      html`<div><dt>${term}</dt><dd>${formatDay(ms)}</dd><dd class="small">${formatAge(ms, nowMs)}</dd></div>`,
  );
  return html`<svg class="timeline" role="img" aria-label="${titles.join(', ')}"><line class="axis" x1="${left}%" x2="${right}%" y1="50%" y2="50%"/><line class="axis lived" x1="${positions[0]}%" x2="${positions[marks.indexOf(today)]}%" y1="50%" y2="50%"/>${circles}</svg>
<dl class="dates">${rows.toSpliced(marks.indexOf(today), 1)}</dl>`;
}

/** Positions to scale, moved apart where they would be closer than the smallest gap. `times` are in order. */
export function spread(times: readonly number[]): readonly number[] {
  const [first = 0, last = first] = [times[0], times.at(-1)];
  const positions = times.map((ms) => left + ((right - left) * (ms - first)) / (last - first || 1));
  for (let n = 1; n < positions.length; n++)
    positions[n] = Math.max(positions[n] ?? 0, (positions[n - 1] ?? 0) + minGap);
  let limit = right;
  for (let n = positions.length - 1; n >= 0; n--) {
    positions[n] = Math.round(10 * Math.min(positions[n] ?? 0, limit)) / 10;
    limit = (positions[n] ?? 0) - minGap;
  }
  return positions;
}

const formatDay = (ms: number): string =>
  new Date(ms).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

const dayMs = 86_400_000;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Whole days, months from two on, years from two on; always rounded down. */
export function formatAge(ms: number, nowMs: number): string {
  const [from, to] = ms < nowMs ? [ms, nowMs] : [nowMs, ms];
  const sign = ms < nowMs ? -1 : 1;
  const months = wholeMonths(new Date(from), new Date(to));
  if (months >= 24) return relative.format(sign * Math.floor(months / 12), 'year');
  if (months >= 2) return relative.format(sign * months, 'month');
  return relative.format(sign * Math.floor((to - from) / dayMs), 'day');
}

/** Calendar months, so that an age changes on its day. */
function wholeMonths(from: Date, to: Date): number {
  const months = 12 * (to.getUTCFullYear() - from.getUTCFullYear()) + to.getUTCMonth() - from.getUTCMonth();
  const timeInMonth = (date: Date) => date.getTime() - Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  return timeInMonth(to) < timeInMonth(from) ? months - 1 : months;
}
