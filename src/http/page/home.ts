/** The page at `/`: IP address and summary, identification of the client, lookups, all values, headers, AI agents. */
import { html } from 'hono/html';
import { parseAddress } from '../../core/address.ts';
import { rates, windowSeconds } from '../../core/limits.ts';
import { isPublicAddress } from '../../core/networks.ts';
import type { Site } from '../../core/request-context.ts';
import { mcpPath } from '../../mcp/server-info.ts';
import type { Fingerprint } from '../../resources/fingerprint.ts';
import type { Info } from '../../resources/info.ts';
import type { HeaderTraits } from '../../traits/header-traits.ts';
import type { LookupEndpoint } from '../endpoint.ts';
import { clientList, type ToolSummary, toolList } from './agents.ts';
import { clientName, identification, kindName, notableHeaders } from './client.ts';
import { fingerprintSection } from './fingerprint.ts';
import { command, type Fragment, quoteForShell, renderUntrusted } from './fragment.ts';
import { layout } from './layout.ts';
import { lookupForms } from './lookup/form.ts';
import { maps } from './map.ts';
import { values } from './values.ts';

export interface Home {
  readonly info: Info;
  readonly fingerprint: Fingerprint;
  readonly traits: HeaderTraits;
  readonly lookups: readonly LookupEndpoint[];
  readonly tools: readonly ToolSummary[];
  readonly site: Site;
}

