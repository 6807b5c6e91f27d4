/** The page at `/docs`, printed from the lists. */
import { html } from 'hono/html';
import * as z from 'zod';
import { errors } from '../../core/errors.ts';
import { rates, windowSeconds } from '../../core/limits.ts';
import type { Contact } from '../../core/settings.ts';
import { deviations } from '../../lookups/headers-check/outcomes.ts';
import { outboundUserAgent } from '../../lookups/outbound-user-agent.ts';
import { maxBatch, maxBodyBytes } from '../../mcp/server.ts';
import { mcpPath } from '../../mcp/server-info.ts';
import type { Tool } from '../../mcp/tool.ts';
import { answerOf, type Endpoint, errorsOf, exampleOf } from '../endpoint.ts';
import { mcpClients } from '../mcp-clients.ts';
import { formatValues, mediaTypes } from '../negotiate.ts';
import { addressOf, linkOf, moreCalls, terms } from '../terms.ts';
import { layout, table } from './layout.ts';

/** Works out first what is the same for every caller: the tables of fields take most of a millisecond. */
export function docsPage(
  endpoints: readonly Endpoint[],
  tools: readonly Pick<Tool, 'name' | 'title'>[],
): (base: string, contact: Contact | null) => string {
  const endpointTable = table(
    ['Path', 'Answer', 'Formats', 'Errors'],
    endpoints.map((endpoint) => [
      html`<a href="${exampleOf(endpoint)}"><code>${endpoint.path}</code></a>`,
      answerOf(endpoint),
      Object.keys(endpoint.print).join(', '),
      errorsOf(endpoint).join(', '),
    ]),
  );
  const toolTable = table(
    ['Tool', 'What for'],
    tools.map(({ name, title }) => [html`<code>${name}</code>`, title]),
  );
  const rateTable = table(
    ['Rate', `Calls in ${windowSeconds} seconds`, 'Covers'],
    Object.entries(rates).map(([name, { perWindow, covers }]) => [name, String(perWindow), covers]),
  );
  const errorTable = table(
    ['Status', 'error', 'message'],
    Object.entries(errors).map(([code, { status, message }]) => [String(status), html`<code>${code}</code>`, message]),
  );
  const fieldTables = endpoints.map(({ path, schema }) =>
    schema === null
      ? ''
      : html`<h3><code>${path}</code></h3>
${table(
  ['Field', 'Type', ''],
  fields(schema).map(([field, type, description]) => [html`<code>${field}</code>`, type, description]),
)}`,
  );
  return (base, contact) =>
    layout(
      'Documentation',
      html`<ul>${Object.values(terms).map((sentence) => html`<li>${sentence}</li>\n`)}</ul>
<p>Every answer is fresh (<code>Cache-Control: no-store</code>) and open to every origin.</p>
<h2 id="endpoints">Endpoints</h2>
${endpointTable}
<p>Endpoints that offer both json and text take <code>?format=${formatValues.join('|')}</code>; without it they answer
<code>${mediaTypes.text}</code> only where the <code>Accept</code> header prefers it to
<code>${mediaTypes.json}</code>. Flat text has one <code>key: value</code> line for each field, with the path of the
field in the JSON as its key.</p>
<h2 id="tools">Tool server</h2>
<p>Model Context Protocol over Streamable HTTP at <code>${base}${mcpPath}</code>, without sign-in and without sessions.
Every tool only reads. A message has at most ${maxBodyBytes} bytes, a batch at most ${maxBatch} messages.</p>
${toolTable}
${table(
  ['Client', 'Where', 'What to put there'],
  mcpClients.map(({ name, where, hosted, snippet }) => [
    name,
    `${where}${hosted ? ' (calls from its provider: needs a public https address)' : ''}`,
    html`<code>${snippet(base + mcpPath)}</code>`,
  ]),
)}
<h2 id="limits">Limits</h2>
${rateTable}
<p>Counted by address (IPv6: by /64); the operator may have set other numbers. ${moreCalls}
${contact === null ? addressOf(contact) : html`<a href="${linkOf(contact)}">${addressOf(contact)}</a>`}.</p>
<h2 id="lookups">Lookups</h2>
<p><code>/api/rdap</code> asks the server that IANA's bootstrap files name, and no other, redirects included. A domain is reduced
to the name that is registered: <code>www.example.co.uk</code> to <code>example.co.uk</code>. Every field of the summary is
always there, <code>null</code> or empty where the registry says nothing; <code>data</code> is its answer as it came.</p>
<p><code>/api/headers-check</code> sends one GET request for each hop, follows at most five redirects, reads no body and takes at most
five seconds. Private and reserved addresses and this service are refused, also where a redirect leads to them. Score and
grade are those of MDN's HTTP Observatory (algorithm 6) for the same headers, as far as headers show them: the HSTS preload list,
the page's own markup and subresource integrity are not looked at. What differs:</p>
<ul>
${deviations.map((deviation) => html`<li>${deviation}</li>`)}
<li>Every status is graded; the Observatory refuses those from 400 on. Only cookies of the last response count.</li>
</ul>
<p>Both announce themselves as <code>${outboundUserAgent(null)}</code>, with the address of this page.</p>
<h2 id="errors">Errors</h2>
<p>An error is JSON with <code>error</code>, <code>message</code> and <code>docs</code>. Any call may meet
<code>internal_error</code>.</p>
${errorTable}
<h2 id="fields">Fields</h2>
${fieldTables}`,
    );
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Dotted path, type and description of every leaf of a schema. */
function fields(schema: z.ZodObject): [path: string, type: string, description: string][] {
  const root = z.toJSONSchema(schema) as JsonSchema;
  return [...leaves(root, '', root.$defs ?? {})];
}

function* leaves(
  node: JsonSchema,
  path: string,
  definitions: Readonly<Record<string, JsonSchema>>,
): Generator<[string, string, string]> {
  const shape = definitions[node.$ref?.replace('#/$defs/', '') ?? ''] ?? node;
  const alternatives = (shape.anyOf ?? []) as JsonSchema[];
  if (shape.properties === undefined) yield [path, typeOf(shape), shape.description ?? ''];
  for (const { properties = {} } of [shape, ...alternatives]) {
    for (const [name, child] of Object.entries(properties)) {
      yield* leaves(child as JsonSchema, path === '' ? name : `${path}.${name}`, definitions);
    }
  }
}

function typeOf(node: JsonSchema): string {
  if (node.anyOf) return (node.anyOf as JsonSchema[]).map(typeOf).join(' | ');
  if (node.enum) return node.enum.join(' | ');
  return [node.type].flat().join(' | ');
}
