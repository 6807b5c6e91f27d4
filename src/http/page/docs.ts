/** The page at `/docs`, printed from the lists. */
import { html } from 'hono/html';
import { errors } from '../../core/errors.ts';
import { rates, windowSeconds } from '../../core/limits.ts';
import { type Contact, flagOf, settingNames, settings, variableOf } from '../../core/settings.ts';
import { deviations as gradeDeviations } from '../../lookups/headers-check/outcomes.ts';
import { outboundUserAgent } from '../../lookups/outbound-user-agent.ts';
import { maxBatch, maxBodyBytes } from '../../mcp/server.ts';
import { mcpPath } from '../../mcp/server-info.ts';
import { answerOf, type Endpoint, errorsOf, exampleOf, prints } from '../endpoint.ts';
import { formatValues, mediaTypes } from '../negotiate.ts';
import { addressOf, linkOf, moreCalls, terms } from '../terms.ts';
import { clients, type ToolWords, toolList } from './agents.ts';
import { fieldsOf } from './fields.ts';
import { command, type Fragment, quoted, table } from './fragment.ts';
import { layout } from './layout.ts';

const contents: readonly (readonly [id: string, title: string])[] = [
  ['promises', 'Promises and requests'],
  ['endpoints', 'Endpoints'],
  ['lookups', 'Lookups'],
  ['tools', 'Tool server'],
  ['limits', 'Limits'],
  ['errors', 'Errors'],
  ['fields', 'Fields'],
  ['deviations', 'Where it differs'],
  ['settings', 'Settings'],
];

/** What a reader of the specification, or of a peer's, would expect otherwise. */
const deviations: readonly string[] = [
  'Limits count an IPv6 caller by its /64, not by its address: one machine holds all of them.',
  'The count is exact in each process or edge data center, and each counts for itself.',
  'A lookup spends from both rates; a refused call spends nothing. The tool server has no general rate: the cost of one message is bounded instead.',
  '/ prints the page only where Accept names text/html, and not below text/plain; */* alone means text.',
  'JSON endpoints switch to text only where Accept holds text/plain strictly above application/json; format outranks it.',
  'tls.cipher has the name that the edge gives the cipher suite, and network.deliveryRateBps is in bytes per second.',
  'A domain is looked up by the name that was registered: www.example.co.uk becomes example.co.uk.',
  'The tool server takes POST alone: there are no streams to GET and no sessions to DELETE.',
];

