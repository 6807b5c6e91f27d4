/** Ways to lookups: the form of each lookup, one field for all of them, the report about a domain, and links in results. */

import { isPublicAddress, parseAddress, parsePrefix } from '../../../core/address.ts';
import { registrationTool, type ServiceError } from '../../../core/errors.ts';
import { limitsOf, windowSeconds } from '../../../core/limits.ts';
import type { Deployment, Site } from '../../../core/request-context.ts';
import { formatCount } from '../../../core/text.ts';
import { addressLookup, domainAddress, lookups, registrationLookup } from '../../../lookups/list.ts';
import { isOfferedBy, type Lookup, type LookupOption, needsAddressData } from '../../../lookups/lookup.ts';
import { nameOfReport } from '../../../lookups/report.ts';
import { subjectOf } from '../../../lookups/subject.ts';
import { breakable, command, quoteForShell, renderUntrusted, separated } from '../fragment.ts';
import { type Fragment, html, raw } from '../markup.ts';
import { type LookupPage, lookupPageOf } from './pages.ts';
import { renderClipped } from './result.ts';

export const pathOf = (path: string, name: string, value: string): string =>
  `${path}?${new URLSearchParams({ [name]: value })}`;

/** Links a value of a result to the page at `path`. A value that the lookup does not accept, which a hostile server can send, stays text. */
const linkTo =
  (path: string, name: string, accepts: (value: string) => boolean) =>
  (value: string): Fragment =>
    accepts(value) ? html`<a href="${pathOf(path, name, value)}">${breakable(value)}</a>` : renderClipped(value);

const isHostName = (name: string): boolean => /^(?=.{1,253}$)[\w-]+(\.[\w-]+)+$/.test(name);

export const linkAddress = linkTo('/lookup/ip', 'q', (ip) => {
  const address = parseAddress(ip);
  return address !== null && isPublicAddress(address);
});

/** A CIDR block or an AS number. */
export const linkNetwork = linkTo('/lookup/rdap', 'q', (text) => /^AS\d+$/.test(text) || parsePrefix(text) !== null);

export const linkHost = linkTo('/lookup/dns', 'name', isHostName);

export const linkDomain = linkTo('/lookup/domain', 'name', isHostName);

/** The id of the field of a lookup. */
export const fieldIdOf = ({ path }: Pick<LookupPage, 'path'>): string => path.slice(1).replaceAll('/', '-');

/** The id of the message about a field; the browser script of the start page knows it, too. */
const problemIdOf = (fieldId: string): string => `${fieldId}-problem`;

type FormPage = Pick<LookupPage, 'path' | 'label' | 'pattern' | 'action'>;

interface FormLookup extends Pick<Lookup, 'options'> {
  readonly parameter: Pick<Lookup['parameter'], 'name' | 'description' | 'example'>;
  readonly page: FormPage;
}

/** The values that the form of a lookup needs. */
export const formOf = (lookup: Lookup) => ({
  page: lookupPageOf(lookup),
  parameter: lookup.parameter,
  options: lookup.options,
});

interface FormState {
  /** Lookups that the client has left; null if it is not known. */
  readonly left?: number | null;
  /** Whether a message below the form states what is wrong with the value. */
  readonly isInvalid?: boolean;
}

/** Attributes of a field with a wrong value: they point assistive technology to the problem, and focus the field. */
const invalidField = (id: string): Fragment =>
  html` aria-invalid="true" aria-describedby="${problemIdOf(id)}" autofocus`;

/** The lookup that a message names for programs has another name on pages. */
export const messageForPage = (message: string): string => message.replace(registrationTool, 'the registration lookup');

/** Renders what is wrong, with a link to the error in the documentation. `fieldId`: the field whose value is wrong; null if none is. */
export const renderProblem = (
  { code, message }: Pick<ServiceError, 'code' | 'message'>,
  fieldId: string | null,
): Fragment =>
  html`<div class="problem"${fieldId !== null && html` id="${problemIdOf(fieldId)}"`}><p>${renderUntrusted(messageForPage(message))}</p><a href="/docs#error-${code}"><code>${code}</code></a></div>`;

/** The result for a visitor whose browser, or a proxy, omits what shows that the button was pressed. `action`: its name. */
export function renderUnknownOrigin(action: string): Fragment {
  const result = 'Nothing was looked up';
  return html`<div class="result" data-summary="${result}." data-brief="${result}"><div class="problem"><p>${result}.</p>
<p>The request had neither Sec-Fetch-Site nor Referer, so the service cannot see whether you pressed ${action}. If you did, use HTTPS, or allow Referer for this site.</p></div></div>`;
}

/**
 * The form of a lookup, which opens the lookup's page; on the start page, the browser script shows the result below it. `values` to fill
 * in; empty for none.
 */
export function renderForm(
  { page, parameter, options }: FormLookup,
  values: URLSearchParams,
  { left = null, isInvalid = false }: FormState = {},
): Fragment {
  const { name, description, example } = parameter;
  const label = page.label ?? description;
  const id = fieldIdOf(page);
  return html`<form action="${page.path}">
<label for="${id}">${label}</label>
<div class="ask"><input id="${id}" name="${name}" value="${values.get(name) ?? ''}"${isInvalid && invalidField(id)} placeholder="${example}" required pattern="${page.pattern}" title="${label}" maxlength="2048" autocomplete="off" autocapitalize="none" spellcheck="false"> ${options.map(
    (option) => html`${renderSelect(option, values)} `,
  )}<button>${page.action}</button> <span class="small left"${left !== null && html` data-left="${left}"`}>${left !== null && describeLeft(left)}</span></div>
</form>`;
}

