/** The page at `/docs`, generated from the lists of endpoints, tools, errors and settings. */

import { errors } from '../../../core/errors.ts';
import {
  describeDocumentLimit,
  formatBytes,
  limitsOf,
  maxRedirects,
  portTimeoutMs,
  rates,
  targetTimeoutMs,
  tlsPorts,
  windowSeconds,
} from '../../../core/limits.ts';
import type { Deployment, Site } from '../../../core/request-context.ts';
import { flagOf, settingNames, settings, variableOf } from '../../../core/settings.ts';
import { dialects } from '../../../dialects/list.ts';
import { deviations as gradeDeviations } from '../../../lookups/headers-check/data/checks.ts';
import { outboundUserAgent } from '../../../lookups/outbound.ts';
import { maxBatch, maxBodyBytes, maxValues } from '../../../mcp/message.ts';
import { publishSchemas } from '../../../mcp/published-schema.ts';
import { mcpPath } from '../../../mcp/server-info.ts';
import { type Tool, toolRates } from '../../../mcp/tool.ts';
import { tools } from '../../../mcp/tools.ts';
import { dialectsOpenapiPath } from '../../descriptions/discovery.ts';
import { addressPart, describeEndpoint, type Endpoint, errorsOf, exampleOf, formatsOf } from '../../endpoint.ts';
import { type Format, formatValues, mediaTypes } from '../../negotiate.ts';
import { formatContact, linkOf, moreRequestsOf, usagePolicy } from '../../usage-policy.ts';
import { fieldsOf } from '../fields.ts';
import { command, fold, openFold, quoteForShell, separated, table } from '../fragment.ts';
import { layout, renderLink } from '../layout.ts';
import { type Fragment, html } from '../markup.ts';
import { clientList, toolList } from '../mcp-setup.ts';
import { exampleUrl, renderEmbedding, renderExamples } from './examples.ts';
import { fingerprintGuide } from './fingerprint-guide.ts';

