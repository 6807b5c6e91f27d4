/** One field for every lookup: it recognizes a domain, a URL, an IP address, a CIDR block or an AS number. */
import { html } from 'hono/html';
import { parseAddress } from '../../../core/address.ts';
import { addressLookup, headerLookup, recordLookup, registrationLookup } from '../../../lookups/list.ts';
import type { Lookup } from '../../../lookups/lookup.ts';
import { parseQuery } from '../../../lookups/rdap/query.ts';
import type { Fragment } from '../fragment.ts';
import { pathOf } from './links.ts';
import { reportPage } from './report.ts';

export const searchPath = '/lookup';
export const searchLabel = 'Domain, URL, IP address, CIDR block or AS number';

/** `typed`: what to fill in. */
export const searchForm = (typed = ''): Fragment => html`<form class="search" action="${searchPath}" role="search">
<label for="search">${searchLabel}</label>
<div class="ask"><input id="search" name="q" value="${typed}" placeholder="example.com" required maxlength="2048" autocomplete="off" autocapitalize="none" spellcheck="false"><button>Look up</button></div>
</form>`;

/** The path and query of the page for what a visitor typed; null if it is none of these. */
export function recognize(typed: string): string | null {
  const text = typed.trim().replace(/^mailto:|^[^@/\s]+@/, '');
  const to = ({ page, parameter }: Pick<Lookup, 'page' | 'parameter'>): string =>
    pathOf(page.path, parameter.name, text);
  if (parseAddress(text) !== null) return to(addressLookup);
  if (/^https?:\/\//i.test(text)) return to(headerLookup);
  const query = tryParse(text);
  if (query === null) return recognizeUrl(text);
  if (query.kind !== 'domain' || !query.fullName.includes('.')) return to(registrationLookup);
  // Such as _dmarc.example.com, which is no registered domain.
  if (query.fullName.includes('_')) return to(recordLookup);
  return pathOf(reportPage.path, 'name', query.fullName);
}

/** A URL without a scheme. */
const recognizeUrl = (text: string): string | null =>
  /^[^\s/:]+\.[^\s/:]+(:\d+)?(\/\S*)?$/.test(text)
    ? pathOf(headerLookup.page.path, headerLookup.parameter.name, `https://${text}`)
    : null;

function tryParse(text: string): ReturnType<typeof parseQuery> | null {
  try {
    return parseQuery(text);
  } catch {
    return null;
  }
}
