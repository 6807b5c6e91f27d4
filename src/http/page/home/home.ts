/** The page at `/`: IP address and summary, identification of the client, lookups, all values, headers, AI agents. */
import { html } from 'hono/html';
import { limitsOf, windowSeconds } from '../../../core/limits.ts';
import { mcpPath } from '../../../mcp/server-info.ts';
import type { Info } from '../../../resources/info.ts';
import { clientList, toolList } from '../agents.ts';
import { card, command, type Fragment, quoteForShell, section } from '../fragment.ts';
import { layout } from '../layout.ts';
import { lookupForms } from '../lookup/form.ts';
import { agreement, identification, notableHeaders, roundTrips } from './client.ts';
import { fingerprintCards } from './fingerprint.ts';
import { firstScreen, type StartPage } from './start.ts';
import { values } from './values.ts';

export function homePage(start: StartPage): string {
  const { info, fingerprint, traits, tools, site } = start;
  const { baseUrl: base } = site;
  const client = html`<div class="cards two">
${card('Identification', identification(info))}
${card('Notable headers', notableHeaders(traits))}
${agreement(info)}
${roundTrips(info)}
</div>`;
  const limit = limitsOf(site.deployment).lookup;
  const lookups = html`<p class="lead">Live, never stored.${limit > 0 && ` Limit: ${limit} lookups per ${windowSeconds} seconds per IP.`}</p>
${lookupForms(base)}`;
  const agents = html`<p class="lead">The same data through the Model Context Protocol (MCP) at <code>${base}${mcpPath}</code>: no key, no sign-up, read-only tools.</p>
<div class="cards two">${card('Add it to your MCP client', clientList(base))}${card('Tools', toolList(tools))}</div>`;
  const title = 'Seenby: what the internet sees about your request';
  const description = 'Your IP address, location, ISP, connection, browser and headers. No request data is stored.';
  return layout(
    { path: '/', title, description, site },
    html`${firstScreen(start)}
${section('caller', 'Your client', client)}
${section('lookups', 'Lookups', lookups)}
${allValues(info, base)}
${section('fingerprint', 'Fingerprint', fingerprintCards(fingerprint, base))}
${headerValues(info, base)}
${section('agents', 'AI agents', agents)}`,
    'home',
  );
}

function allValues(
  { ip, ipVersion, location, network, http, tls, time, meta, userAgent }: Info,
  base: string,
): Fragment {
  // A person expects an answer, not a missing value.
  const words: Record<string, string> = userAgent.kind === 'browser' ? { 'userAgent.bot': 'no' } : {};
  const group = (title: string, nodes: Partial<Info>) => card(title, values(nodes, base, words));
  const content = html`<p class="lead">Each value with its JSON path. Expand one for its meaning and a curl command, or fetch them all:</p>
${command(`curl -s ${quoteForShell(`${base}/json`)}`, 'the command for all values')}
<div class="cards two">
${group('Location', { location })}
<div class="cards">${group('IP address and ISP', { ip, ipVersion, network })}${group('HTTP', { http })}</div>
<div class="cards">${group('TLS', { tls })}${group('Time and service', { time, meta })}</div>
${group('Browser or bot', { userAgent })}
</div>`;
  return section('values', 'All values', content);
}

function headerValues({ headers, edgeHeaders }: Info, base: string): Fragment {
  const group = (title: string, nodes: Readonly<Record<string, object>>) => {
    const count = Object.values(nodes).flatMap(Object.keys).length;
    const rows = count === 0 ? html`<p class="small">None.</p>` : values(nodes, base);
    return card(html`${title} <span class="chip plain">${count}</span>`, rows);
  };
  const cards = [group('Sent by your client', { headers }), group('Added by a proxy on the way', { edgeHeaders })];
  return section('headers', 'Headers', html`<div class="cards">${cards}</div>`);
}