export function homePage({ info, fingerprint, traits, lookups, tools, site }: Home): string {
  const { baseUrl: base } = site;
  const group = (title: string, ...paths: (keyof Info)[]) =>
    html`<div class="card"><h3>${title}</h3>${paths.map((path) => values(path, info[path], base))}</div>`;
  return layout(
    {
      path: '/',
      title: 'Seenby: what the internet sees about your request',
      description: 'Your IP address, location, ISP, connection, browser and headers. No request data is stored.',
      site,
    },
    html`${summary(info, base)}
<section aria-labelledby="caller">
<h2 id="caller">Your client</h2>
<div class="cards two">
<div class="card"><h3>Identification</h3>${identification(info)}</div>
<div class="card"><h3>Notable headers</h3>${notableHeaders(traits)}</div>
</div>
</section>
<section aria-labelledby="lookups">
<h2 id="lookups">Lookups</h2>
<p class="lead">Live, never stored. Limit: ${rates.lookup.perWindow} lookups per ${windowSeconds} seconds per IP.</p>
${lookupForms(lookups, base)}
</section>
<section aria-labelledby="values">
<h2 id="values">All values</h2>
<p class="lead">Each value with its JSON path. Expand one for its meaning and a curl command, or fetch them all:</p>
${command(`curl -s ${quoteForShell(`${base}/json`)}`, 'the command for all values')}
<div class="cards two">
${group('Location', 'location')}
<div class="cards">${group('IP address and ISP', 'ip', 'ipVersion', 'network')}${group('HTTP', 'http')}</div>
<div class="cards">${group('TLS', 'tls')}${group('Time and service', 'time', 'meta')}</div>
${group('Browser or bot', 'userAgent')}
</div>
</section>
${fingerprintSection(fingerprint, base)}
<section aria-labelledby="headers">
<h2 id="headers">Headers</h2>
<div class="cards">
${headerCard('Sent by your client', 'headers', info, base)}
${headerCard('Added by the edge in front of this service', 'edgeHeaders', info, base)}
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

function summary(info: Info, base: string): Fragment {
  const { ip, ipVersion, location, tls, http, network, meta } = info;
  const rttField = network.clientQuicRttMs === null ? 'clientTcpRttMs' : 'clientQuicRttMs';
  const rtt = network[rttField];
  return html`<section aria-labelledby="address">
${meta.simulated ? html`<p class="banner">This is a local development server: location and network are simulated.</p>` : ''}
<div class="eyebrow"><h1 id="address">${isReserved(ip) ? 'Your IP address on this network' : 'Your public IP address'}</h1>${ipVersion === null ? '' : html`<span class="chip">IPv${ipVersion}</span>`}<code>ip</code></div>
<div class="answer"><p class="address${ipVersion === 6 ? ' v6' : ''}">${ip === null ? 'not available' : breakable(ip)}</p>${
    ip === null ? '' : html`<button type="button" class="copy" aria-label="Copy the IP address">Copy</button>`
  }</div>
${sentence(info)}
${command(`curl ${quoteForShell(`${base}/ip`)}`, 'the command for the IP address')}
${maps(location, placeName(info) ?? 'unnamed')}
<ul class="tiles">
${tile('TLS', 'tls.version', tls.version, tls.cipher ?? 'Connection not encrypted, or TLS details not available')}
${tile('HTTP', 'http.protocol', http.protocol, http.acceptEncoding === null ? 'No Accept-Encoding header' : `Accepts ${http.acceptEncoding}`)}
${tile('Round-trip time', `network.${rttField}`, rtt === null ? null : `${rtt} ms`, rtt === null ? 'This edge cannot measure it' : 'Measured by the server on this connection')}
${tile('Client', 'userAgent', clientName(info), kindName(info))}
</ul>
<div class="card only-js round-trips"><h2 class="title">Live round-trip times</h2>
<dl class="figures"><div><dt>Last</dt><dd data-figure="last">–</dd></div><div><dt>Min</dt><dd data-figure="min">–</dd></div><div><dt>Median</dt><dd data-figure="median">–</dd></div></dl>
<svg class="plot" role="img" aria-label="Round-trip times measured by this page"></svg>
<p class="small"><span class="state"></span> <button type="button" class="copy quiet again" hidden>Measure again</button></p>
</div>
</section>`;
}

/** Allows line breaks only between the groups of an IPv6 address. */
const breakable = (ip: string): Fragment =>
  html`${ip.split(/(?<=:)/).map((group) => html`${renderUntrusted(group)}<wbr>`)}`;

function tile(label: string, path: string, value: string | null, detail: string): Fragment {
  return html`<li><span class="small">${label} <code>${path}</code></span><b>${value === null ? 'not available' : renderUntrusted(value)}</b><span class="small">${renderUntrusted(detail)}</span></li>`;
}

/** City, region and country, as far as known. */
function placeName({ location: { city, region, countryName } }: Info): string | null {
  const names = [city, region, countryName].filter((name) => name !== null);
  return names.length === 0 ? null : [...new Set(names)].join(', ');
}

/** Whether the address is private or reserved, as on the operator's machine. */
function isReserved(ip: string | null): boolean {
  const address = ip === null ? null : parseAddress(ip);
  return address !== null && !isPublicAddress(address);
}

/** Location and network in one sentence; each part only if it is known. */
function sentence(info: Info): Fragment | string {
  const { asn, asOrganization } = info.network;
  const place = placeName(info);
  const name = asOrganization ?? (asn === null ? null : `AS${asn}`);
  const number = asOrganization === null || asn === null ? '' : ` (AS${asn})`;
  const near = place === null ? null : html`near <strong>${renderUntrusted(place)}</strong>`;
  const network = name === null ? null : html`the network of <strong>${renderUntrusted(name)}</strong>${number}`;
  const known =
    near !== null
      ? html`Probably ${near}${network === null ? '' : html`, on ${network}`}.`
      : network !== null
        ? html`On ${network}.`
        : isReserved(info.ip)
          ? 'A private or reserved address: websites on the internet see a different one.'
          : null;
  return known === null ? '' : html`<p class="where">${known}</p>`;
}

function headerCard(title: string, path: 'headers' | 'edgeHeaders', info: Info, base: string): Fragment {
  const count = Object.keys(info[path]).length;
  return html`<div class="card"><h3>${title} <span class="chip plain">${count}</span></h3>${
    count === 0 ? html`<p class="small">None.</p>` : values(path, info[path], base)
  }</div>`;
}
