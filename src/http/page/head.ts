/** The tags of a page's head for search engines, link previews and home screens. */
import { html } from 'hono/html';
import type { Site } from '../../core/request-context.ts';
import { iconPaths, serverInfo } from '../../mcp/server-info.ts';
import { icon } from '../icon.ts';
import type { Fragment } from './fragment.ts';

export interface Page {
  /** Null for a page without a path of its own. */
  readonly path: string | null;
  readonly title: string;
  readonly description: string;
  /** False to keep it out of search engines. */
  readonly isIndexed?: boolean;
  readonly site: Pick<Site, 'deployment'>;
}

/** Background of the pages, as in browser/base.css. */
export const themeColors = { light: '#fbfbf9', dark: '#0f1211' } as const;

export const iconUrl = `data:image/svg+xml,${encodeURIComponent(icon)}`;

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
export function head({ path, title, description, isIndexed = true, site }: Page): Fragment {
  const { publicUrl } = site.deployment;
  const url = publicUrl !== null && path !== null && publicUrl + path;
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
