/** Whether a request for a page comes from the visitor and this service's own pages, or from a page of another site. */
import type { RequestContext } from '../core/request-context.ts';

/**
 * Whether the visitor opened the URL, or a page of this service requested it (W3C Fetch Metadata). Browsers omit
 * Sec-Fetch-Site over plain HTTP to other hosts, and old ones always; then only a Referer of this service shows it, which
 * its pages send to itself and no other page can set.
 */
export function isOwnRequestOfVisitor({ observed, baseUrl }: Pick<RequestContext, 'observed' | 'baseUrl'>): boolean {
  const { 'sec-fetch-site': site, referer } = observed.headers;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const from = originOf(referer ?? '');
  return from !== null && [observed.origin, baseUrl].some((own) => originOf(own) === from);
}

/** Whether a browser prefetches or prerenders the page, which the visitor may never see (Sec-Purpose, Fetch standard). */
export const isSpeculative = ({ observed }: Pick<RequestContext, 'observed'>): boolean =>
  observed.headers['sec-purpose']?.startsWith('prefetch') ?? false;

const originOf = (url: string): string | null => URL.parse(url)?.origin ?? null;
