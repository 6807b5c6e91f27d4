/** The page of a lookup: its form, then the result, the error, or nothing if a page of another site requested it. */
import { html } from 'hono/html';
import type { ErrorCode } from '../../../core/errors.ts';
import type { Site } from '../../../core/request-context.ts';
import { type FormatterByLookup, lookups } from '../../../lookups/list.ts';
import type { Lookup } from '../../../lookups/lookup.ts';
import { type Fragment, renderUntrusted } from '../fragment.ts';
import { splitInvisible } from '../invisible.ts';
import { layout, renderLink } from '../layout.ts';
import { renderDns } from './dns.ts';
import { curlFold, renderForm } from './form.ts';
import { renderGrade } from './grade.ts';
import { renderIp } from './ip.ts';
import { renderRegistration } from './registration.ts';
import { type Result, renderJson } from './result.ts';

export type Outcome =
  | { readonly kind: 'result'; readonly result: Result; readonly value: object }
  | { readonly kind: 'error'; readonly code: ErrorCode; readonly message: string }
  /** A lookup of these values was not sent. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'empty' };

const renderers: FormatterByLookup<[nowMs: number], Result> = {
  rdap: renderRegistration,
  'headers-check': renderGrade,
  dns: renderDns,
  ip: renderIp,
};

/** Renders what the lookup returned. */
export function renderResult({ name }: Lookup, value: object, nowMs: number): Result {
  const render = renderers[name as keyof typeof renderers] as (value: object, nowMs: number) => Result;
  return render(value, nowMs);
}

interface LookupPage {
  readonly lookup: Lookup;
  readonly values: URLSearchParams;
  readonly outcome: Outcome;
  readonly site: Site;
}

export function renderLookupPage({ lookup, values, outcome, site }: LookupPage): string {
  const { title, path, description } = lookup.page;
  return layout(
    { title: `${titleOf(title, outcome)} · Seenby`, path, description, isIndexed: false, site },
    html`<header class="document">
<h1>${title}</h1>
<nav class="contents" aria-label="Lookups">${lookups.map(({ page }) => renderLink([page.path, page.title], path))}</nav>
</header>
<div class="card tool">
${renderForm(lookup, values)}
${renderOutcome(lookup, values, outcome)}
${curlFold(lookup, site.baseUrl)}
</div>`,
    'text',
  );
}

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
${renderJson(value, `${lookup.path}?${values}`)}</div>`;
}

/** Text for attributes and titles, which have no elements: invisible characters as spaces. */
const visible = (text: string): string =>
  [...splitInvisible(text)].map((part) => (part.isInvisible ? ' ' : part.text)).join('');
