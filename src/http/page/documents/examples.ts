/** Programs for `/docs` that print the client's IP address and country; test/http/page/documents/examples.heavy.test.ts runs them. */

import { usagePolicy } from '../../usage-policy.ts';
import { command } from '../fragment.ts';
import { programs } from '../generated/programs.ts';
import { type Fragment, html } from '../markup.ts';

/** `file`: its name in examples/; `isUntested` is set if it was not run. */
export const examples: readonly { title: string; file: keyof typeof programs; isUntested?: true }[] = [
  { title: 'curl', file: 'curl.sh' },
  { title: 'fetch (browsers, Node.js, Deno, Bun)', file: 'fetch.mjs' },
  { title: 'Python', file: 'python.py' },
  { title: 'Go', file: 'go.go' },
  { title: 'PowerShell', file: 'powershell.ps1', isUntested: true },
];

/** The service's URL in the programs. */
export const exampleUrl = 'https://seenby.example';

/** The program, for the service at `base`. */
export const programOf = (file: keyof typeof programs, base: string) => programs[file].replaceAll(exampleUrl, base);

export const renderExamples = (base: string): Fragment =>
  html`<p>Each prints your IP address and country. A value that is not available is <code>null</code>, or an empty line as text.</p>
${examples.map(
  ({ title, file, isUntested }) => html`<h3 id="example-${file.replace(/\..*/, '')}">${title}</h3>
${isUntested && html`<p>Written from the documentation of ${title}; not run.</p>`}${renderProgram(programOf(file, base), title)}`,
)}`;

const renderProgram = (code: string, title: string): Fragment =>
  html`<div class="code">${command(code, `the ${title} example`)}</div>`;

/** Advice for sites that call the service. */
export const renderEmbedding = (base: string): Fragment =>
  html`<p>Yes: any page may, without a key (CORS allows every origin). Each request counts against the limits of your visitor's IP address,
which visitors behind one address share. ${usagePolicy.pages}</p>
<p>Instead of requesting <code>/json</code> with every page view:</p>
<ul class="points">
<li>Use your own server: it already has the visitor's IP address, and with an IP database it needs no request.</li>
<li>Request only what you need, when you need it, and once per visit. For a country, that is two bytes:</li>
</ul>
${renderProgram(programOf('page.mjs', base), 'example for a page')}
<ul class="points">
<li>Treat the response as a hint: your page must work without it, because content blockers and limits may reject the request.</li>
<li>Mention it in your privacy notice: the visitor's browser sends its IP address to this service.</li>
</ul>`;
