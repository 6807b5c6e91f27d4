/** Renders an IP address lookup: location, network, host name. */
import { html } from 'hono/html';
import type { IpLookup } from '../../../lookups/ip/ip-lookup.ts';
import { joinKnown } from '../join-known.ts';
import { facts, type Result, resultTitle } from './result.ts';

export function renderIp(lookup: IpLookup): Result {
  const { ip, hostname, city, region, countryName, timezone, latitude, longitude, asn, asOrganization } = lookup;
  return {
    summary: `Location and network of ${ip}`,
    content: html`${resultTitle(ip)}
${facts([
  ['Location', joinKnown([city, region, countryName])],
  ['Coordinates', latitude === null || longitude === null ? null : `${latitude}, ${longitude}`],
  ['Time zone', timezone],
  ['Organization', asOrganization],
  ['ASN', asn === null ? null : `AS${asn}`],
  ['Host name', hostname],
])}`,
  };
}
