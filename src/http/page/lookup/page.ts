/** The page of a lookup: its form, then the result, the error, or nothing if a page of another site requested it. */
import { html } from 'hono/html';
import type * as z from 'zod';
import type { ErrorCode } from '../../../core/errors.ts';
import type { Site } from '../../../core/request-context.ts';
import { type domainParts, lookups } from '../../../lookups/list.ts';
import type { Lookup } from '../../../lookups/lookup.ts';
import { type Fragment, renderUntrusted, separated } from '../fragment.ts';
import { layout, renderLink } from '../layout.ts';
import { visible } from '../text.ts';
import { renderDns } from './dns.ts';
import { renderDomainRecords } from './domain.ts';
import { renderGrade } from './grade.ts';
import { renderIp } from './ip.ts';
import { curlFold, renderForm, renderReport, reportPage, searchForm, searchPath } from './navigation.ts';
import { renderRegistration } from './registration.ts';
import { type Result, renderJson, type Visit } from './result.ts';

export type Outcome =
  /** `left`: lookups that the client has left; null if it is not known. */
  | { readonly kind: 'result'; readonly result: Result; readonly value: object; readonly left: number | null }
  | { readonly kind: 'error'; readonly code: ErrorCode; readonly message: string }
  /** A lookup of these values was not sent. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'empty' };

type AnyLookup = (typeof lookups | typeof domainParts)[number];

const renderers: {
  readonly [Each in AnyLookup as Each['name']]: (value: z.infer<Each['schema']>, visit: Visit) => Result;
} = {
  rdap: renderRegistration,
  'headers-check': renderGrade,
  dns: renderDns,
  ip: renderIp,
  'domain-dns': renderDomainRecords,
  'domain-address': renderIp,
};

/** Renders what the lookup returned. */
export function renderResult({ name }: Lookup, value: object, visit: Visit): Result {
  return (renderers[name as keyof typeof renderers] as (value: object, visit: Visit) => Result)(value, visit);
}

export const renderLookupPage = (
  lookup: Lookup,
  outcome: Outcome,
  { values, site }: { readonly values: URLSearchParams; readonly site: Site },
): string =>
  renderPage(
    { ...lookup.page, heading: titleOf(lookup.page.title, outcome) },
    html`<div class="card tool">
${renderForm(lookup, values, outcome.kind === 'result' ? outcome.left : null)}
${renderOutcome(lookup, values, outcome)}
${hasEndpoint(lookup) && curlFold(lookup, site.baseUrl)}
</div>`,
    site,
  );

/** The report about a domain. */
export const renderReportPage = (name: string, isRequested: boolean, site: Site): string =>
  renderPage(reportPage, renderReport(name, isRequested, site), site);

/** The field for every lookup, if what the visitor typed leads to none of them. */
export const renderSearchPage = (typed: string, site: Site): string =>
  renderPage(
    {
      path: searchPath,
      title: 'Lookups',
      description: 'Lookups of domains, URLs, IP addresses, networks and AS numbers',
    },
    html`<div class="card tool">${typed !== '' && html`<p class="problem">This is no domain, URL, IP address, CIDR block or AS number.</p>`}${searchForm(typed)}</div>`,
    site,
  );

/** `heading`: the title in the head, if it is not that of the page. */
type PageText = Pick<Lookup['page'], 'path' | 'title' | 'description'> & { readonly heading?: string };

/** A page below links to all lookups, which look like tabs. */
function renderPage({ path, title, description, heading = title }: PageText, content: Fragment, site: Site): string {
  const pages = [reportPage, ...lookups.map(({ page }) => page)];
  return layout(
    { title: `${heading} · Seenby`, path, description, isIndexed: false, site },
    html`<header class="document">
<h1>${title}</h1>
</header>
<nav class="tabs" aria-label="Lookups">${separated(pages.map((page) => renderLink([page.path, page.title], path)))}</nav>
${content}`,
    'text',
  );
}

/** Parts of a report have only a page. */
const hasEndpoint = ({ name }: Lookup): boolean => lookups.some((each) => each.name === name);

/** The query comes from the visitor or from a link: the title, which link previews show, repeats only a valid one. */
function titleOf(title: string, outcome: Outcome): string {
  if (outcome.kind === 'result') return visible(outcome.result.summary);
  return outcome.kind === 'error' ? `Error: ${title}` : title;
}

function renderOutcome(lookup: Lookup, values: URLSearchParams, outcome: Outcome): Fragment | string {
  if (outcome.kind === 'empty') return '';
  if (outcome.kind === 'waiting')
    return html`<p class="small">Filled in by the link you followed. Nothing is sent until you press ${lookup.page.action}.</p>`;
  // The script of the start page reads data-summary.
  if (outcome.kind === 'error') {
    const { code, message } = outcome;
    return html`<h2 class="sr">Error</h2>
<div class="result" data-summary="${visible(message)}"><div class="problem"><p>${renderUntrusted(message)}</p><a href="/docs#error-${code}"><code>${code}</code></a></div></div>`;
  }
  const { result, value } = outcome;
  return html`<h2 class="sr">Result</h2>
<div class="result" data-summary="${visible(result.summary)}">${result.content}
<p class="small"><a href="${lookup.page.path}?${values}">Link to this lookup</a></p>
${hasEndpoint(lookup) && renderJson(value, `${lookup.path}?${values}`)}</div>`;
}
