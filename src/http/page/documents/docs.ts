/** The page at `/docs`, generated from the lists of endpoints, tools, errors and settings. */
import { html, raw } from 'hono/html';
import { formatBytes, windowSeconds } from '../../../core/limits.ts';
import type { Site } from '../../../core/request-context.ts';
import { maxBatch, maxBodyBytes } from '../../../mcp/message.ts';
import { mcpPath } from '../../../mcp/server-info.ts';
import type { Tool } from '../../../mcp/tool.ts';
import type { Endpoint } from '../../endpoint.ts';
import { formatContact, linkOf, moreRequests, usagePolicy } from '../../usage-policy.ts';
import { clientList, toolList } from '../agents.ts';
import { command, fold, quoteForShell } from '../fragment.ts';
import { layout } from '../layout.ts';
import { renderEmbedding, renderExamples } from './examples.ts';
import { fingerprintGuide } from './fingerprint-guide.ts';
import {
  renderDialects,
  renderEndpoints,
  renderLimits,
  renderLookups,
  renderRates,
  renderReference,
} from './sections.ts';

/** Renders the tables once, because they are the same for every request and take most of a millisecond. */
export function docsPage(endpoints: readonly Endpoint[], tools: readonly Tool[]): (site: Site) => string {
  const requests = renderEndpoints(endpoints);
  const limits = renderLimits(endpoints, tools);
  const reference = renderReference(endpoints);
  return (site) => {
    const { baseUrl: base } = site;
    const { contact } = site.deployment;
    const content = html`<h2 id="promises">Terms of use</h2>
<ul class="points">${Object.values(usagePolicy).map((sentence) => html`<li>${sentence}</li>`)}
<li>Responses are never cached (<code>Cache-Control: no-store</code>) and allow any origin (CORS).</li></ul>
<h2 id="examples">Examples</h2>
${renderExamples(base)}
<h2 id="embedding">May I call this from my site?</h2>
${renderEmbedding(base)}
<h2 id="endpoints">Endpoints</h2>
${requests}
<h2 id="fingerprints">Fingerprints</h2>
${fingerprintGuide}
<h2 id="lookups">Lookups</h2>
${renderLookups(endpoints, base)}
<h2 id="compatibility">In place of other services</h2>
${renderDialects(base)}
<h2 id="tools">AI agents (MCP)</h2>
<p>Model Context Protocol (Streamable HTTP) at <code>${base}${mcpPath}</code>: no authentication, no sessions, read-only tools.
A request body has at most ${formatBytes(maxBodyBytes)}, a batch at most ${maxBatch} messages. Larger requests are rejected with JSON-RPC error
<code>-32600</code> before any tool runs.</p>
${toolList(tools)}
<h3>Add it to your MCP client</h3>
${clientList(base)}
<h2 id="limits">Limits</h2>
${renderRates(site.deployment)}
${limits}
<p>Limits apply per IP address (IPv6: per /64 network). Requests over a limit get status 429 with
<code>Retry-After: ${windowSeconds}</code>. JSON responses state the limits and what is left of the strictest one in <code>RateLimit-Policy</code> and
<code>RateLimit</code> (IETF draft), unless the runtime does not report them, as on Cloudflare. A tool
returns a rejection as an error with the same message. ${moreRequests}
${contact === null ? formatContact(contact) : html`<a href="${linkOf(contact)}">${formatContact(contact)}</a>`}.</p>
${reference}`;
    const description = 'All endpoints, fields, errors, limits and settings.';
    const sections = sectionsOf(`${content}`);
    return layout(
      { path: '/docs', title: 'Documentation · Seenby', description, site },
      html`<article class="document with-contents">
<h1>Documentation</h1>
<nav class="sections" aria-label="On this page">${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}</nav>
<div>${command(`curl -s ${quoteForShell(`${base}/json`)}`, 'the command for all values')}
${sections.map(({ id, title, section }) => fold(id, html`<h2>${title}</h2>`, section))}</div>
</article>`,
      'text',
    );
  };
}

/** The sections of the markup: each begins with a heading of the second level. */
const sectionsOf = (markup: string) =>
  [...markup.matchAll(/<h2 id="(.+?)">(.+?)<\/h2>(.*?)(?=<h2 |$)/gs)].map(([, id = '', title = '', section = '']) => ({
    id,
    title: raw(title),
    section: raw(section),
  }));
