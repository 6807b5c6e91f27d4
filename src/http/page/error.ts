/** The page for an error. */
import { html } from 'hono/html';
import { errors, type ServiceError } from '../../core/errors.ts';
import type { Site } from '../../core/request-context.ts';
import { renderUntrusted } from './fragment.ts';
import { errorAssets, layout } from './layout.ts';

export function errorPage({ code, message }: Pick<ServiceError, 'code' | 'message'>, site: Site): string {
  const { status } = errors[code];
  return layout(
    { path: null, title: `Error ${status} · Seenby`, description: message, isIndexed: false, site },
    html`<article class="document">
<h1>Error ${status}</h1>
<p class="lead">${renderUntrusted(message)}</p>
<p><a href="/docs#error-${code}"><code>${code}</code></a> · <a href="/">Front page</a> · <a href="/docs">Documentation</a></p>
</article>`,
    errorAssets,
  );
}
