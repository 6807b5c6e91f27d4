/** Forms for the lookups: the browser script shows the result below the form; without it, the form opens the JSON. */
import { html, raw } from 'hono/html';
import type { Endpoint, LookupEndpoint, Option } from '../endpoint.ts';
import { command, type Fragment, quoteForShell } from './fragment.ts';

/** `query` is the query string of the page URL: `?rdap=example.com` fills in a form and does not submit it. */
export function lookups(endpoints: readonly Endpoint[], query: string, base: string): Fragment {
  const linked = new URLSearchParams(query);
  return html`<div class="cards">${endpoints.map((endpoint) =>
    endpoint.kind === 'lookup' ? renderForm(endpoint, linked, base) : '',
  )}</div>`;
}

function renderForm(
  { path, parameter, options, form }: LookupEndpoint,
  linked: URLSearchParams,
  base: string,
): Fragment {
  const { name, description, example } = parameter;
  const { title, link } = form;
  const value = linked.get(link) ?? '';
  return html`<div class="card tool"><h3>${title}</h3>
<form action="${path}" data-link="${link}">
<label for="${link}">${description}</label>
<div class="ask"><input id="${link}" name="${name}" value="${value}" placeholder="${example}" required maxlength="2048" autocomplete="off" autocapitalize="none" spellcheck="false">${options.map(
    (option) => renderSelect(option, linked),
  )}<button>Look up</button></div>
${value === '' ? '' : html`<p class="small">Filled in by the link you followed. Nothing is sent until you press Look up.</p>`}
</form>
<div class="result"></div>
<details class="fold"><summary>With curl</summary>${command(
    `curl -sG ${quoteForShell(base + path)} --data-urlencode ${quoteForShell(`${name}=${example}`)}`,
    `the command for ${path}`,
  )}</details></div>`;
}

function renderSelect({ name, description, values }: Option, linked: URLSearchParams): Fragment {
  const selected = linked.get(name)?.toUpperCase();
  return html`<select name="${name}" aria-label="${description}">${values.map(
    (value) => html`<option${value === selected ? raw(' selected') : ''}>${value}</option>`,
  )}</select>`;
}
