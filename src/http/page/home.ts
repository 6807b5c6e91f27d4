/** The page at `/`: the address first, then everything else that was seen, then what can be asked. */
import { html } from 'hono/html';
import type { HeaderTraits } from '../../client/header-traits.ts';
import { parseAddress } from '../../core/address.ts';
import { rates, windowSeconds } from '../../core/limits.ts';
import { isPublicAddress } from '../../lookups/public-address.ts';
import { mcpPath } from '../../mcp/server-info.ts';
import type { Info } from '../../resources/info.ts';
import type { Endpoint } from '../endpoint.ts';
import { clients, type ToolWords, toolList } from './agents.ts';
import { caller, hints, kindOf, nameOf } from './caller.ts';
import { command, type Fragment, quoted, shown } from './fragment.ts';
import { layout } from './layout.ts';
import { lookups } from './lookups.ts';
import { maps } from './map.ts';
import { values } from './values.ts';

export interface Home {
  readonly info: Info;
  readonly traits: HeaderTraits;
  readonly endpoints: readonly Endpoint[];
  readonly tools: readonly ToolWords[];
  /** The service's own address without a final slash. */
  readonly base: string;
  /** Of the page's own address. */
  readonly query: string;
}

export function homePage({ info, traits, endpoints, tools, base, query }: Home): string {
  const group = (title: string, ...paths: (keyof Info)[]) =>
    html`<div class="card"><h3>${title}</h3>${paths.map((path) => values(path, info[path], base))}</div>`;
  return layout(
    {
      path: '/',
      title: 'Seenby: what the internet sees of you',
      description: 'Your public address, its place and network, your connection, browser and headers. Nothing is kept.',
    },
    html`${answer(info, base)}
<section aria-labelledby="caller">
<h2 id="caller">Who is calling</h2>
<div class="cards two">
<div class="card"><h3>What we think</h3>${caller(info)}</div>
<div class="card"><h3>What stands out in these headers</h3>${hints(traits)}</div>
</div>
</section>
<section aria-labelledby="lookups">
<h2 id="lookups">Look something up</h2>
<p class="lead">Asked live, and forgotten at once: ${rates.lookup.perWindow} lookups in ${windowSeconds} seconds for each address.</p>
${lookups(endpoints, query, base)}
</section>
<section aria-labelledby="values">
<h2 id="values">Everything that was seen</h2>
<p class="lead">Each value with its path in the JSON. Open one for what it means and the command that prints it, or take all of
them at once.</p>
${command(`curl -s ${quoted(`${base}/json`)}`, 'the command for everything')}
<div class="cards two">
${group('Place', 'location')}
<div class="cards">${group('Address and network', 'ip', 'ipVersion', 'network')}${group('HTTP', 'http')}</div>
<div class="cards">${group('TLS', 'tls')}${group('Time and service', 'time', 'meta')}</div>
${group('Browser or bot', 'userAgent')}
</div>
</section>
<section aria-labelledby="headers">
<h2 id="headers">Headers</h2>
<div class="cards">
${headerCard('Sent by your client', 'headers', info, base)}
${headerCard('Added by the edge in front of this service', 'edgeHeaders', info, base)}
</div>
</section>
<section aria-labelledby="agents">
<h2 id="agents">For AI agents</h2>
<p class="lead">The same as tools, by the Model Context Protocol at <code>${base}${mcpPath}</code>: no key, no sign-up, every tool only reads.</p>
<div class="cards two">
<div class="card"><h3>Add it to your client</h3>${clients(base)}</div>
<div class="card"><h3>Tools</h3>${toolList(tools)}</div>
</div>
</section>`,
  );
}

