/** The page at `/`: the first screen, then one section for each subject, with a summary first and all values in a closed list. */

import { noteReserved } from '../../../core/address.ts';
import type { Deployment, RequestContext, Site } from '../../../core/request-context.ts';
import { joinKnown } from '../../../core/text.ts';
import { mcpPath } from '../../../mcp/server-info.ts';
import { ownTraits, tools } from '../../../mcp/tools.ts';
import { fingerprint } from '../../../resources/fingerprint.ts';
import { type Info, info } from '../../../resources/info.ts';
import { describePlace, shortPlace } from '../../../resources/place.ts';
import type { HeaderTraits } from '../../../traits/header-traits.ts';
import { kindNames } from '../data/client-names.ts';
import { mcpClients } from '../data/mcp-clients.ts';
import { breakable, command, createStatic, fold, quoteForShell, renderUntrusted, separated } from '../fragment.ts';
import { layout, renderLink } from '../layout.ts';
import { linkNetwork, lookupSection, searchForm } from '../lookup/navigation.ts';
import { map } from '../map.ts';
import { type Fragment, html, raw } from '../markup.ts';
import { clientList, toolList } from '../mcp-setup.ts';
import { type OwnAddress, otherVersion } from './address-families.ts';
import { browserCard, headerCard } from './client.ts';
import { connectionCard, fingerprintCard } from './connection.ts';
import { networkMembersOf } from './network-members.ts';
import { testCard, testTitle } from './probes.ts';
import { describeDevice, describeEncryption, isForwarded, nameClient, simulatedNote } from './request-summary.ts';
import { foldValues } from './values.ts';

/** The sections in their order; null for one that this deployment does not have. */
const titlesOf = ({ probes }: Deployment) => ({
  address: 'You',
  browser: 'Browser',
  connection: 'Connection',
  test: testTitle(probes),
  fingerprint: 'Fingerprint',
  headers: 'Headers',
  lookups: 'Lookups',
  agents: 'AI agents',
});

function navigation(deployment: Deployment): Fragment {
  const titles = Object.entries(titlesOf(deployment));
  const links = titles.flatMap(([id, title]) => (title === null ? [] : [renderLink([`#${id}`, title])]));
  return html`<nav class="sections" aria-label="Sections">${separated(links)}</nav>`;
}

/** Returns a function that renders a section of a deployment. */
const sectionRenderer = (deployment: Deployment) => {
  const titles = titlesOf(deployment);
  return (id: keyof typeof titles, content: Fragment): Fragment => html`<section aria-labelledby="${id}">
<h2 id="${id}">${titles[id]}</h2>
${content}
</section>\n`;
};

/** Stands for what depends on the request. */
const slot = '<!-- -->';

const renderStatic = createStatic((site) => {
  const renderSection = sectionRenderer(site.deployment);
  return layout(
    {
      path: '/',
      title: 'Seenby: what the internet sees about your request',
      description: 'Your IP address, location, ISP, connection, browser and headers. No request data is stored.',
      site,
    },
    html`${navigation(site.deployment)}
${raw(slot)}
${renderSection('lookups', lookupSection(site))}${renderSection('agents', agentCard(site.baseUrl))}${raw(slot)}`,
    'home',
  );
});

export function homePage(context: RequestContext): string {
  const { observed, platform, baseUrl, deployment } = context;
  const own = info(observed, baseUrl, platform.now());
  const traits = ownTraits(context);
  const connection = fingerprint(observed);
  const renderSection = sectionRenderer(deployment);
  const sections = [
    renderSection('browser', browserCard(own, baseUrl)),
    renderSection('connection', connectionCard(own, connection, context)),
    ...(testTitle(deployment.probes) === null ? [] : [renderSection('test', testCard(context))]),
    renderSection('fingerprint', fingerprintCard(connection, observed.isSecure, baseUrl)),
    renderSection('headers', headerCard(own, traits, baseUrl)),
  ];
  const [before, last, after] = renderStatic(context).split(slot);
  const dataDate = platform.addressData?.builtAt?.('city');
  const date = dataDate && html`<p class="small">Location data of ${month.format(dataDate)}.</p>`;
  return `${before}${firstScreen(own, traits, context)}\n${sections.join('')}${last}${date ?? ''}${after}`;
}

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

