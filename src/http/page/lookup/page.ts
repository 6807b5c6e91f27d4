/** The page of a lookup: its form, then the result, the error, or nothing if a page of another site requested it. */

import type * as z from 'zod';
import { type ErrorCode, errors, ServiceError } from '../../../core/errors.ts';
import type { Site } from '../../../core/request-context.ts';
import { lookups } from '../../../lookups/list.ts';
import type { Lookup } from '../../../lookups/lookup.ts';
import { briefOfError } from '../../../lookups/report.ts';
import { renderUntrusted, separated } from '../fragment.ts';
import { layout, type Page, renderLink } from '../layout.ts';
import { type Fragment, html } from '../markup.ts';
import { visible } from '../text.ts';
import { renderCertificates } from './certificate.ts';
import { renderDns } from './dns.ts';
import { renderDomainRecords } from './domain.ts';
import { renderGrade } from './grade.ts';
import { renderDomainAddress, renderIp } from './ip.ts';
import {
  curlFold,
  fieldIdOf,
  formOf,
  lookupsOf,
  messageForPage,
  renderForm,
  renderProblem,
  renderUnknownOrigin,
  report,
  reportPage,
  searchForm,
  searchPath,
} from './navigation.ts';
import { type LookupPage, type LookupWithPage, lookupPageOf } from './pages.ts';
import { renderRegistration } from './registration.ts';
import { type ReportStage, renderReport } from './report.ts';
import { type Result, renderJson, type Visit } from './result.ts';

export type Outcome =
  /** `left`: lookups that the client has left; null if it is not known. */
  | {
      readonly kind: 'result';
      readonly result: Result;
      /** What the lookup returned. */
      readonly json: string;
      readonly left: number | null;
      /** Whether it is about the visitor's own address. */
      readonly isAboutVisitor?: boolean;
    }
  /** The browser has the result of an earlier lookup. */
  | { readonly kind: 'shown' }
  | { readonly kind: 'error'; readonly code: ErrorCode; readonly message: string }
  /** A lookup of these values was not sent: a page of another site requested it. */
  | { readonly kind: 'waiting' }
  /** Nor was this one: nothing states which page requested it. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'empty' };

const renderers: {
  readonly [Each in LookupWithPage as Each['name']]: (value: z.infer<Each['schema']>, visit: Visit) => Result;
} = {
  rdap: renderRegistration,
  'headers-check': renderGrade,
  certificate: renderCertificates,
  dns: renderDns,
  ip: renderIp,
  'domain-dns': renderDomainRecords,
  'domain-address': renderDomainAddress,
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
    pageTextOf(formOf(lookup), values, outcome.kind === 'error'),
    html`<div class="card tool">
${renderForm(formOf(lookup), values, {
  left: outcome.kind === 'result' ? outcome.left : null,
  isInvalid: outcome.kind === 'error' && isAboutValue(outcome),
})}
${renderOutcome(lookup, values, outcome)}
${hasEndpoint(lookup) && curlFold(lookup, site.baseUrl)}
</div>`,
    site,
  );

/** Whether the visitor has to change the value; other errors pass, or concern another server. */
const isAboutValue = ({ code }: { readonly code: ErrorCode }): boolean => errors[code].status === 400;

/** The report about a domain. Throws a ServiceError if the visitor requested one about what is not a name. */
export function renderReportPage(name: string, stage: ReportStage, site: Site): string {
  const subject = stage === 'lookup' ? reportPage.nameOf(name) : validName(reportPage, [name]);
  return renderPage(
    pageTextOf(report, new URLSearchParams({ name }), false),
    renderReport(subject ?? name, stage, site),
    site,
  );
}

export const renderReportError = (name: string, error: Pick<ServiceError, 'code' | 'message'>, site: Site): string => {
  const values = new URLSearchParams({ name });
  const isInvalid = isAboutValue(error);
  return renderPage(
    pageTextOf(report, values, true),
    html`<div class="card tool">${renderForm(report, values, { isInvalid })}
<div class="result">${renderProblem(error, isInvalid ? fieldIdOf(reportPage) : null)}</div></div>`,
    site,
  );
};

const searchTitle = 'Lookups';