const describeLeft = (left: number): string =>
  `${left === 0 ? 'No' : left} more ${left === 1 ? 'lookup' : 'lookups'} this minute`;

function renderSelect({ name, description, values }: LookupOption, chosen: URLSearchParams): Fragment {
  const selected = chosen.get(name)?.toUpperCase();
  const items = values.map((value) => html`<option${value === selected ? raw(' selected') : ''}>${value}</option>`);
  return html`<select name="${name}" aria-label="${description}">${items}</select>`;
}

/** The check of a port, whose form the script of the start page sends; without scripts, the browser shows the JSON. */
const portCheck = {
  name: 'port',
  path: '/api/port',
  parameter: { name: 'port', description: 'TCP port, 1 to 65535', example: '443' },
  options: [],
  page: {
    path: '/api/port',
    title: 'Port of your address',
    pattern: String.raw`\s*[1-9]\d{0,4}\s*`,
    action: 'Check port',
  },
} as const;

/** The lookups that a deployment offers. */
export const lookupsOf = (deployment: Deployment): readonly Lookup[] =>
  lookups.filter((lookup) => isOfferedBy(lookup, deployment));

/** The path and query of the page that a deployment without databases of IP addresses has instead of a lookup's; null if it has that one. */
export function pageInstead(
  lookup: Lookup,
  values: URLSearchParams,
  { hasAddressData = true }: Deployment,
): string | null {
  if (hasAddressData || !needsAddressData(lookup)) return null;
  const { path } = lookup === addressLookup ? lookupPageOf(registrationLookup) : reportPage;
  return values.size === 0 ? path : `${path}?${values}`;
}

/** The lookups of the start page: tabs, each with a form and a place for its result; without scripts, one below the other. */
export function lookupSection({ baseUrl: base, deployment }: Site): Fragment {
  const limit = limitsOf(deployment).lookup;
  const shown = [
    ...lookupsOf(deployment).map((lookup) => ({ ...lookup, page: lookupPageOf(lookup) })),
    ...(deployment.probes?.portCheck ? [portCheck] : []),
  ];
  const tabs = shown.map(
    ({ name, page }, n) =>
      html`<button type="button" role="tab" id="tab-${name}" aria-controls="panel-${name}" aria-selected="${String(n === 0)}">${page.title}</button>`,
  );
  const panels = shown.map(
    (
      lookup,
      n,
    ) => html`<div class="card tool${n === 0 && ' selected'}" role="tabpanel" id="panel-${lookup.name}" aria-labelledby="tab-${lookup.name}">
<h3>${lookup.page.title}</h3>
${renderForm(lookup, new URLSearchParams())}
<div class="result"></div>
${curlFold(lookup, base)}</div>`,
  );
  return html`<p class="lead">Live, never stored.${limit > 0 && ` Limit: ${formatCount(limit, 'lookup')} per ${windowSeconds} seconds per IP.`}</p>
<div class="tabs" role="tablist" aria-label="Lookups">${separated(tabs)}</div>
${panels}`;
}

/** The command with the lookup's example. */
export function curlFold(
  { path, parameter }: Pick<FormLookup, 'parameter'> & Pick<Lookup, 'path'>,
  base: string,
): Fragment {
  const data = quoteForShell(`${parameter.name}=${parameter.example}`);
  const curl = `curl -sG ${quoteForShell(base + path)} --data-urlencode ${data}`;
  return html`<details class="fold"><summary>With curl</summary>${command(curl, `the command for ${path}`)}</details>`;
}

export const reportPage = {
  path: '/lookup/domain',
  title: 'Domain report',
  tab: 'Report',
  subject: 'report',
  nameOf: nameOfReport,
  pattern: lookupPageOf(domainAddress).pattern,
  action: 'Create report',
  description: 'Registration, DNS, header grade, location and certificate of a domain on one page',
} as const;

/** The values that a lookup's form and page need. */
export const report = { page: reportPage, parameter: domainAddress.parameter, options: [] };

export const searchPath = '/lookup';
export const searchLabel = 'Domain, URL, IP address, CIDR block or AS number';

/** One field for every lookup. `typed`: what to fill in; `isInvalid`: whether a message states what is wrong with it. */
export const searchForm = (
  typed = '',
  isInvalid = false,
): Fragment => html`<form class="search" action="${searchPath}" role="search">
<label for="search">${searchLabel}</label>
<div class="ask"><input id="search" name="q" value="${typed}"${isInvalid && invalidField('search')} placeholder="example.com" required maxlength="2048" autocomplete="off" autocapitalize="none" spellcheck="false"> <button>Look up</button></div>
</form>`;

/** The path and query of the page for what a visitor typed. Throws a ServiceError that states what is wrong with it. */
export function recognize(typed: string, deployment: Parameters<typeof subjectOf>[1] = {}): string {
  const { lookup, value, type } = subjectOf(typed, deployment);
  if (lookup === null) return pathOf(reportPage.path, report.parameter.name, value);
  const path = pathOf(lookupPageOf(lookup).path, lookup.parameter.name, value);
  return type === undefined ? path : `${path}&type=${type}`;
}
