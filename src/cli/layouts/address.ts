/** Layout of what is known about an IP address. */

import type { IpLookup } from '../../lookups/ip/ip-lookup.ts';
import type { Location } from '../../resources/geo.ts';
import { joinKnown, layOutRows, type Row, type Terminal } from './terminal.ts';

interface Provider {
  readonly asn: number | null;
  readonly asOrganization: string | null;
}

const placeOf = ({ city, region, countryName, country }: Location): string =>
  joinKnown([city, region === city ? null : region, countryName ?? country]);

const providerOf = ({ asn, asOrganization }: Provider): string =>
  joinKnown([asn === null ? null : `AS${asn}`, asOrganization], ' ');

export function placeRows(location: Location, provider: Provider): readonly Row[] {
  const { latitude, longitude, timezone } = location;
  return [
    ['Location', placeOf(location)],
    ['Coordinates', latitude === null || longitude === null ? null : `${latitude}, ${longitude}`],
    ['Time zone', timezone],
    ['Network', providerOf(provider)],
  ];
}

export const layOut = (found: IpLookup, terminal: Terminal): string =>
  layOutRows([['Address', found.ip], ...placeRows(found, found), ['Host name', found.hostname]], terminal);

export const shorten = (found: IpLookup): string => joinKnown([found.ip, placeOf(found), providerOf(found)], ' · ');
