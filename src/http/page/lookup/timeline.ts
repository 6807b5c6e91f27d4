/** Renders dates of a registration: marks on a line, with each date and its age below its mark. */
import { html } from 'hono/html';
import { formatAge } from '../../../core/text.ts';
import type { Fragment } from '../fragment.ts';

/** Columns of the line, and those that a date needs at least. */
const columns = 20;
const minGap = 4;

/** Null if no date is known. Each date stands under its mark, today among them. */
export function renderDates(dates: Readonly<Record<string, string | null>>, nowMs: number): Fragment | null {
  const known = Object.entries(dates).map(([term, date]) => ({ term, ms: Date.parse(date ?? '') }));
  const today = { term: 'Today', ms: nowMs };
  const marks = [...known, today].filter(({ ms }) => !Number.isNaN(ms)).toSorted((a, b) => a.ms - b.ms);
  if (marks.length === 1) return null;
  const starts = spread(marks.map(({ ms }) => ms));
  const items = marks.map((mark, n) => {
    const look = mark === today ? 'today' : n < marks.indexOf(today) ? 'past' : 'ahead';
    const age = mark === today ? '' : html`<span class="small">${formatAge(mark.ms, nowMs)}</span>`;
    return html`<li class="${look} from-${starts[n]} to-${starts[n + 1] ?? columns + 1}"><span class="small">${mark.term}</span><b>${formatDay(mark.ms)}</b>${age}</li>`;
  });
  return html`<ol class="timeline">${items}</ol>`;
}

/** First columns to scale, moved apart where they would be closer than the smallest gap. `times` are in order, at most 5. */
export function spread(times: readonly number[]): readonly number[] {
  const [first = 0, last = first] = [times[0], times.at(-1)];
  const end = columns - minGap;
  const starts = times.map((ms) => 1 + Math.round((end * (ms - first)) / (last - first || 1)));
  for (let n = 1; n < starts.length; n++) starts[n] = Math.max(starts[n] ?? 0, (starts[n - 1] ?? 0) + minGap);
  let limit = end + 1;
  for (let n = starts.length - 1; n >= 0; n--) {
    starts[n] = Math.min(starts[n] ?? 0, limit);
    limit = (starts[n] ?? 0) - minGap;
  }
  return starts;
}

const formatDay = (ms: number): string =>
  new Date(ms).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