/** Works out first what is the same for every caller: the tables of fields take most of a millisecond. */
export function docsPage(
  endpoints: readonly Endpoint[],
  tools: readonly ToolWords[],
): (base: string, contact: Contact | null) => string {
  const tables = {
    endpoints: endpointTable(endpoints),
    errors: errorTable(),
    fields: endpoints.map(fieldTable),
    settings: settingTable(),
  };
  const titles = new Map(contents);
  const heading = (id: string): Fragment => html`<h2 id="${id}">${titles.get(id) ?? id}</h2>`;
  return (base, contact) =>
    layout(
      {
        path: '/docs',
        title: 'Documentation · Seenby',
        description: 'Every endpoint, field, error, limit and setting.',
      },
      html`<article class="document">
<h1>Documentation</h1>
<nav class="contents" aria-label="On this page">${contents.map(([id, title]) => html`<a href="#${id}">${title}</a>`)}</nav>
${command(`curl -s ${quoted(`${base}/json`)}`, 'the command for everything')}
${heading('promises')}
<ul class="points">${Object.values(terms).map((sentence) => html`<li>${sentence}</li>`)}
<li>Every answer is fresh (<code>Cache-Control: no-store</code>) and open to every origin (CORS).</li></ul>
${heading('endpoints')}
${tables.endpoints}
<p>Endpoints that offer JSON and text take <code>?format=${formatValues.join('|')}</code>; without it they answer
<code>${mediaTypes.text}</code> only where the <code>Accept</code> header prefers it to
<code>${mediaTypes.json}</code>. Flat text has one <code>key: value</code> line for each field, with the path of the
field in the JSON as its key. <code>curl -4</code> and <code>curl -6</code> choose the IP version.</p>
${heading('lookups')}
<p><code>/api/rdap</code> asks the server that IANA's bootstrap files name, and no other, redirects included. Every field of the
summary is always there, <code>null</code> or empty where the registry says nothing; <code>data</code> is its answer as it came.</p>
<p><code>/api/headers-check</code> sends one GET request for each hop, follows at most five redirects, reads no body and takes at most
five seconds. Private and reserved addresses and this service are refused, also where a redirect leads to them.</p>
<p>Both announce themselves as <code>${outboundUserAgent(base)}</code>. What they tell to whom: <a href="/privacy">Privacy</a>.
A link to <a href="/?rdap=example.com"><code>/?rdap=example.com</code></a> or
<a href="/?check=https://example.com/"><code>/?check=https://example.com/</code></a> fills the form in; nothing is asked before a click.</p>
${heading('tools')}
<p>Model Context Protocol over Streamable HTTP at <code>${base}${mcpPath}</code>, without sign-in and without sessions.
Every tool only reads. A message has at most ${maxBodyBytes} bytes, a batch at most ${maxBatch} messages; larger ones are refused
with the JSON-RPC error <code>-32600</code> before any tool runs.</p>
${toolList(tools)}
<h3>Add it to a client</h3>
${clients(base)}
${heading('limits')}
${rateTable()}
<p>Counted by address (IPv6: by /64); the operator may have set other numbers. Above a limit the answer is 429 with
<code>Retry-After: ${windowSeconds}</code>. ${moreCalls}
${contact === null ? addressOf(contact) : html`<a href="${linkOf(contact)}">${addressOf(contact)}</a>`}.</p>
${heading('errors')}
<p>An error is JSON with <code>error</code>, <code>message</code> and <code>docs</code>. Any call may meet
<code>internal_error</code>.</p>
${tables.errors}
${heading('fields')}
${tables.fields}
${heading('deviations')}
<ul class="points">${deviations.map((sentence) => html`<li>${sentence}</li>`)}</ul>
<p>Score and grade of a header check are those of MDN's HTTP Observatory (algorithm 6) for the same headers, as far as headers show
them: the HSTS preload list, the page's own markup and subresource integrity are not looked at. Besides:</p>
<ul class="points">${gradeDeviations.map((sentence) => html`<li>${sentence}</li>`)}
<li>Every status is graded; the Observatory refuses those from 400 on. Only cookies of the last response count.</li></ul>
${heading('settings')}
<p>For those who run the service: each is a flag and an environment variable.</p>
${tables.settings}
</article>`,
    );
}

const codes = (names: readonly string[]): Fragment => html`${names.map((name) => html`<code>${name}</code> `)}`;

function endpointTable(endpoints: readonly Endpoint[]): Fragment {
  return table(
    ['Path', 'Answer', 'Formats', 'Errors'],
    endpoints.map((endpoint) => {
      const { path, print } = endpoint;
      return [
        prints(endpoint) ? html`<a href="${exampleOf(endpoint)}"><code>${path}</code></a>` : html`<code>${path}</code>`,
        answerOf(endpoint),
        Object.keys(print).join(', '),
        errorsOf(endpoint).length === 0
          ? ''
          : html`${errorsOf(endpoint).map((code) => html`<a href="#error-${code}"><code>${code}</code></a> `)}`,
      ];
    }),
  );
}

function rateTable(): Fragment {
  return table(
    ['Rate', `Calls in ${windowSeconds} seconds`, 'Covers'],
    Object.entries(rates).map(([name, { perWindow, covers }]) => [name, String(perWindow), covers]),
  );
}

function errorTable(): Fragment {
  return table(
    ['error', 'Status', 'message'],
    Object.entries(errors).map(([code, { status, message }]) => [
      html`<a id="error-${code}" href="#error-${code}"><code>${code}</code></a>`,
      String(status),
      message,
    ]),
  );
}

function fieldTable({ path, schema }: Endpoint): Fragment | string {
  if (schema === null) return '';
  return html`<h3><code>${path}</code></h3>
${table(
  ['Field', 'Type', 'Meaning'],
  fieldsOf(schema).map(({ path, type, description }) => [html`<code>${path}</code>`, type, description]),
)}`;
}

function settingTable(): Fragment {
  return table(
    ['Flag', 'Variable', 'Default', 'What it sets'],
    settingNames.map((name) => {
      const { default: fallback, sentence } = settings[name];
      return [
        html`<code>--${flagOf(name)}</code>`,
        html`<code>${variableOf(name)}</code>`,
        fallback === '' ? '' : codes(fallback.split(',')),
        sentence,
      ];
    }),
  );
}
