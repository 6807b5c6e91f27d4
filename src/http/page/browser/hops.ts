/** The responses on the way to the last one. */
import type { HeaderCheck } from '../../../lookups/headers-check/header-check.ts';
import { chip, element, linked, shown } from './elements.ts';

export function hopChain(hops: HeaderCheck['hops']): HTMLElement {
  return element(
    'ol',
    { class: 'hops' },
    ...hops.map(({ url, status, location }) =>
      element(
        'li',
        {},
        chip(String(status), status < 400 ? '' : 'bad'),
        ' ',
        linked(url),
        location === null ? null : element('p', { class: 'small' }, 'redirects to ', shown(location)),
      ),
    ),
  );
}
