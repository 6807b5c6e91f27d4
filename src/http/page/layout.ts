/** The frame of every page: works without scripts, loads nothing. */
import { html } from 'hono/html';
import { attribution } from '../terms.ts';

type Fragment = ReturnType<typeof html>;

export function layout(title: string, body: Fragment): string {
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884; }
th { font-weight: 600; }
td, code { overflow-wrap: anywhere; }
@media (min-width: 40rem) { th, td:first-child, td:first-child code { white-space: nowrap; } }
.address { font: 600 1.75rem ui-monospace, monospace; overflow-wrap: anywhere; }
nav a, footer a { margin-right: 1rem; }
footer { margin-top: 3rem; font-size: .875rem; }
</style>
</head>
<body>
<nav><a href="/">Seenby</a><a href="/docs">Documentation</a><a href="/privacy">Privacy</a></nav>
<main>
<h1>${title}</h1>
${body}
</main>
<footer><a href="${attribution.url}">${attribution.text}</a></footer>
</body>
</html>
`}`;
}

/** A table of cells under its headings. */
export function table(headings: readonly string[], rows: readonly (readonly (string | Fragment)[])[]): Fragment {
  return html`<table>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody>
</table>`;
}
