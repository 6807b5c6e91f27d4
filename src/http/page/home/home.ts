/** The page at `/`: IP address and summary, identification of the client, lookups, all values, headers, AI agents. */
import { html } from 'hono/html';
import { rates, windowSeconds } from '../../../core/limits.ts';
import { mcpPath } from '../../../mcp/server-info.ts';
import type { Info } from '../../../resources/info.ts';
import { clientList, toolList } from '../agents.ts';
import { command, type Fragment, quoteForShell } from '../fragment.ts';
import { layout } from '../layout.ts';
import { lookupForms } from '../lookup/form.ts';
import { agreement, identification, notableHeaders } from './client.ts';
import { fingerprintSection } from './fingerprint.ts';
import { roundTrips } from './round-trips.ts';
import { firstScreen, type StartPage } from './start.ts';
import { values } from './values.ts';

export function homePage(start: StartPage): string {
  const { info, fingerprint, traits, tools, site } = start;
  const { baseUrl: base } = site;
  const { ip, ipVersion, location, network, http, tls, time, meta, userAgent } = info;
  // A person expects an answer, not a missing value.
  const words: Record<string, string> = userAgent.kind === 'browser' ? { 'userAgent.bot': 'no' } : {};
  const group = (title: string, nodes: Partial<Info>) =>
    html`<div class="card"><h3>${title}</h3>${values(nodes, base, words)}</div>`;

  return layout(
    {
      path: '/',
      title: 'Seenby: what the internet sees about your request',
      description: 'Your IP address, location, ISP, connection, browser and headers. No request data is stored.',
      site,
    },
    html`${firstScreen(start)}
<section aria-labelledby="caller">
<h2 id="caller">Your client</h2>
<div class="cards two">
<div class="card"><h3>Identification</h3>${identification(info)}</div>
<div class="card"><h3>Notable headers</h3>${notableHeaders(traits)}</div>
<div class="card only-js wide"><h3 id="agreement">Does the browser agree?</h3>
<p class="small">Compared in your browser; nothing is sent.</p>
${agreement(info)}</div>
${roundTrips(info)}
</div>
</section>
<section aria-labelledby="lookups">
<h2 id="lookups">Lookups</h2>
<p class="lead">Live, never stored. Limit: ${rates.lookup.perWindow} lookups per ${windowSeconds} seconds per IP.</p>
${lookupForms(base)}
</section>
<section aria-labelledby="values">
<h2 id="values">All values</h2>
<p class="lead">Each value with its JSON path. Expand one for its meaning and a curl command, or fetch them all:</p>
${command(`curl -s ${quoteForShell(`${base}/json`)}`, 'the command for all values')}
<div class="cards two">
${group('Location', { location })}
<div class="cards">${group('IP address and ISP', { ip, ipVersion, network })}${group('HTTP', { http })}</div>
<div class="cards">${group('TLS', { tls })}${group('Time and service', { time, meta })}</div>
${group('Browser or bot', { userAgent })}
</div>
</section>
${fingerprintSection(fingerprint, base)}
<section aria-labelledby="headers">
<h2 id="headers">Headers</h2>
<div class="cards">
${headerCard('Sent by your client', 'headers', info, base)}
${headerCard('Added by a proxy on the way', 'edgeHeaders', info, base)}
</div>
</section>
<section aria-labelledby="agents">
<h2 id="agents">AI agents</h2>
<p class="lead">The same data through the Model Context Protocol (MCP) at <code>${base}${mcpPath}</code>: no key, no sign-up, read-only tools.</p>
<div class="cards two">
<div class="card"><h3>Add it to your MCP client</h3>${clientList(base)}</div>
<div class="card"><h3>Tools</h3>${toolList(tools)}</div>
</div>
</section>`,
  );
}

function headerCard(title: string, path: 'headers' | 'edgeHeaders', info: Info, base: string): Fragment {
  const count = Object.keys(info[path]).length;
  return html`<div class="card"><h3>${title} <span class="chip plain">${count}</span></h3>${
    count === 0 ? html`<p class="small">None.</p>` : values({ [path]: info[path] }, base)
  }</div>`;
}
