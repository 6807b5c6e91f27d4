/** The page for an error. */
import { html } from 'hono/html';
import type { ErrorCode } from '../../core/errors.ts';
import { renderUntrusted } from './fragment.ts';
import { errorAssets, layout } from './layout.ts';

export function errorPage(status: number, code: ErrorCode, message: string): string {
  return layout(
    { path: null, title: `Error ${status} · Seenby`, description: message },
    html`<article class="document">
<h1>Error ${status}</h1>
<p class="lead">${renderUntrusted(message)}</p>
<p><a href="/docs#error-${code}"><code>${code}</code></a> · <a href="/">Front page</a> · <a href="/docs">Documentation</a></p>
</article>`,
    errorAssets,
  );
}
