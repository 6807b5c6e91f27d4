/** The first screen of the page at `/`: IP addresses, provider, location, encryption, browser, and what is notable. */
import { html } from 'hono/html';
import { parseAddress } from '../../../core/address.ts';
import { isPublicAddress } from '../../../core/networks.ts';
import type { Site } from '../../../core/request-context.ts';
import type { Info } from '../../../resources/info.ts';
import type { HeaderTraits } from '../../../traits/header-traits.ts';
import { command, type Fragment, quoteForShell, renderUntrusted } from '../fragment.ts';
import { type IpVersion, type OwnAddress, shortPlace } from './address-families.ts';
import { clientName, deviceName } from './client.ts';
import { map } from './map.ts';

export interface Start {
  readonly info: Info;
  readonly traits: HeaderTraits;
  readonly site: Site;
  /** Whether the request came over HTTPS. */
  readonly isSecure: boolean;
}

export function start({ info, traits, site, isSecure }: Start): Fragment {
  const { ip, ipVersion, location, meta } = info;
  const place = placeName(info);
  return html`<section aria-labelledby="address">
${meta.simulated ? html`<p class="banner">This is a local development server: location and network are simulated.</p>` : ''}
<div class="eyebrow"><h1 id="address">${isReserved(ip) ? 'Your IP address on this network' : 'Your public IP address'}</h1>${ipVersion === null ? '' : html`<span class="chip">IPv${ipVersion}</span>`}</div>
<div class="answer"><p class="address${ipVersion === 6 ? ' v6' : ''}">${ip === null ? 'not available' : breakable(ip)}</p>${
    ip === null ? '' : html`<button type="button" class="copy" aria-label="Copy the IP address">Copy</button>`
  }</div>
${isReserved(ip) ? html`<p class="where">A private or reserved address: websites on the internet see a different one.</p>` : ''}
${ip === null || ipVersion === null ? '' : families(info, ip, ipVersion, site)}
<div class="overview">
<dl class="facts">
${row('Provider', provider(info))}
${row('Location', place === null ? null : [place, 'Estimated from the IP address'])}
${row('Encryption', encryption(info, isSecure))}
${row('Browser', browser(info))}
<div><dt>Notable</dt><dd id="notable">${notable(traits)}</dd></div>
</dl>
<div>${map(location, place ?? 'unnamed')}
${command(`curl ${quoteForShell(`${site.baseUrl}/ip`)}`, 'the command for the IP address')}</div>
</div>
</section>`;
}

/** Allows line breaks only between the groups of an IPv6 address. */
const breakable = (ip: string): Fragment =>
  html`${ip.split(/(?<=:)/).map((group) => html`${renderUntrusted(group)}<wbr>`)}`;

type Value = readonly [main: string, detail: string | null];

function row(name: string, value: Value | null): Fragment | string {
  if (value === null) return '';
  const [main, detail] = value;
  return html`<div><dt>${name}</dt><dd><b>${renderUntrusted(main)}</b>${
    detail === null ? '' : html` <span class="small">${renderUntrusted(detail)}</span>`
  }</dd></div>`;
}

function provider({ network: { asn, asOrganization } }: Info): Value | null {
  const number = asn === null ? null : `AS${asn}`;
  if (asOrganization !== null) return [asOrganization, number];
  return number === null ? null : [number, null];
}

/** City, region and country, as far as known. */
function placeName({ location: { city, region, countryName } }: Info): string | null {
  const names = [city, region, countryName].filter((name) => name !== null);
  return names.length === 0 ? null : [...new Set(names)].join(', ');
}

function encryption({ tls: { version, cipher }, http: { protocol } }: Info, isSecure: boolean): Value {
  const details = [protocol, cipher].filter((name) => name !== null).join(', ') || null;
  if (version !== null) return [`Yes, with ${version.replace('TLSv', 'TLS ')}`, details];
  return isSecure ? ['Yes, HTTPS', details] : ['No, plain HTTP: others can read this in transit', protocol];
}

function browser(info: Info): Value | null {
  const { bot, browser: known } = info.userAgent;
  return bot === null && known.name === null ? null : [clientName(info), deviceName(info)];
}

/** Hints of an ordinary kind are left to the list of notable headers. */
function notable({ hints }: HeaderTraits): Fragment {
  const unusual = hints.filter(({ level }) => level !== 'info');
  return unusual.length === 0
    ? html`<b class="nothing">Nothing unusual in the request</b>`
    : html`${unusual.map(({ hint }) => html`<a href="#caller">${renderUntrusted(hint)}</a>`)}`;
}

/** Whether the address is private or reserved, as on the operator's machine. */
function isReserved(ip: string | null): boolean {
  const address = ip === null ? null : parseAddress(ip);
  return address !== null && !isPublicAddress(address);
}

/** The address of the other IP version, which the browser script requests; empty if the operator set no host for it. */
function families(info: Info, ip: string, ipVersion: IpVersion, { publicUrlV4, publicUrlV6 }: Site): Fragment | string {
  const other = ipVersion === 4 ? 6 : 4;
  const origins = { 4: publicUrlV4 ?? null, 6: publicUrlV6 ?? null };
  if (origins[4] === null && origins[6] === null) return '';
  const { asOrganization } = info.network;
  const own: OwnAddress = { ip, ipVersion, provider: asOrganization, place: shortPlace(info.location), origins };
  return html`<div class="families only-js" data-own="${JSON.stringify(own)}">
${origins[other] === null ? '' : html`<p class="other v${other}"><span class="chip">IPv${other}</span> </p><p class="detail">Checking…</p>`}
<p class="preference"></p>
</div>`;
}
