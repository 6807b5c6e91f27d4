/** The form of a lookup: it opens the lookup's page. On the start page, the browser script shows the result below it. */
import { html, raw } from 'hono/html';
import { lookups } from '../../../lookups/list.ts';
import type { Lookup, Option } from '../../../lookups/lookup.ts';
import { command, type Fragment, quoteForShell } from '../fragment.ts';

/** Values to fill in; empty for none. */
export function renderForm({ page, parameter, options }: Lookup, values: URLSearchParams): Fragment {
  const { name, description, example } = parameter;
  const label = page.label ?? description;
  const id = page.path.slice(1).replace('/', '-');
  return html`<form action="${page.path}">
<label for="${id}">${label}</label>
<div class="ask"><input id="${id}" name="${name}" value="${values.get(name) ?? ''}" placeholder="${example}" required pattern="${page.pattern}" title="${label}" maxlength="2048" autocomplete="off" autocapitalize="none" spellcheck="false">${options.map(
    (option) => renderSelect(option, values),
  )}<button>${page.action}</button></div>
</form>`;
}

function renderSelect({ name, description, values }: Option, chosen: URLSearchParams): Fragment {
  const selected = chosen.get(name)?.toUpperCase();
  const items = values.map((value) => html`<option${value === selected ? raw(' selected') : ''}>${value}</option>`);
  return html`<select name="${name}" aria-label="${description}">${items}</select>`;
}

/** The forms of the start page, each in a card with a place for its result. */
export function lookupForms(base: string): Fragment {
  return html`<div class="cards">${lookups.map(
    (lookup) => html`<div class="card tool"><h3>${lookup.page.title}</h3>
${renderForm(lookup, new URLSearchParams())}
<div class="result"></div>
${curlFold(lookup, base)}</div>`,
  )}</div>`;
}

/** The command with the lookup's example. */
export function curlFold({ path, parameter }: Lookup, base: string): Fragment {
  const data = quoteForShell(`${parameter.name}=${parameter.example}`);
  const curl = `curl -sG ${quoteForShell(base + path)} --data-urlencode ${data}`;
  return html`<details class="fold"><summary>With curl</summary>${command(curl, `the command for ${path}`)}</details>`;
}