/** The field for every lookup, if what the visitor typed leads to none of them. */
export function renderSearchPage(
  typed: string,
  error: Pick<ServiceError, 'code' | 'message'> | null,
  site: Site,
): string {
  const isInvalid = error !== null && isAboutValue(error);
  return renderPage(
    {
      path: searchPath,
      title: `${error === null ? '' : 'Error: '}${searchTitle}`,
      heading: html`${searchTitle}`,
      description: 'Lookups of domains, URLs, IP addresses, networks and AS numbers',
    },
    html`<div class="card tool">${error && renderProblem(error, isInvalid ? 'search' : null)}${searchForm(typed, isInvalid)}</div>`,
    site,
  );
}

interface PageText extends Pick<Page, 'title' | 'description' | 'query'> {
  readonly path: string;
  readonly heading: Fragment;
}

/**
 * Title, heading and URL of a lookup's page, which previews and share buttons show: they name what is looked up. The query comes from
 * the visitor or from a link, so that only a valid one is repeated.
 */
function pageTextOf(
  { page, parameter }: { readonly page: LookupPage } & Pick<Lookup, 'parameter'>,
  values: URLSearchParams,
  isError: boolean,
): PageText {
  const { path, title, description, subject } = page;
  const prefix = isError ? 'Error: ' : '';
  const name = validName(page, values.getAll(parameter.name));
  if (name === null) return { path, title: `${prefix}${title}`, heading: html`${title}`, description };
  return {
    path,
    query: `${values}`,
    title: `${prefix}${visible(name)}: ${subject}`,
    heading: html`${renderUntrusted(name)}<span class="subject">: ${subject}</span>`,
    description,
  };
}

function validName({ nameOf }: Pick<LookupPage, 'nameOf'>, typed: readonly string[]): string | null {
  if (typed.length !== 1 || typed[0] === '') return null;
  try {
    return nameOf(typed[0] ?? '');
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

/** A page below links to all lookups, which look like tabs. */
function renderPage({ heading, title, ...text }: PageText, content: Fragment, site: Site): string {
  const pages = [reportPage, ...lookupsOf(site.deployment).map(lookupPageOf)];
  return layout(
    { ...text, title: `${title} · Seenby`, isIndexed: false, site },
    html`<header class="document">
<h1>${heading}</h1>
</header>
<nav class="tabs" aria-label="Lookups">${separated(pages.map((page) => renderLink([page.path, page.tab], text.path)))}</nav>
${content}`,
    'text',
  );
}

/** Parts of a report have only a page. */
const hasEndpoint = ({ name }: Lookup): boolean => lookups.some((each) => each.name === name);

function renderOutcome(lookup: Lookup, values: URLSearchParams, outcome: Outcome): Fragment | string {
  if (outcome.kind === 'empty') return '';
  if (outcome.kind === 'waiting')
    return html`<p class="small">Filled in by the link you followed. Nothing is sent until you press ${lookupPageOf(lookup).action}.</p>`;
  if (outcome.kind === 'unknown') return renderUnknownOrigin(lookupPageOf(lookup).action);
  // The script shows what it has kept, or opens this URL.
  const again = `${lookupPageOf(lookup).path}?${values}`;
  if (outcome.kind === 'shown')
    return html`<h2 class="sr">Result</h2>
<div class="result" data-again="${again}"></div><p class="no-js"><a href="${again}">${lookupPageOf(lookup).action}</a></p>`;
  // The script reads data-summary, and that of a report data-brief.
  if (outcome.kind === 'error') {
    const message = messageForPage(outcome.message);
    return html`<h2 class="sr">Error</h2>
<div class="result" data-summary="${visible(message)}" data-brief="${visible(briefOfError({ message }))}">${renderProblem(outcome, isAboutValue(outcome) ? fieldIdOf(lookupPageOf(lookup)) : null)}</div>`;
  }
  const { result, json, isAboutVisitor } = outcome;
  return html`<h2 class="sr">Result</h2>
<div class="result" data-summary="${visible(result.summary)}" data-brief="${visible((result.brief ?? []).join(' · '))}" data-again="${again}"${isAboutVisitor && html` data-visitor`}>${result.content}
<p class="small"><a href="${again}">Link to this lookup</a></p>
${hasEndpoint(lookup) && renderJson(json, lookupPageOf(lookup).subject, `${lookup.path}?${values}`)}</div>`;
}
