/** The page at `/`: one section for each subject, with a summary first and all values in a closed list. */
import { html, raw } from 'hono/html';
import { mcpPath } from '../../../mcp/server-info.ts';
import { tools } from '../../../mcp/tools.ts';
import { mcpClients } from '../../mcp-clients.ts';
import { clientList, toolList } from '../agents.ts';
import { command, createStatic, type Fragment, fold, section } from '../fragment.ts';
import { layout, renderLink } from '../layout.ts';
import { lookupSection } from '../lookup/form.ts';
import { browserCard, headerCard } from './client.ts';
import { connectionCard } from './connection.ts';
import { fingerprintCard } from './fingerprint.ts';
import { firstScreen, type StartPage } from './start.ts';

const sections = [
  ['#address', 'You'],
  ['#browser', 'Browser'],
  ['#connection', 'Connection'],
  ['#fingerprint', 'Fingerprint'],
  ['#headers', 'Headers'],
  ['#lookups', 'Lookups'],
  ['#agents', 'AI agents'],
] as const;

const navigation = html`<nav class="sections" aria-label="Sections">${sections.map((link) => renderLink(link))}</nav>`;

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
${section('lookups', 'Lookups', lookupSection(site))}
${section('agents', 'AI agents', agentCard(site.baseUrl))}
${raw(slot)}`,
    'home',
  ),
);

export function homePage(start: StartPage): string {
  const { info, fingerprint, traits, site, isSecure, dataDate } = start;
  const { baseUrl: base } = site;
  const [before, last, after] = renderStatic(site).split(slot);
  const sections = html`${firstScreen(start)}
${section('browser', 'Browser', browserCard(info, base))}
${section('connection', 'Connection', connectionCard(info, isSecure, site))}
${section('fingerprint', 'Fingerprint', fingerprintCard(fingerprint, isSecure, base))}
${section('headers', 'Headers', headerCard(info, traits, base))}`;
  const date = dataDate && html`<p class="small">Location data of ${month.format(dataDate)}.</p>`;
  return `${before}${sections}${last}${date ?? ''}${after}`;
}

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

const agentCard = (base: string): Fragment =>
  html`<p class="lead">The same data through the Model Context Protocol (MCP): no key, no sign-up, read-only tools.</p>
<div class="card">${command(`${base}${mcpPath}`, 'the URL of the MCP server')}
${fold('mcp-clients', `Add it to your MCP client: ${mcpClients.length} clients`, clientList(base))}
${fold('mcp-tools', `All ${tools.length} tools`, toolList(tools))}</div>`;
