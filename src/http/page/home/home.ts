/** The page at `/`: one section for each subject, with a summary first and all values in a closed list. */
import { html, raw } from 'hono/html';
import type { Site } from '../../../core/request-context.ts';
import { mcpPath } from '../../../mcp/server-info.ts';
import { tools } from '../../../mcp/tools.ts';
import { clientList, mcpClients, toolList } from '../agents.ts';
import { command, createStatic, type Fragment, fold } from '../fragment.ts';
import { layout, renderLink } from '../layout.ts';
import { lookupSection } from '../lookup/form.ts';
import { browserCard, headerCard } from './client.ts';
import { connectionCard } from './connection.ts';
import { fingerprintCard } from './fingerprint.ts';
import { firstScreen, type StartPage } from './start.ts';

type Section<Input> = readonly [id: string, title: string, render: (input: Input) => Fragment];

/** Sections about the request, below the first screen. */
const observations: readonly Section<StartPage>[] = [
  ['browser', 'Browser', ({ info, site }) => browserCard(info, site.baseUrl)],
  ['connection', 'Connection', ({ info, isSecure, site }) => connectionCard(info, isSecure, site)],
  ['fingerprint', 'Fingerprint', (start) => fingerprintCard(start.fingerprint, start.isSecure, start.site.baseUrl)],
  ['headers', 'Headers', ({ info, traits, site }) => headerCard(info, traits, site.baseUrl)],
];

/** Sections that are the same for every client. */
const services: readonly Section<Site>[] = [
  ['lookups', 'Lookups', lookupSection],
  ['agents', 'AI agents', ({ baseUrl }) => agentCard(baseUrl)],
];

const navigation = html`<nav class="sections" aria-label="Sections">${[
  ['address', 'You'] as const,
  ...observations,
  ...services,
].map(([id, title]) => renderLink([`#${id}`, title]))}</nav>`;

const renderSections = <Input>(sections: readonly Section<Input>[], input: Input): Fragment =>
  html`${sections.map(
    ([id, title, render]) => html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${render(input)}
</section>\n`,
  )}`;

/** Stands for what depends on the request. */
const slot = '<!-- -->';

const renderStatic = createStatic((site) =>
  layout(
    {
      path: '/',
      title: 'Seenby: what the internet sees about your request',
      description: 'Your IP address, location, ISP, connection, browser and headers. No request data is stored.',
      site,
    },
    html`${navigation}
${raw(slot)}
${renderSections(services, site)}${raw(slot)}`,
    'home',
  ),
);

export function homePage(start: StartPage): string {
  const { site, dataDate } = start;
  const [before, last, after] = renderStatic(site).split(slot);
  const date = dataDate && html`<p class="small">Location data of ${month.format(dataDate)}.</p>`;
  return `${before}${firstScreen(start)}\n${renderSections(observations, start)}${last}${date ?? ''}${after}`;
}

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

const agentCard = (base: string): Fragment =>
  html`<p class="lead">The same data through the Model Context Protocol (MCP): no key, no sign-up, read-only tools.</p>
<div class="card">${command(`${base}${mcpPath}`, 'the URL of the MCP server')}
${fold('mcp-clients', `Add it to your MCP client: ${mcpClients.length} clients`, clientList(base))}
${fold('mcp-tools', `All ${tools.length} tools`, toolList(tools))}</div>`;
