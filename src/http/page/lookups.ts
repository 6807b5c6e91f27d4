/** The lookups, as forms: with scripts the answer is drawn below, without them the form leads to its JSON. */
import { html } from 'hono/html';
import type { Endpoint, Parameter } from '../endpoint.ts';
import { command, type Fragment, quoted } from './fragment.ts';

/** How a lookup stands on the page, by the path of its endpoint. */
const forms: Readonly<Record<string, { readonly title: string; readonly link: string }>> = {
  '/api/rdap': { title: 'Who registered it', link: 'rdap' },
  '/api/headers-check': { title: 'Grade the headers of a site', link: 'check' },
};

/** `query` is that of the page's own address: `?rdap=example.com` fills a form in and leaves it to the visitor to ask. */
export function lookups(endpoints: readonly Endpoint[], query: string, base: string): Fragment {
  const given = new URLSearchParams(query);
  return html`<div class="cards">${endpoints.map((endpoint) =>
    endpoint.parameter === null ? '' : form(endpoint, endpoint.parameter, given, base),
  )}</div>`;
}

function form(
  { path, summary }: Endpoint,
  { name, is, example }: Parameter,
  given: URLSearchParams,
  base: string,
): Fragment {
  const { title, link } = forms[path] ?? { title: summary, link: name };
  const value = given.get(link) ?? '';
  return html`<div class="card tool"><h3>${title}</h3>
<form action="${path}" data-link="${link}">
<label for="${link}">${is}</label>
<div class="ask"><input id="${link}" name="${name}" value="${value}" placeholder="${example}" required maxlength="2048" autocomplete="off" autocapitalize="none" spellcheck="false"><button>Look up</button></div>
${value === '' ? '' : html`<p class="small">Filled in by the link you followed. Nothing is asked until you press the button.</p>`}
</form>
<div class="result"></div>
<details class="fold"><summary>With curl</summary>${command(
    `curl -sG ${quoted(base + path)} --data-urlencode ${quoted(`${name}=${example}`)}`,
    `the command for ${path}`,
  )}</details></div>`;
}
