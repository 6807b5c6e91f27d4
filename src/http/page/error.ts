/** The page for an error. */

import { errors, type ServiceError } from '../../core/errors.ts';
import type { Site } from '../../core/request-context.ts';
import { renderUntrusted } from './fragment.ts';
import { layout } from './layout.ts';
import { searchForm } from './lookup/navigation.ts';
import { html } from './markup.ts';

export function errorPage({ code, message }: Pick<ServiceError, 'code' | 'message'>, site: Site): string {
  const error = `Error ${errors[code].status}`;
  // The message is for programs.
  const notFound = ['Page not found', 'Check the URL, or go to the start page.'] as const;
  const [title, description] = code === 'not_found' ? notFound : ([error, message] as const);
  return layout(
    { path: null, title: `${title} · Seenby`, description, isIndexed: false, site },
    html`<article class="document">
<h1>${title}</h1>
<p class="lead">${renderUntrusted(description)}</p>
${searchForm()}
<p><a href="/">Start page</a> · <a href="/docs">Documentation</a> · <a class="whole" href="/docs#error-${code}">${error}, <code>${code}</code></a></p>
</article>`,
    'error',
  );
}
