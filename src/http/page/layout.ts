/** The frame of every page: complete without scripts, one request to show. */
import { html, raw } from 'hono/html';
import { attribution } from '../terms.ts';
import { script, style } from './assets.ts';
import type { Fragment } from './fragment.ts';

const mark = raw(
  '<path fill="none" stroke="currentColor" stroke-width="2" d="M2 12c2.6-4.7 6-7 10-7s7.4 2.3 10 7c-2.6 4.7-6 7-10 7s-7.4-2.3-10-7z"/><circle cx="12" cy="12" r="3.4" fill="currentColor"/>',
);
const icon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" color="#1c9c83">${mark}</svg>`,
)}`;

const links: readonly (readonly [href: string, text: string])[] = [
  ['/#lookups', 'Lookups'],
  ['/#agents', 'AI agents'],
  ['/docs', 'Docs'],
  ['/privacy', 'Privacy'],
];

interface Page {
  readonly path: string;
  readonly title: string;
  readonly description: string;
}

export function layout({ path, title, description }: Page, main: Fragment): string {
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="${icon}">
<style>${raw(style)}</style>
</head>
<body>
<a class="sr skip" href="#main">Skip to the content</a>
<header class="frame bar">
<a class="brand" href="/"><svg viewBox="0 0 24 24" aria-hidden="true">${mark}</svg>Seenby</a>
<nav class="bar" aria-label="Pages">${links.map(
    ([href, text]) => html`<a href="${href}"${href === path ? raw(' aria-current="page"') : ''}>${text}</a>`,
  )}</nav>
</header>
<main id="main" class="frame">
${main}
</main>
<footer class="frame">
<p>${links.slice(2).map(([href, text]) => html`<a href="${href}">${text}</a>`)}<a href="/openapi.json">OpenAPI</a><a href="/llms.txt">llms.txt</a></p>
<p><a href="${attribution.url}">${attribution.text}</a> ${attribution.licence} · map made with Natural Earth</p>
</footer>
<p class="sr" role="status" id="said"></p>
<script type="module">${raw(script)}</script>
</body>
</html>
`}`;
}
