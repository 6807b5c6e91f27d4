/** The page at `/docs`, generated from the lists of endpoints, tools, errors and settings. */
import { html } from 'hono/html';
import { errors } from '../../../core/errors.ts';
import { formatBytes, maxRedirects, rates, targetTimeoutMs, windowSeconds } from '../../../core/limits.ts';
import type { Site } from '../../../core/request-context.ts';
import { flagOf, settingNames, settings, variableOf } from '../../../core/settings.ts';
import { deviations as gradeDeviations } from '../../../lookups/headers-check/outcomes.ts';
import { outboundUserAgent } from '../../../lookups/outbound.ts';
import { maxBatch, maxBodyBytes } from '../../../mcp/message.ts';
import { mcpPath } from '../../../mcp/server-info.ts';
import {
  describeEndpoint,
  type Endpoint,
  errorsOf,
  exampleOf,
  formatsOf,
  handlesGet,
  schemaOf,
} from '../../endpoint.ts';
import { formatValues, mediaTypes } from '../../negotiate.ts';
import { formatContact, linkOf, moreRequests, usagePolicy } from '../../usage-policy.ts';
import { clientList, type ToolSummary, toolList } from '../agents.ts';
import { fieldsOf } from '../fields.ts';
import { command, type Fragment, quoteForShell, table } from '../fragment.ts';
import { layout, textAssets } from '../layout.ts';
import { exampleId, examples, renderEmbedding, renderExamples } from './examples.ts';
import { fingerprintGuide } from './fingerprint-guide.ts';

type Part = readonly [id: string, title: string];

const contents: readonly Part[] = [
  ['promises', 'Terms of use'],
  ['examples', 'Examples'],
  ['embedding', 'May I call this from my site?'],
  ['endpoints', 'Endpoints'],
  ['fingerprints', 'Fingerprints'],
  ['lookups', 'Lookups'],
  ['tools', 'AI agents (MCP)'],
  ['limits', 'Limits'],
  ['errors', 'Errors'],
  ['fields', 'Fields'],
  ['deviations', 'Known differences'],
  ['settings', 'Settings'],
];

/** Behavior that differs from similar services or may surprise. */
const deviations: readonly string[] = [
  'Limits count IPv6 clients by /64 network instead of by address, because one machine usually has a whole /64.',
  'Each process counts exactly and separately, unless the operator lets several instances count together. On Cloudflare Workers, each data center counts, approximately.',
  'A lookup counts against the general and the lookup rate; a lookup by a tool counts against the tools and the lookup rate. A rejected request counts against no rate. The general rate does not apply to the MCP server, which returns an exhausted rate as a tool error.',
  '/ returns HTML only if Accept lists text/html and does not prefer text/plain; */* alone returns text.',
  'JSON endpoints return text only if Accept strictly prefers text/plain to application/json. Endpoints for a single value return JSON only if Accept strictly prefers it. The format parameter overrides Accept.',
  'tls.cipher has the name that the edge uses for the cipher suite. network.deliveryRateBps is in bytes per second.',
  'A domain lookup uses the registered name: www.example.co.uk becomes example.co.uk.',
  'The MCP server accepts only POST: there are no streams to GET and no sessions to DELETE.',
];