const agentCard = (base: string): Fragment =>
  html`<p class="lead">The same data through the Model Context Protocol (MCP): no key, no sign-up, read-only tools.</p>
<div class="card">${command(`${base}${mcpPath}`, 'the URL of the MCP server')}
${fold('mcp-clients', `Add it to your MCP client: ${mcpClients.length} clients`, clientList(base))}
${fold('mcp-tools', `All ${tools.length} tools`, toolList(tools))}</div>`;

/** IP addresses, provider, location, encryption, browser, and what is notable. */
function firstScreen(info: Info, traits: HeaderTraits, context: RequestContext): Fragment {
  const { ip, ipVersion, location, network, meta } = info;
  const place = describePlace(location);
  const reserved = noteReserved(ip ?? '');
  const nodes = { ip, ipVersion, location, network: networkMembersOf(network, 'address') };
  const surroundings = map(location, place ?? 'unnamed');
  return html`<section aria-labelledby="address">
${meta.simulated && html`<p class="banner">${simulatedNote}</p>`}
<p class="eyebrow"><span id="address">${reserved === null ? 'Your public IP address' : 'Your IP address on this network'}</span>${ipVersion && html` <span class="chip">IPv${ipVersion}</span>`}</p>
<div class="answer"><h1 class="address${ipVersion === 6 ? ' v6' : ''}">${ip === null ? 'not available' : breakable(ip)}</h1>${
    ip && html` <button type="button" class="copy" aria-label="Copy the IP address">Copy</button>`
  }</div>
${reserved && html`<p class="where">${reserved}</p>`}
${isForwarded(info) && html`<p class="where">This request carries X-Forwarded-For, but its sender is not a trusted proxy. If you operate this service behind a proxy, set TRUST_PROXY to its address; otherwise all visitors have the proxy's address and share its limits.</p>`}
${families(info, context)}
<div class="overview${surroundings && ' beside-map'}">
<dl class="facts">
${provider(info)}
${fact('Location', place, 'Estimated from the IP address')}
${fact('Encryption', describeEncryption(info, context.observed.isSecure), joinKnown([info.http.protocol, info.tls.cipher]))}
${browser(info)}
<div><dt>Notable</dt><dd id="notable">${notable(traits)}</dd></div>
</dl>
<div>${surroundings}
${command(`curl ${quoteForShell(`${context.baseUrl}/ip`)}`, 'the command for the IP address')}</div>
</div>
${searchForm()}
${foldValues('address-values', [{ nodes, without: 'The IP databases have no value for' }], context.baseUrl)}
</section>`;
}

/** Null if the value is not known. */
function fact(name: string, value: string | null, detail: Fragment | string | null): Fragment | null {
  if (value === null) return null;
  const more =
    detail && html` <span class="small">${typeof detail === 'string' ? renderUntrusted(detail) : detail}</span>`;
  return html`<div><dt>${name}</dt><dd><b>${renderUntrusted(value)}</b>${more}</dd></div>`;
}

function provider({ network: { asn, asOrganization } }: Info): Fragment | null {
  const number = asn === null ? null : `AS${asn}`;
  return fact('Provider', asOrganization ?? number, asOrganization === null ? null : number && linkNetwork(number));
}

function browser({ userAgent }: Info): Fragment | null {
  const { kind, bot, device } = userAgent;
  return fact('Browser', nameClient(userAgent), bot === null ? describeDevice(device) : kindNames[kind]);
}

/** Hints of an ordinary kind are left to the list of notable headers. */
function notable({ hints }: HeaderTraits): Fragment {
  const [first, ...others] = hints.filter(({ level }) => level !== 'info');
  if (first === undefined) return html`<b class="nothing">Nothing unusual</b>`;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return html`<a href="#headers">${renderUntrusted(first.hint.replace(/\.$/, ''))}${more}</a>`;
}

/** The address of the other IP version, which the browser script requests; null if the operator set no host for it. */
function families({ ip, ipVersion, network, location }: Info, { deployment }: Site): Fragment | null {
  const { publicUrlV4 = null, publicUrlV6 = null } = deployment;
  const origins = { 4: publicUrlV4, 6: publicUrlV6 };
  if (ip === null || ipVersion === null || origins[otherVersion(ipVersion)] === null) return null;
  const { asn, asOrganization } = network;
  const data: OwnAddress = { ip, ipVersion, network: { asn, asOrganization }, place: shortPlace(location), origins };
  return html`<div class="families only-js" data-own="${JSON.stringify(data)}"></div>`;
}
