/** Renders an IP address lookup: location with a map, network, host name. */

import type { IpLookup } from '../../../lookups/ip/ip-lookup.ts';
import { briefOfAddress } from '../../../lookups/report.ts';
import { describePlace } from '../../../resources/place.ts';
import { map } from '../map.ts';
import { html } from '../markup.ts';
import { linkAddress, linkHost, linkNetwork, pathOf } from './navigation.ts';
import { chip, type Fact, facts, type Result, resultTitle, type Visit } from './result.ts';

export const renderIp = (lookup: IpLookup, visit: Visit): Result => render(lookup, visit, []);

/** As part of a report, with a link to the page of the address. */
export const renderDomainAddress = (lookup: IpLookup, visit: Visit): Result =>
  render(lookup, visit, [['IP address', linkAddress(lookup.ip)]]);

function render(lookup: IpLookup, { asn: ownAsn }: Visit, more: readonly Fact[]): Result {
  const { ip, hostname, timezone, latitude, longitude, asn, asOrganization } = lookup;
  const place = describePlace(lookup);
  const surroundings = map(lookup, place ?? 'unnamed');
  const own = asn === ownAsn && html` ${chip('same network as you', '')}`;
  return {
    summary: `Location and network of ${ip}`,
    brief: briefOfAddress(lookup),
    content: html`${resultTitle(ip)}
<div class="split${surroundings && ' in-columns'}">${facts([
      ['Location', place],
      ['Coordinates', latitude === null || longitude === null ? null : `${latitude}, ${longitude}`],
      ['Time zone', timezone],
      ['Organization', asOrganization],
      ['ASN', asn === null ? null : html`${linkNetwork(`AS${asn}`)}${own}`],
      ['Host name', hostname === null ? null : linkHost(hostname)],
      ...more,
      ['Registration', html`<a href="${pathOf('/lookup/rdap', 'q', ip)}">Registration of this network</a>`],
    ])}
${surroundings}</div>`,
  };
}
