/** The page at `/docs`, generated from the lists of endpoints, tools, errors and settings. */
import { html } from 'hono/html';
import { formatBytes } from '../../../core/limits.ts';
import type { Site } from '../../../core/request-context.ts';
import { maxBatch, maxBodyBytes } from '../../../mcp/message.ts';
import { mcpPath } from '../../../mcp/server-info.ts';
import { tools } from '../../../mcp/tools.ts';
import type { Endpoint } from '../../endpoint.ts';
import { usagePolicy } from '../../usage-policy.ts';
import { clientList, toolList } from '../agents.ts';
import { command, type Fragment, fold, quoteForShell } from '../fragment.ts';
import { layout, renderLink } from '../layout.ts';
import { exampleUrl, renderEmbedding, renderExamples } from './examples.ts';
import { fingerprintGuide } from './fingerprint-guide.ts';
import {
  renderDeviations,
  renderDialects,
  renderEndpoints,
  renderErrors,
  renderFields,
  renderLimits,
  renderLookups,
  renderSettings,
} from './sections.ts';

type Section = readonly [id: string, title: string, content: Fragment];

/** The same for every client: without PUBLIC_URL, its examples have a URL that the browser script replaces with the page's own. */
export function docsPage({ deployment }: Pick<Site, 'deployment'>, endpoints: readonly Endpoint[]): string {
  const { publicUrl } = deployment;
  const base = publicUrl ?? exampleUrl;
  const sections: readonly Section[] = [
    ['promises', 'Terms of use', terms],
    ['examples', 'Examples', renderExamples(base)],
    ['embedding', 'May I call this from my site?', renderEmbedding(base)],
    ['endpoints', 'Endpoints', renderEndpoints(endpoints)],
    ['fingerprints', 'Fingerprints', fingerprintGuide],
    ['lookups', 'Lookups', renderLookups(endpoints, base)],
    ['compatibility', 'In place of other services', renderDialects(base)],
    ['tools', 'AI agents (MCP)', renderServer(base)],
    ['limits', 'Limits', renderLimits(endpoints, tools, deployment)],
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
<nav class="sections" aria-label="On this page">${sections.map(([id, title]) => renderLink([`#${id}`, title]))}</nav>
<div>${publicUrl === null && html`<noscript><p>In the examples, replace <code>${exampleUrl}</code> with the URL of this service.</p></noscript>`}
${command(`curl -s ${quoteForShell(`${base}/json`)}`, 'the command for all values')}
${sections.map(([id, title, content]) => fold(id, html`<h2>${title}</h2>`, content))}</div>
</article>`,
    'text',
  );
}

const terms = html`<ul class="points">${Object.values(usagePolicy).map((sentence) => html`<li>${sentence}</li>`)}
<li>Responses are never cached (<code>Cache-Control: no-store</code>) and allow any origin (CORS).</li></ul>`;

const renderServer = (base: string): Fragment =>
  html`<p>Model Context Protocol (Streamable HTTP) at <code>${base}${mcpPath}</code>: no authentication, no sessions, read-only tools.
A request body has at most ${formatBytes(maxBodyBytes)}, a batch at most ${maxBatch} messages. Larger requests are rejected with JSON-RPC error
<code>-32600</code> before any tool runs.</p>
${toolList(tools)}
<h3>Add it to your MCP client</h3>
${clientList(base)}`;
