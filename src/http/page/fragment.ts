/** HTML fragments shared by the pages: untrusted text, commands, tables. */
import { html } from 'hono/html';
import type { Deployment, Site } from '../../core/request-context.ts';
import { invisible, splitInvisible } from './invisible.ts';

export type Fragment = ReturnType<typeof html>;

/** Untrusted text, isolated from the text direction around it; invisible characters become their code points. */
export function renderUntrusted(text: string): Fragment {
  if (text.search(invisible) === -1) return html`<bdi>${text}</bdi>`;
  return html`<bdi>${[...splitInvisible(text)].map((part) =>
    part.isInvisible ? html`<span class="invisible">${part.text}</span>` : part.text,
  )}</bdi>`;
}

/**
 * A part of a page that depends only on the deployment: rendered once if its URL is set. Without one, the part contains the Host of
 * the request, which must not be stored.
 */
export function createStatic<Part extends object>(render: (site: Site) => Part): (site: Site) => Part {
  const rendered = new WeakMap<Deployment, Part>();
  return (site) => {
    const part = rendered.get(site.deployment) ?? render(site);
    if (site.deployment.publicUrl !== null) rendered.set(site.deployment, part);
    return part;
  };
}

/** A command with a copy button; `what` completes the button's accessible name. */
export function command(line: string, what: string): Fragment {
  return html`<div class="command"><code>${line}</code><button type="button" class="copy quiet" aria-label="Copy ${what}">Copy</button></div>`;
}

/** A section of the start page; `id` is that of its heading. */
export function section(id: string, title: string, content: Fragment): Fragment {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}
</section>`;
}

/** Closed content; a link to its anchor opens it, also without scripts. In print it is open. */
export const fold = (id: string, title: Fragment | string, content: Fragment): Fragment =>
  html`<details class="all"><summary>${title}</summary><div id="${id}">${content}</div></details>`;

/** Quotes a word for a POSIX shell if it needs quotes (POSIX Shell §2.2.2). */
export const quoteForShell = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A table; narrow screens show each cell's heading beside it. */
export function table(headings: readonly string[], rows: readonly (readonly (string | Fragment)[])[]): Fragment {
  return html`<table>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ([first = '', ...cells]) =>
    html`<tr><th scope="row">${first}</th>${cells.map((cell, n) =>
      cell === '' ? html`<td></td>` : html`<td data-of="${headings[n + 1] ?? ''}">${cell}</td>`,
    )}</tr>\n`,
)}</tbody>
</table>`;
}
