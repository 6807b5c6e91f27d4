/** The page at `/`: one section for each subject, with a summary first and all values in a closed list. */
import { html } from 'hono/html';
import type { Site } from '../../../core/request-context.ts';
import { mcpPath } from '../../../mcp/server-info.ts';
import { tools } from '../../../mcp/tools.ts';
import { mcpClients } from '../../mcp-clients.ts';
import { clientList, toolList } from '../agents.ts';
import { command, createStatic, type Fragment, fold, section } from '../fragment.ts';
import { frame, renderLink } from '../layout.ts';
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

/** What does not depend on the request. */
const renderStatic = createStatic((site: Site) => {
  const title = 'Seenby: what the internet sees about your request';
  const description = 'Your IP address, location, ISP, connection, browser and headers. No request data is stored.';
  const { before, after } = frame({ path: '/', title, description, site }, 'home');
  const last = html`${section('lookups', 'Lookups', lookupSection(site))}
${section('agents', 'AI agents', agentCard(site.baseUrl))}`;
  return { before: `${before}${navigation}\n`, last, after };
});

export function homePage(start: StartPage): string {
  const { info, fingerprint, traits, site, isSecure, dataDate } = start;
  const { baseUrl: base } = site;
  const { before, last, after } = renderStatic(site);
  const content = html`${firstScreen(start)}
${section('browser', 'Browser', browserCard(info, base))}
${section('connection', 'Connection', connectionCard(info, isSecure, site))}
${section('fingerprint', 'Fingerprint', fingerprintCard(fingerprint, isSecure, base))}
${section('headers', 'Headers', headerCard(info, traits, base))}
${last}
${dataDate && html`<p class="small">Location data of ${month.format(dataDate)}.</p>`}`;
  return `${before}${content}${after}`;
}

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

const agentCard = (base: string): Fragment =>
  html`<p class="lead">The same data through the Model Context Protocol (MCP): no key, no sign-up, read-only tools.</p>
<div class="card">${command(`${base}${mcpPath}`, 'the URL of the MCP server')}
${fold('mcp-clients', `Add it to your MCP client: ${mcpClients.length} clients`, clientList(base))}
${fold('mcp-tools', `All ${tools.length} tools`, toolList(tools))}</div>`;
