/** HTML fragments shared by the pages: untrusted text, commands, tables. */

import type { Deployment, Site } from '../../core/request-context.ts';
import { beginningOf, formatCount, invisible } from '../../core/text.ts';
import { memoize } from '../response.ts';
import { type Fragment, html, raw } from './markup.ts';
import { codePointOf } from './text.ts';

/** Invisible characters of one text that are shown: each becomes an element, and a header can consist of thousands. */
const maxInvisible = 20;

/**
 * The beginning of an untrusted text, isolated from the text direction around it, and the number of characters that follow. Invisible
 * characters become their code points; above `maxInvisible`, the text ends.
 */
export function renderUntrusted(text: string, shownLength = text.length): Fragment {
  if (text.length <= shownLength && text.search(invisible) === -1) return html`<bdi>${text}</bdi>`;
  const beginning = beginningOf(text, shownLength);
  const end = beginning.matchAll(invisible).drop(maxInvisible).next().value?.index ?? beginning.length;
  // Escaping neither adds nor removes an invisible character.
  const shown = String(html`<bdi>${text.slice(0, end)}</bdi>`).replace(invisible, renderMark);
  const left = text.length - end;
  return html`${raw(shown)}${left > 0 && html` <span class="none">… ${formatCount(left, 'more character')}</span>`}`;
}

/** A name or an IP address that breaks first between its groups, if it is one of version 6. */
export const breakable = (ip: string): Fragment =>
  html`${ip.split(/(?<=:)(?!:)/).map((group, at) => html`${at > 0 && html`<wbr>`}${renderUntrusted(group)}`)}`;

const renderMark = (mark: string): string => `<span class="invisible">${codePointOf(mark)}</span>`;

/** Stands for the service's URL in markup that is rendered once. */
const anyUrl = 'https://url.invalid';

/** URLs that need neither escapes in markup nor quotes in a shell. */
const plainUrl = /^[\w./:-]+$/;

/** Markup that depends only on the service's URL: rendered once, without the URL, which may have the Host of a request. */
export function createTemplate(render: (baseUrl: string) => string): (baseUrl: string) => string {
  let parts: readonly string[] | null = null;
  return (baseUrl) => {
    if (!plainUrl.test(baseUrl)) return render(baseUrl);
    parts ??= render(anyUrl).split(anyUrl);
    return parts.join(baseUrl);
  };
}

/** Markup that depends only on the deployment and on the service's URL. */
export function createStatic(render: (site: Site) => string): (site: Site) => string {
  const templateOf = memoize((deployment: Deployment) => createTemplate((baseUrl) => render({ deployment, baseUrl })));
  return ({ deployment, baseUrl }) => templateOf(deployment)(baseUrl);
}

/** Neighbors in a row, with spaces: text browsers have no other gap between them. */
export const separated = (items: readonly Fragment[]): Fragment => html`${items.map((item) => html`${item} `)}`;

/** For text browsers, which show what only a script fills in. */
export const needsScript = html`<p class="small no-js">Needs a browser with scripts.</p>`;

/** A command with a copy button; `what` completes the button's accessible name. */
export const command = (line: string, what: string): Fragment =>
  html`<div class="command"><code>${line}</code> <button type="button" class="copy quiet" aria-label="Copy ${what}">Copy</button></div>`;

/** Closed content; a link to its anchor opens it, also without scripts. In print it is open. */
export const fold = (id: string, title: Fragment | string, content: Fragment): Fragment =>
  html`<details class="all">${folded(id, title, content)}</details>`;

/** Content that can be closed. */
export const openFold = (id: string, title: Fragment | string, content: Fragment): Fragment =>
  html`<details class="all" open>${folded(id, title, content)}</details>`;

const folded = (id: string, title: Fragment | string, content: Fragment): Fragment =>
  html`<summary>${title}</summary><div id="${id}">${content}</div>`;

/** Quotes a word for a POSIX shell if it needs quotes (POSIX Shell §2.2.2). */
export const quoteForShell = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A table; narrow screens show each cell's heading beside it. */
export const table = (headings: readonly string[], rows: readonly (readonly (string | Fragment)[])[]): Fragment =>
  html`<table>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ([first = '', ...cells]) =>
    html`<tr><th scope="row">${first}</th>${cells.map((cell, n) =>
      cell === '' ? html`<td></td>` : html`<td data-of="${headings[n + 1] ?? ''}">${cell}</td>`,
    )}</tr>\n`,
)}</tbody>
</table>`;
