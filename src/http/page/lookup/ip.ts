/** Renders an IP address lookup: location, network, host name. */
import { html } from 'hono/html';
import type { IpLookup } from '../../../lookups/ip/ip-lookup.ts';
import { clippedOrNull, facts, type Result, resultTitle } from './result.ts';

export function renderIp(lookup: IpLookup): Result {
  const { ip, hostname, city, region, countryName, timezone, latitude, longitude, asn, asOrganization } = lookup;
  const place = [...new Set([city, region, countryName])].filter((name) => name !== null).join(', ');
  return {
    summary: `Location and network of ${ip}`,
    content: html`${resultTitle(ip)}
${facts([
  ['Location', clippedOrNull(place)],
  ['Coordinates', latitude === null || longitude === null ? null : `${latitude}, ${longitude}`],
  ['Time zone', clippedOrNull(timezone)],
  ['Organization', clippedOrNull(asOrganization)],
  ['ASN', asn === null ? null : `AS${asn}`],
  ['Host name', clippedOrNull(hostname)],
])}`,
  };
}
