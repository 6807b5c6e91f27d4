/** The report about a domain: four lookups on one page, each of which the browser script loads by itself. Without scripts, links. */
import { html } from 'hono/html';
import { limitsOf, windowSeconds } from '../../../core/limits.ts';
import type { Site } from '../../../core/request-context.ts';
import { domainAddress, domainParameter, domainPattern, domainRecords } from '../../../lookups/domain-parts.ts';
import { headerLookup, registrationLookup } from '../../../lookups/list.ts';
import type { Fragment } from '../fragment.ts';
import { renderForm } from './form.ts';
import { pathOf } from './links.ts';

export const reportPage = {
  path: '/lookup/domain',
  title: 'Domain report',
  pattern: domainPattern,
  action: 'Create report',
  description: 'Registration, DNS, header grade and location of a domain on one page',
} as const;

const parts = [
  ['Registration', registrationLookup, (name: string) => name],
  ['DNS', domainRecords, (name: string) => name],
  ['Security headers', headerLookup, (name: string) => `https://${name}/`],
  ['Address', domainAddress, (name: string) => name],
] as const;

/** `isRequested`: whether the visitor requested the report, so that the script may load it. */
export function renderReport(name: string, isRequested: boolean, { deployment }: Site): Fragment {
  const limit = limitsOf(deployment).lookup;
  const cost = `A report counts as ${parts.length} lookups${limit > 0 ? `, of ${limit} per ${windowSeconds} seconds` : ''}.`;
  const form = html`<div class="card tool">${renderForm({ page: reportPage, parameter: domainParameter, options: [] }, new URLSearchParams({ name }))}
<p class="small">${cost}${name !== '' && !isRequested && ' Nothing is sent until you press the button or a link.'}</p></div>`;
  if (name === '') return form;
  return html`${form}
${parts.map(([title, { page, parameter }, complete]) => {
  const href = pathOf(page.path, parameter.name, complete(name));
  return html`<div class="card loaded"${isRequested && html` data-load="${href}"`}><h2>${title}</h2><div class="result"><p><a href="${href}">${page.action}</a></p></div></div>`;
})}`;
}
