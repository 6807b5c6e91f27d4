/** Layout of every page: head, header, footer, inline style and script. Works without scripts, and needs no other request. */

import type { Probes, Site } from '../../core/request-context.ts';
import { iconPaths, serverInfo } from '../../mcp/server-info.ts';
import { attributionsOf, linkOf } from '../usage-policy.ts';
import { separated } from './fragment.ts';
import { beginScript, errorStyle, probesScript, script, style, textScript } from './generated/assets.ts';
import { icon, iconShapes } from './icon.ts';
import { type Fragment, html, raw } from './markup.ts';

export interface Page {
  /** Null for a page without a path of its own. */
  readonly path: string | null;
  /** Query that selects the page's subject, for its canonical URL; absent if there is none. */
  readonly query?: string;
  readonly title: string;
  readonly description: string;
  /** False to keep it out of search engines. */
  readonly isIndexed?: boolean;
  readonly site: Pick<Site, 'deployment'>;
}

type Link = readonly [href: string, text: string];

const links: readonly Link[] = [
  ['/#lookups', 'Lookups'],
  ['/#agents', 'AI agents'],
  ['/docs', 'Docs'],
  ['/privacy', 'Privacy'],
];

/** Pages of text need the script only for copy buttons; error pages need none. */
const assets = {
  home: { style, script },
  text: { style, script: textScript },
  error: { style: errorStyle, script: null },
} as const;

const renderScript = (script: string): Fragment => html`<script type="module">${raw(script)}</script>`;

export function layout(page: Page, main: Fragment, kind: keyof typeof assets): string {
  const { style, script } = assets[kind];
  const { contact, probes } = page.site.deployment;
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head(page)}
${script && html`<script>${raw(beginScript)}</script>`}
<style>${raw(style)}</style>
</head>
<body>
<a class="sr skip" href="#main">Skip to content</a>
<header class="frame bar">
<a class="brand" href="/"><svg viewBox="0 0 24 24" aria-hidden="true">${raw(iconShapes)}</svg>Seenby</a>
<nav class="bar" aria-label="Pages">${separated((kind === 'home' ? links.slice(2) : links).map((link) => renderLink(link, page.path)))}</nav>
</header>
<main id="main" class="frame">
${main}
</main>
<footer class="frame">
<p>${separated(links.slice(2).map((link) => renderLink(link)))} <a href="/openapi.json">OpenAPI</a> <a href="/llms.txt">llms.txt</a>${
    contact && html` <a href="${linkOf(contact)}">Contact</a>`
  }</p>
<p>Seenby ${serverInfo.version} · ${attributionsOf(page.site.deployment).map(({ text, url, license }) => html`<a href="${url}">${text}</a> ${license} · `)}map data: Natural Earth</p>
</footer>
${script && html`<p class="sr" role="status" id="status"></p>\n${renderScript(script)}`}${kind === 'home' && hasProbe(probes) && renderScript(probesScript)}
</body>
</html>
`);
}

const hasProbe = (probes: Probes | undefined): boolean => Object.values(probes ?? {}).some((probe) => probe);

/** `path`: the path of the page with the link. */
export const renderLink = ([href, text]: Link, path: string | null = null): Fragment =>
  html`<a href="${href}"${href === path && raw(' aria-current="page"')}>${text}</a>`;

/** Background of the pages, as in browser/base.css. */
export const themeColors = { light: '#fbfbf9', dark: '#0f1211' } as const;

const iconUrl = `data:image/svg+xml,${encodeURIComponent(icon)}`;

/**
 * The manifest (W3C Web Application Manifest) for home screens, in the page: Chromium would request a file with each visit. Its
 * start URL is by default the page itself.
 */
const manifest = JSON.stringify({
  name: serverInfo.title,
  description: serverInfo.description,
  // An ordinary tab: the address bar belongs to a page that shows what a site sees.
  display: 'browser',
  background_color: themeColors.light,
  theme_color: themeColors.light,
  icons: [{ src: iconUrl, type: 'image/svg+xml', sizes: 'any' }],
});

/** Absolute URLs only from the settings: the Host of a request is the client's, and previews are cached. */
function head({ path, query, title, description, isIndexed = true, site }: Page): Fragment {
  const { publicUrl } = site.deployment;
  const url = publicUrl !== null && path !== null && `${publicUrl}${path}${query === undefined ? '' : `?${query}`}`;
  return html`<title>${title}</title>
<meta name="description" content="${description}">
${!isIndexed && html`<meta name="robots" content="noindex">`}
<meta property="og:type" content="website">
<meta property="og:site_name" content="${serverInfo.title}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${url && html`<meta property="og:url" content="${url}"><link rel="canonical" href="${url}">`}
${publicUrl && html`<meta property="og:image" content="${publicUrl}${iconPaths.png}">`}
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${themeColors.light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${themeColors.dark}">
${path === '/' && html`<link rel="manifest" href="data:application/manifest+json,${encodeURIComponent(manifest)}">`}
<link rel="icon" href="${iconUrl}">`;
}
