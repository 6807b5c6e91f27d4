/** Renders an IP address lookup: location, network, host name. */
import type { IpLookup } from '../../../lookups/ip/ip-lookup.ts';
import { type Child, createElement, createFacts, renderUntrusted } from './elements.ts';

export function renderIp(lookup: IpLookup): Node[] {
  const { ip, hostname, city, region, countryName, timezone, latitude, longitude, asn, asOrganization } = lookup;
  const place = [city, region, countryName].filter((name) => name !== null).join(', ');
  return [
    createElement('div', { class: 'part' }, createElement('h4', { class: 'who' }, renderUntrusted(ip))),
    createFacts([
      ['Location', textNode(place === '' ? null : place)],
      ['Coordinates', latitude === null || longitude === null ? null : `${latitude}, ${longitude}`],
      ['Time zone', textNode(timezone)],
      ['Organization', textNode(asOrganization)],
      ['ASN', asn === null ? null : `AS${asn}`],
      ['Host name', textNode(hostname)],
    ]),
  ];
}

const textNode = (text: string | null): Child => (text === null ? null : renderUntrusted(text));