function answer(info: Info, base: string): Fragment {
  const { ip, ipVersion, location, tls, http, network, meta } = info;
  const rttField = network.clientQuicRttMs === null ? 'clientTcpRttMs' : 'clientQuicRttMs';
  const rtt = network[rttField];
  return html`<section aria-labelledby="address">
${meta.simulated ? html`<p class="banner">A local development server: place and network are simulated.</p>` : ''}
<div class="eyebrow"><h1 id="address">${isReserved(ip) ? 'The address you came from' : 'Your public address'}</h1>${ipVersion === null ? '' : html`<span class="chip">IPv${ipVersion}</span>`}<code>ip</code></div>
<div class="answer"><p class="address${ipVersion === 6 ? ' v6' : ''}">${ip === null ? 'not seen' : breakable(ip)}</p>${
    ip === null ? '' : html`<button type="button" class="copy" aria-label="Copy the address">Copy</button>`
  }</div>
<p class="where">${sentence(info)}</p>
${command(`curl ${quoted(`${base}/ip`)}`, 'the command for the address')}
${maps(location, placeOf(info) ?? 'unnamed')}
<ul class="tiles">
${tile('TLS', 'tls.version', tls.version, tls.cipher ?? 'Not an encrypted connection, or not seen')}
${tile('HTTP', 'http.protocol', http.protocol, http.acceptEncoding === null ? 'No compression offered' : `Takes ${http.acceptEncoding}`)}
${tile('Round trip', `network.${rttField}`, rtt === null ? null : `${rtt} ms`, rtt === null ? 'This edge cannot measure it' : 'Measured by the server on this connection')}
${tile('Client', 'userAgent', nameOf(info), kindOf(info))}
</ul>
<div class="card only-js round-trips"><h2 class="title">Round trips, live</h2>
<dl class="figures"><div><dt>Last</dt><dd data-figure="last">–</dd></div><div><dt>Least</dt><dd data-figure="least">–</dd></div><div><dt>Median</dt><dd data-figure="median">–</dd></div></dl>
<svg class="plot" role="img" aria-label="Round trips measured by this page"></svg>
<p class="small"><span class="state"></span> <button type="button" class="copy quiet again" hidden>Measure again</button></p>
</div>
</section>`;
}

/** Breaks where a line must break between the groups of an address. */
const breakable = (ip: string): Fragment => html`${ip.split(/(?<=:)/).map((group) => html`${shown(group)}<wbr>`)}`;

function tile(label: string, path: string, value: string | null, more: string): Fragment {
  return html`<li><span class="small">${label} <code>${path}</code></span><b>${value === null ? 'not seen' : shown(value)}</b><span class="small">${shown(more)}</span></li>`;
}

/** From the city to the country, as far as known. */
function placeOf({ location: { city, region, countryName } }: Info): string | null {
  const names = [city, region, countryName].filter((name) => name !== null);
  return names.length === 0 ? null : [...new Set(names)].join(', ');
}

/** Of a network of its own, as on the operator's machine. */
function isReserved(ip: string | null): boolean {
  const address = ip === null ? null : parseAddress(ip);
  return address !== null && !isPublicAddress(address);
}

function sentence(info: Info): Fragment {
  const { asn, asOrganization } = info.network;
  const place = placeOf(info);
  const name = asOrganization ?? (asn === null ? null : `AS${asn}`);
  const number = asOrganization === null || asn === null ? '' : ` (AS${asn})`;
  if (place === null && name === null)
    return isReserved(info.ip)
      ? html`It is private or reserved: the internet sees another one.`
      : html`The databases know neither place nor network of this address.`;
  const where = place === null ? html`In a place we do not know` : html`Probably near <strong>${shown(place)}</strong>`;
  const network =
    name === null
      ? ', on a network we do not know'
      : html`, on the network of <strong>${shown(name)}</strong>${number}`;
  return html`${where}${network}.`;
}

function headerCard(title: string, path: 'headers' | 'edgeHeaders', info: Info, base: string): Fragment {
  const count = Object.keys(info[path]).length;
  return html`<div class="card"><h3>${title} <span class="chip plain">${count}</span></h3>${
    count === 0 ? html`<p class="small">None.</p>` : values(path, info[path], base)
  }</div>`;
}