/** Renders the tables once, because they are the same for every request and take most of a millisecond. */
export function docsPage(endpoints: readonly Endpoint[], tools: readonly ToolSummary[]): (site: Site) => string {
  const tables = {
    endpoints: endpointTable(endpoints),
    errors: errorTable(),
    fields: endpoints.map(fieldTable),
    settings: settingTable(),
  };
  const pages = endpoints.filter((endpoint) => endpoint.kind === 'page').map(exampleOf);
  /** Subheadings, by section. */
  const parts: Readonly<Record<string, readonly Part[]>> = {
    examples: examples.map((example) => [exampleId(example), example.title]),
    fields: endpoints.filter((endpoint) => schemaOf(endpoint) !== null).map(({ path }) => [fieldsId(path), path]),
  };
  const titles = new Map(contents);
  const heading = (id: string): Fragment => html`<h2 id="${id}">${titles.get(id) ?? id}</h2>`;
  return (site) => {
    const { baseUrl: base, contact } = site;
    return layout(
      {
        path: '/docs',
        title: 'Documentation · Seenby',
        description: 'All endpoints, fields, errors, limits and settings.',
        site,
      },
      html`<article class="document">
<h1>Documentation</h1>
<nav class="toc" aria-label="On this page"><ol>${contents.map(
        ([id, title]) => html`<li><a href="#${id}">${title}</a>${renderParts(parts[id] ?? [])}</li>`,
      )}</ol></nav>
${command(`curl -s ${quoteForShell(`${base}/json`)}`, 'the command for all values')}
${heading('promises')}
<ul class="points">${Object.values(usagePolicy).map((sentence) => html`<li>${sentence}</li>`)}
<li>Responses are never cached (<code>Cache-Control: no-store</code>) and allow any origin (CORS).</li></ul>
${heading('examples')}
${renderExamples(base)}
${heading('embedding')}
${renderEmbedding(base)}
${heading('endpoints')}
${tables.endpoints}
<p>Endpoints with JSON and text accept <code>?format=${formatValues.join('|')}</code>. Without it, they return the format listed first,
unless the <code>Accept</code> header strictly prefers the other (<code>${mediaTypes.json}</code>, <code>${mediaTypes.text}</code>).
Text has one <code>key: value</code> line per field; the key is the field's JSON path. Endpoints for a single value return only the
value, and an empty line if it is not available. A trailing slash is ignored.
<code>curl -4</code> and <code>curl -6</code> select the IP version.</p>
${heading('fingerprints')}
${fingerprintGuide}
${heading('lookups')}
<p><code>/api/rdap</code> queries only servers listed in IANA's bootstrap files, redirects included. The summary always has
every field; a field is <code>null</code> or empty if the registry gives no value. <code>data</code> is the registry's
unchanged response.</p>
<p><code>/api/headers-check</code> sends one GET request per hop, follows at most ${maxRedirects} redirects, never reads a body and
stops after ${targetTimeoutMs / 1000} seconds. It rejects private and reserved addresses and this service itself, redirects included.</p>
<p><code>/api/dns</code> queries the operator's DNS-over-HTTPS resolver. NXDOMAIN is a response, not an error.
<code>/api/ip</code> and <code>/host</code> return a host name only if it resolves to the IP address (forward-confirmed reverse DNS).</p>
<p>Lookups send <code>User-Agent: ${outboundUserAgent(base)}</code>. <a href="/privacy">Privacy</a> lists what lookups disclose.
</p>
<p>Each lookup has a page for people: ${pages.map((path) => html`<a href="${path}"><code>${path}</code></a> `)}. A link to it can be
shared. It runs the lookup if the visitor opens it directly or from this service (<code>Sec-Fetch-Site: none</code> or
<code>same-origin</code>); from any other site, it fills in the form and waits for the button. Programs use <code>/api/…</code>.</p>
${heading('tools')}
<p>Model Context Protocol (Streamable HTTP) at <code>${base}${mcpPath}</code>: no authentication, no sessions, read-only tools.
A request body has at most ${formatBytes(maxBodyBytes)}, a batch at most ${maxBatch} messages. Larger requests are rejected with JSON-RPC error
<code>-32600</code> before any tool runs.</p>
${toolList(tools)}
<h3>Add it to your MCP client</h3>
${clientList(base)}
${heading('limits')}
${rateTable()}
<p>Limits apply per IP address (IPv6: per /64 network); the operator may have set others. Requests over a limit get status 429 with
<code>Retry-After: ${windowSeconds}</code>. ${moreRequests}
${contact === null ? formatContact(contact) : html`<a href="${linkOf(contact)}">${formatContact(contact)}</a>`}.</p>
${heading('errors')}
<p>Error responses are JSON with <code>error</code>, <code>message</code> and <code>docs</code>. Any request can fail with
<code>internal_error</code>.</p>
${tables.errors}
${heading('fields')}
${tables.fields}
${heading('deviations')}
<ul class="points">${deviations.map((sentence) => html`<li>${sentence}</li>`)}</ul>
<p>A header check gives the score and grade of MDN's HTTP Observatory (algorithm 6) for the same headers. It evaluates
headers only, so it ignores the HSTS preload list, the page's markup and subresource integrity. Other differences:</p>
<ul class="points">${gradeDeviations.map((sentence) => html`<li>${sentence}</li>`)}
<li>Responses with any status are graded; the Observatory rejects status 400 and above. Only cookies of the final response count.</li></ul>
${heading('settings')}
<p>For operators: each setting is a command-line flag and an environment variable.</p>
${tables.settings}
</article>`,
      textAssets,
    );
  };
}

const renderParts = (parts: readonly Part[]): Fragment | string =>
  parts.length === 0 ? '' : html`<ul>${parts.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;

const fieldsId = (path: string): string => `fields${path.replaceAll('/', '-')}`;

const codes = (names: readonly string[]): Fragment => html`${names.map((name) => html`<code>${name}</code> `)}`;

function endpointTable(endpoints: readonly Endpoint[]): Fragment {
  return table(
    ['Path', 'Response', 'Formats', 'Errors'],
    endpoints.map((endpoint) => {
      const { path } = endpoint;
      return [
        handlesGet(endpoint)
          ? html`<a href="${exampleOf(endpoint)}"><code>${path}</code></a>`
          : html`<code>${path}</code>`,
        describeEndpoint(endpoint),
        formatsOf(endpoint).join(', '),
        errorsOf(endpoint).length === 0
          ? ''
          : html`${errorsOf(endpoint).map((code) => html`<a href="#error-${code}"><code>${code}</code></a> `)}`,
      ];
    }),
  );
}

function rateTable(): Fragment {
  return table(
    ['Rate', `Requests per ${windowSeconds} seconds`, 'Applies to'],
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

function fieldTable(endpoint: Endpoint): Fragment | string {
  const schema = schemaOf(endpoint);
  if (schema === null) return '';
  return html`<h3 id="${fieldsId(endpoint.path)}"><code>${endpoint.path}</code></h3>
${table(
  ['Field', 'Type', 'Description'],
  fieldsOf(schema).map(({ path, type, description }) => [html`<code>${path}</code>`, type, description]),
)}`;
}

function settingTable(): Fragment {
  return table(
    ['Flag', 'Variable', 'Default', 'Description'],
    settingNames.map((name) => {
      const { default: fallback, description } = settings[name];
      return [
        html`<code>--${flagOf(name)}</code>`,
        html`<code>${variableOf(name)}</code>`,
        fallback === '' ? '' : codes(fallback.split(',')),
        description,
      ];
    }),
  );
}