/** The documentation, the same for every client: without PUBLIC_URL, its examples have a URL that the browser script replaces with the page's own. */
export function docsPage({ deployment }: Pick<Site, 'deployment'>, endpoints: readonly Endpoint[]): string {
  const { publicUrl } = deployment;
  const base = publicUrl ?? exampleUrl;
  const own = endpoints.filter(({ kind }) => kind !== 'dialect');
  const sections: readonly (readonly [id: string, title: string, content: Fragment])[] = [
    ['examples', 'Examples', renderExamples(base)],
    ['endpoints', 'Endpoints', renderEndpoints(own)],
    ['promises', 'Terms of use', terms],
    ['embedding', 'May I call this from my site?', renderEmbedding(base)],
    ['fingerprints', 'Fingerprints', fingerprintGuide],
    ['lookups', 'Lookups', renderLookups(endpoints, base)],
    ['compatibility', 'In place of other services', renderDialects(base)],
    ['tools', 'AI agents (MCP)', renderServer(base)],
    ['limits', 'Limits', renderLimits(own, deployment)],
    ['errors', 'Errors', renderErrors()],
    ['fields', 'Fields', html`${endpoints.map(renderFields)}`],
    ['deviations', 'Known differences', renderDeviations()],
    ['settings', 'Settings', renderSettings()],
  ];
  return layout(
    {
      path: '/docs',
      title: 'Documentation · Seenby',
      description: 'All endpoints, fields, errors, limits and settings.',
      site: { deployment },
    },
    html`<article class="document with-contents"${publicUrl === null && html` data-example-url="${exampleUrl}"`}>
<h1>Documentation</h1>
<nav class="sections" aria-label="On this page">${separated(sections.map(([id, title]) => renderLink([`#${id}`, title])))}</nav>
<div>${publicUrl === null && html`<p class="no-js">In the examples, replace <code>${exampleUrl}</code> with the URL of this service.</p>`}
${command(`curl -s ${quoteForShell(`${base}/json`)}`, 'the command for all values')}
${sections.map(([id, title, content], n) => (n < openSections ? openFold : fold)(id, html`<h2>${title}</h2>`, content))}</div>
</article>`,
    'text',
  );
}

/** The sections that most visitors need: examples and endpoints. */
const openSections = 2;

const terms = html`<ul class="points">${Object.values(usagePolicy).map((sentence) => html`<li>${sentence}</li>`)}
<li>Responses are never cached (<code>Cache-Control: no-store</code>) and allow any origin (CORS).</li></ul>`;

const renderServer = (base: string): Fragment =>
  html`<p>Model Context Protocol (Streamable HTTP) at <code>${base}${mcpPath}</code>: no authentication, no sessions, read-only tools.
A request body has at most ${formatBytes(maxBodyBytes)} and ${maxValues} values, a batch at most ${maxBatch} messages. Larger requests are rejected
with JSON-RPC error <code>-32600</code> before any tool runs.</p>
${toolList(tools)}
<p>Arguments; others are ignored:</p>
${table(['Tool', 'Argument', 'Type', 'Meaning'], tools.flatMap(argumentRows))}
<h3>Add it to your MCP client</h3>
${clientList(base)}`;

/** A row for each argument of a tool. */
function argumentRows(tool: Tool): readonly (readonly (Fragment | string)[])[] {
  const { properties = {}, required = [] } = publishSchemas(tool).inputSchema;
  return Object.entries(properties).map(([name, { type, description = '', enum: values = [] }]) => [
    html`<code>${tool.name}</code>`,
    html`<code>${name}</code>`,
    `${type}, ${required.includes(name) ? 'required' : 'optional'}`,
    values.length === 0 ? description : html`${description} Values: ${codes(values.map(String))}`,
  ]);
}

function renderEndpoints(endpoints: readonly Endpoint[]): Fragment {
  const rows = endpoints.map((endpoint) => {
    const path = html`<code>${endpoint.path}</code>`;
    const errors = errorsOf(endpoint).map((code) => html`<a href="#error-${code}"><code>${code}</code></a> `);
    return [
      endpoint.kind !== 'mcp' ? html`<a href="${exampleOf(endpoint)}">${path}</a>` : path,
      describeEndpoint(endpoint),
      formatsOf(endpoint).map(formatName).join(', '),
      errors.length === 0 ? '' : html`${errors}`,
    ];
  });
  return html`${table(['Path', 'Response', 'Formats', 'Errors'], rows)}
<p>Endpoints with JSON and text accept <code>?format=${formatValues.join('|')}</code>. Without it, they return the format listed first,
unless the <code>Accept</code> header strictly prefers the other (<code>${mediaTypes.json}</code>, <code>${mediaTypes.text}</code>).
Text has one <code>key: value</code> line per field; the key is the field's JSON path. Endpoints for a single value return only the
value, and an empty line if it is not available. A trailing slash is ignored.
<code>curl -4</code> and <code>curl -6</code> select the IP version.</p>`;
}

/** Cards and catalogs are JSON too, of media types of their own. */
const formatName = (format: Format): string => (mediaTypes[format].endsWith('+json') ? 'json' : format);

function renderLookups(endpoints: readonly Endpoint[], base: string): Fragment {
  const pages = endpoints.filter(({ kind }) => kind === 'page');
  return html`<p><code>/api/rdap</code> queries only servers listed in IANA's bootstrap files, redirects included. The summary always has
every field; a field is <code>null</code> or empty if the registry gives no value. <code>data</code> is the registry's
unchanged response.</p>
<p><code>/api/headers-check</code> sends one GET request per hop, follows at most ${maxRedirects} redirects, never reads a body and
stops after ${targetTimeoutMs / 1000} seconds. It rejects private and reserved addresses and this service itself, redirects included.</p>
<p><code>/api/certificate</code> completes a TLS handshake with each address of a host, at most four of each IP version, and sends no data.
Ports: ${tlsPorts.join(', ')}. <code>certificates</code> has one element for each different chain, <code>verdicts</code> what is met and what is not,
each with its reason; <code>null</code> means that it is not known. Subjects, suites and signatures have OpenSSL's names. A further handshake offers
only TLS 1.0 and 1.1, unless there were eight. Trust is that of Node's root certificates.</p>
<p><code>/api/dns</code> queries the operator's DNS-over-HTTPS resolver. NXDOMAIN is a response, not an error.
With <code>type=PTR</code>, <code>name</code> may be an IP address. A record with several parts has a member with them, named as in its RFC; a
malformed record has <code>error</code>, and the other records stand.
<code>/api/ip</code> and <code>/host</code> return a host name only if it resolves to the IP address (forward-confirmed reverse DNS).</p>
<p><code>/api/port</code>, if the operator has turned it on, connects to a TCP port of your own public IP address, sends nothing and closes the
connection. <code>closed</code> means that the device or a firewall refuses connections. <code>filtered</code> means that there was no response within ${portTimeoutMs / 1000} seconds.
Behind a carrier's NAT or a VPN, the address and its ports are not those of your device. Programs and this service's own pages may send this
request; pages of other origins get 403.</p>
<p>Lookups send <code>User-Agent: ${outboundUserAgent(base)}</code>. <a href="/privacy">Privacy</a> lists what lookups disclose.
</p>
<p>Each lookup has a page for people: ${pages.map((page) => html`<a href="${exampleOf(page)}"><code>${exampleOf(page)}</code></a> `)}. A link to it can be
shared. It runs the lookup if the visitor opens it directly or from this service (<code>Sec-Fetch-Site: none</code> or
<code>same-origin</code>); from any other site, it fills in the form and waits for the button. Programs use <code>/api/…</code>.</p>`;
}

/** The paths of other services, a row for each service. */
function renderDialects(base: string): Fragment {
  const services = Map.groupBy(dialects, ({ path }) => path.split('/')[2] ?? '');
  const rows = [...services].map(([service, paths]) => [
    html`<code>${base}/as/${service}</code>`,
    codes(paths.map(({ path }) => path.slice(`/as/${service}`.length) || '/')),
  ]);
  return html`<p>A client of another service works if one of these URLs replaces that of the service. An unknown value has the form
in which that service returns an unknown value. <code>${addressPart}</code> is another public address, and so is <code>?ip=</code> of echoip;
both make the request a lookup.</p>
${table(['In place of the service', 'Paths'], rows)}
<p>All other endpoints describe the client: <code>/json?ip=8.8.8.8</code> ignores the parameter. To look up another address, use
<code>/api/ip?q=8.8.8.8</code>. <a href="${dialectsOpenapiPath}"><code>${dialectsOpenapiPath}</code></a> describes these paths for programs.</p>`;
}

/** The rates, with their limits, and which endpoints and tools count against each. */
function renderLimits(endpoints: readonly Endpoint[], deployment: Deployment): Fragment {
  const limits = Object.values(limitsOf(deployment));
  const { contact } = deployment;
  const moreRequests = moreRequestsOf(deployment);
  const ofDocuments = describeDocumentLimit(deployment);
  const counted = [
    ...endpoints.map(({ path, rates }) => ({ name: path, counts: rates })),
    ...tools.map(({ name, isLookup }) => ({ name, counts: toolRates(isLookup) })),
  ];
  const groups = Map.groupBy(counted, ({ counts }) => counts.join(' and '));
  groups.delete('');
  const rows = Object.entries(rates).map(([name, { covers }], at) => [name, `${limits[at] || 'no limit'}`, covers]);
  const countedRows = [...groups].map(([names, group]) => [names, codes(group.map(({ name }) => name))]);
  return html`${table(['Rate', `Requests per ${windowSeconds} seconds`, 'Applies to'], rows)}
${table(['Rates', 'Requests that count against them'], countedRows)}
${
  ofDocuments !== '' &&
  html`<p>Besides, an address gets at least ${ofDocuments} such as this one per ${windowSeconds} seconds. Above that, it gets status 429 with the error
<code>document_limit</code>. A response to HEAD counts nothing.</p>`
}
<p>Requests over a limit and requests to other endpoints count against no rate. A <code>/lookup/</code> page that runs no lookup, such as an
empty form, counts only against the general rate, and so does a path below <code>/as/</code> that names no other address.</p>
<p>Limits apply per IP address (IPv6: per /64 network). Requests over a limit get status 429 with
<code>Retry-After: ${windowSeconds}</code>. JSON responses state the limits and what is left of the strictest one in <code>RateLimit-Policy</code> and
<code>RateLimit</code> (IETF draft), unless the runtime does not report them, as on Cloudflare. A tool
returns a rejection as an error with the same message.${
    moreRequests !== '' &&
    html` ${moreRequests} ${contact === null ? formatContact(contact) : html`<a href="${linkOf(contact)}">${formatContact(contact)}</a>`}.`
  }</p>`;
}

/** Behavior that differs from similar services or may surprise. */
const deviations: readonly string[] = [
  'Limits count IPv6 clients by /64 network instead of by address, because one machine usually has a whole /64.',
  `A rate counts in windows of ${windowSeconds} seconds that begin with an address's first request: twice the rate can pass within a second, at the end of one and the beginning of the next.`,
  'Each process counts exactly and separately, unless the operator lets several instances count together. On Cloudflare Workers, each data center counts, approximately.',
  '/ returns a page to browsers and plain text to programs such as curl: HTML only if Accept lists text/html and does not prefer text/plain; */* alone returns text.',
  'JSON endpoints return text only if Accept strictly prefers text/plain to application/json. Endpoints for a single value return JSON only if Accept strictly prefers it. The format parameter overrides Accept.',
  'tls.cipher has the name that the edge uses for the cipher suite. network.deliveryRateBps is in bytes per second.',
  'A domain lookup uses the registered name: www.example.co.uk becomes example.co.uk.',
  'The MCP server accepts only POST: there are no streams to GET and no sessions to DELETE.',
];

function renderErrors(): Fragment {
  const rows = Object.entries(errors).map(([code, { status, message }]) => {
    const name = html`<a id="error-${code}" href="#error-${code}"><code>${code}</code></a>`;
    return [name, String(status), message];
  });
  return html`<p>Error responses are JSON with <code>error</code>, <code>message</code> and <code>docs</code>. Any request can fail with
<code>internal_error</code>.</p>
${table(['error', 'Status', 'message'], rows)}`;
}

const renderDeviations =
  (): Fragment => html`<ul class="points">${deviations.map((sentence) => html`<li>${sentence}</li>`)}</ul>
<p>A header check gives the score and grade of MDN's HTTP Observatory (algorithm 6) for the same headers. It evaluates
headers only, so it ignores the HSTS preload list, the page's markup and subresource integrity. Other differences:</p>
<ul class="points">${gradeDeviations.map((sentence) => html`<li>${sentence}</li>`)}
<li>Responses with any status are graded; the Observatory rejects status 400 and above. Only cookies of the final response count.</li></ul>`;

function renderSettings(): Fragment {
  const rows = settingNames.map((name) => {
    const { default: byDefault, description } = settings[name];
    const value = byDefault === '' ? '' : codes(byDefault.split(','));
    return [html`<code>--${flagOf(name)}</code><br><code>${variableOf(name)}</code>`, value, description];
  });
  return html`<p>For operators: each setting is a command-line flag and an environment variable.</p>
${table(['Flag and variable', 'Default', 'Description'], rows)}`;
}

function renderFields({ path, schema }: Endpoint): Fragment | string {
  if (schema === undefined) return '';
  const fields = [...fieldsOf(schema).values()];
  const rows = fields.map(({ path: field, type, description }) => [html`<code>${field}</code>`, type, description]);
  return html`<h3 id="fields${path.replaceAll('/', '-')}"><code>${path}</code></h3>
${table(['Field', 'Type', 'Description'], rows)}`;
}

const codes = (names: readonly string[]): Fragment => html`${names.map((name) => html`<code>${name}</code> `)}`;
