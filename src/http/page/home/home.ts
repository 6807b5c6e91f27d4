/** The page at `/`: one section for each subject, with a summary first and all values in a closed list. */
import { html } from 'hono/html';
import { mcpPath } from '../../../mcp/server-info.ts';
import { mcpClients } from '../../mcp-clients.ts';
import { clientList, toolList } from '../agents.ts';
import { command, type Fragment, fold, section } from '../fragment.ts';
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

export function homePage(start: StartPage): string {
  const { info, fingerprint, traits, tools, site, isSecure } = start;
  const { baseUrl: base } = site;
  const title = 'Seenby: what the internet sees about your request';
  const description = 'Your IP address, location, ISP, connection, browser and headers. No request data is stored.';
  return layout(
    { path: '/', title, description, site },
    html`${navigation}
${firstScreen(start)}
${section('browser', 'Browser', browserCard(info, base))}
${section('connection', 'Connection', connectionCard(info, isSecure, base))}
${section('fingerprint', 'Fingerprint', fingerprintCard(fingerprint, isSecure, base))}
${section('headers', 'Headers', headerCard(info, traits, base))}
${section('lookups', 'Lookups', lookupSection(site))}
${section('agents', 'AI agents', agentCard(tools, base))}`,
    'home',
  );
}

const agentCard = (tools: StartPage['tools'], base: string): Fragment =>
  html`<p class="lead">The same data through the Model Context Protocol (MCP): no key, no sign-up, read-only tools.</p>
<div class="card">${command(`${base}${mcpPath}`, 'the URL of the MCP server')}
${fold('mcp-clients', `Add it to your MCP client: ${mcpClients.length} clients`, clientList(base))}
${fold('mcp-tools', `All ${tools.length} tools`, toolList(tools))}</div>`;
