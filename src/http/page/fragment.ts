/** HTML fragments shared by the pages: untrusted text, commands, tables. */
import { html } from 'hono/html';
import type { Deployment, Site } from '../../core/request-context.ts';
import { memoize } from '../response.ts';
import { invisible, splitInvisible } from './text.ts';

export type Fragment = ReturnType<typeof html>;

/** Untrusted text, isolated from the text direction around it; invisible characters become their code points. */
export function renderUntrusted(text: string): Fragment {
  if (text.search(invisible) === -1) return html`<bdi>${text}</bdi>`;
  return html`<bdi>${[...splitInvisible(text)].map((part) =>
    part.isInvisible ? html`<span class="invisible">${part.text}</span>` : part.text,
  )}</bdi>`;
}

/** Stands for the service's URL in markup that is rendered once. */
const anyUrl = 'https://url.invalid';

/** URLs that need neither escapes in markup nor quotes in a shell. */
const plainUrl = /^[\w./:-]+$/;

/** Markup that depends only on the deployment and on the service's URL: rendered once, without the URL, which may have the Host of a request. */
export function createStatic(render: (site: Site) => string): (site: Site) => string {
  const partsOf = memoize((deployment: Deployment) => render({ deployment, baseUrl: anyUrl }).split(anyUrl));
  return (site) => (plainUrl.test(site.baseUrl) ? partsOf(site.deployment).join(site.baseUrl) : render(site));
}

/** A command with a copy button; `what` completes the button's accessible name. */
export const command = (line: string, what: string): Fragment =>
  html`<div class="command"><code>${line}</code><button type="button" class="copy quiet" aria-label="Copy ${what}">Copy</button></div>`;

/** Closed content; a link to its anchor opens it, also without scripts. In print it is open. */
export const fold = (id: string, title: Fragment | string, content: Fragment): Fragment =>
  html`<details class="all"><summary>${title}</summary><div id="${id}">${content}</div></details>`;

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
