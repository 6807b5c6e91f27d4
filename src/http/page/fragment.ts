/** Pieces of pages that show what strangers sent. */
import { html } from 'hono/html';
import { pieces } from './unseen.ts';

export type Fragment = ReturnType<typeof html>;

/** Text of a stranger: turned no other way than it was sent, and what would be invisible named by its code point. */
export function shown(text: string): Fragment {
  return html`<bdi>${[...pieces(text)].map((piece) =>
    piece.isUnseen ? html`<span class="unseen">${piece.text}</span>` : piece.text,
  )}</bdi>`;
}

/** A command to copy; `what` says to those who hear the button which. */
export function command(line: string, what: string): Fragment {
  return html`<div class="command"><code>${line}</code><button type="button" class="copy quiet" aria-label="Copy ${what}">Copy</button></div>`;
}

/** One word of a shell, whatever stands in it (POSIX Shell §2.2.2). */
export const quoted = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A table of cells under its headings; narrow screens show the headings beside the cells. */
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
