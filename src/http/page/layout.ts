/** Layout of every page: header, footer, inline style and script. Works without scripts, and needs no other request. */
import { html, raw } from 'hono/html';
import { iconShapes } from '../icon.ts';
import { asnAttribution, attribution } from '../usage-policy.ts';
import type { Fragment } from './fragment.ts';
import { errorStyle, script, style, textScript } from './generated/assets.ts';
import { head, type Page } from './head.ts';

type Link = readonly [href: string, text: string];

const links: readonly Link[] = [
  ['/#lookups', 'Lookups'],
  ['/#agents', 'AI agents'],
  ['/docs', 'Docs'],
  ['/privacy', 'Privacy'],
];

interface Assets {
  readonly style: string;
  readonly script: string | null;
}

/** For pages of text: only copy buttons need the script. */
export const textAssets: Assets = { style, script: textScript };

export const errorAssets: Assets = { style: errorStyle, script: null };

export function layout(page: Page, main: Fragment, assets: Assets = { style, script }): string {
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head(page)}
<style>${raw(assets.style)}</style>
</head>
<body>
<a class="sr skip" href="#main">Skip to content</a>
<header class="frame bar">
<a class="brand" href="/"><svg viewBox="0 0 24 24" aria-hidden="true">${raw(iconShapes)}</svg>Seenby</a>
<nav class="bar" aria-label="Pages">${links.map((link) => renderLink(link, page.path))}</nav>
</header>
<main id="main" class="frame">
${main}
</main>
<footer class="frame">
<p>${links.slice(2).map((link) => renderLink(link))}<a href="/openapi.json">OpenAPI</a><a href="/llms.txt">llms.txt</a></p>
<p><a href="${attribution.url}">${attribution.text}</a> ${attribution.license} · <a href="${asnAttribution.url}">${asnAttribution.text}</a>
${asnAttribution.license} · map data: Natural Earth</p>
</footer>
${assets.script && html`<p class="sr" role="status" id="status"></p>\n<script type="module">${raw(assets.script)}</script>`}
</body>
</html>
`}`;
}

/** `path`: that of the page with the link. */
export const renderLink = ([href, text]: Link, path: string | null = null): Fragment =>
  html`<a href="${href}"${href === path && raw(' aria-current="page"')}>${text}</a>`;
