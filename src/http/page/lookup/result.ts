/** Fragments of lookup results. Every value is untrusted, so text and lists are bounded and only http(s) links are clickable. */

import { formatCount, invisible } from '../../../core/text.ts';
import { renderUntrusted } from '../fragment.ts';
import { type Fragment, html } from '../markup.ts';

/** A rendered result of a lookup. */
export interface Result {
  /** Summary of the result, for the page's title and for screen readers. */
  readonly summary: string;
  /** Its most important facts, for one line about a domain; absent if a report has no such part. */
  readonly brief?: readonly string[];
  readonly content: Fragment;
}

/** The values on which a result depends besides its lookup. */
export interface Visit {
  readonly nowMs: number;
  /** AS number of the visitor; null if not known. */
  readonly asn: number | null;
}

/** Longest text of one value, and most entries of one list: a hostile server can send as much as the lookup reads. */
const maxTextLength = 1000;
export const maxListed = 50;

/** The beginning of an untrusted text, and the number of characters that follow. */
export const renderClipped = (text: string, shownLength = maxTextLength): Fragment =>
  renderUntrusted(text, shownLength);

/** The first entries of a list, and the number of those left out. */
export function renderList<Item>(
  items: readonly Item[],
  look: string,
  renderItem: (item: Item) => Fragment,
): Fragment | null {
  if (items.length === 0) return null;
  const left = items.length - maxListed;
  return html`<ul class="${look}">${items.slice(0, maxListed).map((item) => html`<li>${renderItem(item)}</li>`)}${
    left > 0 ? html`<li class="none">and ${left} more</li>` : ''
  }</ul>`;
}

/** A link if the untrusted URL is http or https; otherwise text. */
export function renderLink(address: string, text = address, shownLength = maxTextLength): Fragment {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > maxTextLength)
    return renderClipped(address, shownLength);
  return html`<a href="${url.href}" rel="noreferrer nofollow">${renderClipped(text, shownLength)}</a>`;
}

export const chip = (text: string, look = 'plain'): Fragment =>
  html`<span class="chip ${look}">${renderClipped(text, 100)}</span>`;

/** Text is untrusted. */
export type Fact = readonly [term: string, value: Fragment | string | null];

/** A description list; terms without a value are omitted. */
export function facts(rows: readonly Fact[]): Fragment {
  const known = rows.filter(([, value]) => value !== null && value !== '');
  const left = known.length - maxListed;
  return html`<dl class="facts">${known
    .slice(0, maxListed)
    .map(([term, value]) => html`<dt>${renderClipped(term, 100)}</dt><dd>${renderValue(value)}</dd>`)}${
    left > 0 ? html`<dt class="none">and ${left} more</dt>` : ''
  }</dl>`;
}

const renderValue = (value: Fact[1]): Fact[1] => (typeof value === 'string' ? renderClipped(value) : value);

/** The name of what was found, with a line of detail. */
export const resultTitle = (text: string, detail: Fact[1] = null): Fragment =>
  html`<div class="part"><h3 class="who">${renderClipped(text, 300)}</h3>${detail && html`<p class="small">${renderValue(detail)}</p>`}</div>`;

/** States of an item in a list of checks: its look, its name for assistive technology, and the path of its icon. */
const marks = {
  failed: ['failed', 'failed', 'M6 6l12 12M18 6L6 18'],
  advice: ['advice', 'passed, can be improved', 'M12 6v7M12 17.5v.5'],
  passed: ['passed', 'passed', 'M5 12.5l4.5 4.5L19 7.5'],
  idle: ['idle', 'does not apply', 'M6 12h12'],
  unknown: ['idle', 'not known', 'M9 9.5a3 3 0 1 1 3 3v1.5M12 17.5v.5'],
} as const;
export type Mark = keyof typeof marks;

/** An item of a list of checks; `aside` stands at its right. */
export function renderCheckItem(
  mark: Mark,
  title: string,
  { aside = '', content }: { readonly aside?: string; readonly content: Fragment },
): Fragment {
  const [look, word, path] = marks[mark];
  return html`<li class="${look}"><svg viewBox="0 0 24 24" role="img" aria-label="${word}"><path d="${path}"/></svg>
<b>${renderClipped(title)}</b> <span class="impact">${aside}</span>
<div>${content}</div></li>`;
}

const maxJsonLength = 20_000;

/**
 * The beginning of the JSON; invisible characters except line breaks are escaped, so that it still parses to the same value. `subject`: names its
 * region, because a report has several.
 */
export function renderJson(json: string, subject: string, url: string): Fragment {
  const text = json.slice(0, maxJsonLength).replace(invisible, (mark) => (mark === '\n' ? mark : escapeUnits(mark)));
  const left = json.length - maxJsonLength;
  return html`<details class="raw"><summary>JSON</summary><pre tabindex="0" role="region" aria-label="JSON: ${subject}">${text}</pre>${
    left > 0
      ? html`<p class="small">… ${formatCount(left, 'more character')}; <a href="${url}">request all of it</a>.</p>`
      : ''
  }</details>`;
}

/** Without an array: a text can have thousands of them. */
function escapeUnits(mark: string): string {
  let escaped = '';
  for (let at = 0; at < mark.length; at += 1) escaped += `\\u${mark.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return escaped;
}
