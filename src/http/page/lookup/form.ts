/** The form of a lookup: it opens the lookup's page. On the start page, the browser script shows the result below it. */
import { html, raw } from 'hono/html';
import { limitsOf, windowSeconds } from '../../../core/limits.ts';
import type { Site } from '../../../core/request-context.ts';
import { lookups } from '../../../lookups/list.ts';
import type { Lookup, Option } from '../../../lookups/lookup.ts';
import { command, type Fragment, quoteForShell } from '../fragment.ts';

/** `values` to fill in; empty for none. `left`: lookups that the client has left; null if it is not known. */
export function renderForm(
  { page, parameter, options }: Pick<Lookup, 'page' | 'parameter' | 'options'>,
  values: URLSearchParams,
  left: number | null = null,
): Fragment {
  const { name, description, example } = parameter;
  const label = page.label ?? description;
  const id = page.path.slice(1).replace('/', '-');
  return html`<form action="${page.path}">
<label for="${id}">${label}</label>
<div class="ask"><input id="${id}" name="${name}" value="${values.get(name) ?? ''}" placeholder="${example}" required pattern="${page.pattern}" title="${label}" maxlength="2048" autocomplete="off" autocapitalize="none" spellcheck="false">${options.map(
    (option) => renderSelect(option, values),
  )}<button>${page.action}</button><span class="small left"${left !== null && html` data-left="${left}"`}>${left !== null && describeLeft(left)}</span></div>
</form>`;
}

const describeLeft = (left: number): string =>
  `${left === 0 ? 'No' : left} more ${left === 1 ? 'lookup' : 'lookups'} this minute`;

function renderSelect({ name, description, values }: Option, chosen: URLSearchParams): Fragment {
  const selected = chosen.get(name)?.toUpperCase();
  const items = values.map((value) => html`<option${value === selected ? raw(' selected') : ''}>${value}</option>`);
  return html`<select name="${name}" aria-label="${description}">${items}</select>`;
}

/** The lookups of the start page: tabs, each with a form and a place for its result; without scripts, one below the other. */
export function lookupSection({ baseUrl: base, deployment }: Site): Fragment {
  const limit = limitsOf(deployment).lookup;
  const tabs = lookups.map(
    ({ name, page }, n) =>
      html`<button type="button" role="tab" id="tab-${name}" aria-controls="panel-${name}" aria-selected="${n === 0}">${page.title}</button>`,
  );
  const panels = lookups.map(
    (
      lookup,
    ) => html`<div class="card tool" role="tabpanel" id="panel-${lookup.name}" aria-labelledby="tab-${lookup.name}">
<h3>${lookup.page.title}</h3>
${renderForm(lookup, new URLSearchParams())}
<div class="result"></div>
${curlFold(lookup, base)}</div>`,
  );
  return html`<p class="lead">Live, never stored.${limit > 0 && ` Limit: ${limit} lookups per ${windowSeconds} seconds per IP.`}</p>
<div class="tabs" role="tablist" aria-label="Lookups">${tabs}</div>
${panels}`;
}

/** The command with the lookup's example. */
export function curlFold({ path, parameter }: Lookup, base: string): Fragment {
  const data = quoteForShell(`${parameter.name}=${parameter.example}`);
  const curl = `curl -sG ${quoteForShell(base + path)} --data-urlencode ${data}`;
  return html`<details class="fold"><summary>With curl</summary>${command(curl, `the command for ${path}`)}</details>`;
}
