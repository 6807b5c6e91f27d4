/** Renders a redirect chain: the status and URL of each response. */
import type { HeaderCheck } from '../../../lookups/headers-check/schema.ts';
import { createChip, createElement, createLink, renderUntrusted } from './elements.ts';

export function renderHops(hops: HeaderCheck['hops']): HTMLElement {
  return createElement(
    'ol',
    { class: 'hops' },
    ...hops.map(({ url, status, location }) =>
      createElement(
        'li',
        {},
        createChip(String(status), status < 400 ? '' : 'bad'),
        ' ',
        createLink(url),
        location === null ? null : createElement('p', { class: 'small' }, 'redirects to ', renderUntrusted(location)),
      ),
    ),
  );
}
