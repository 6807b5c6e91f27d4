/** Layouts of what is known about an IP address: that of the command `ip`, and that of the caller for `me`. */

import type { IpLookup } from '../../lookups/ip/ip-lookup.ts';
import { formatLines } from '../../mcp/text.ts';
import type { Location } from '../../resources/geo.ts';
import { Info } from '../../resources/info.ts';
import { joinKnown, layOut, type Row, type Terminal } from './terminal.ts';

interface Provider {
  readonly asn: number | null;
  readonly asOrganization: string | null;
}

const placeOf = ({ city, region, countryName, country }: Location): string =>
  joinKnown([city, region === city ? null : region, countryName ?? country]);

const providerOf = ({ asn, asOrganization }: Provider): string =>
  joinKnown([asn === null ? null : `AS${asn}`, asOrganization], ' ');

function placeRows(location: Location, provider: Provider): readonly Row[] {
  const { latitude, longitude, timezone } = location;
  return [
    ['Location', placeOf(location)],
    ['Coordinates', latitude === null || longitude === null ? null : `${latitude}, ${longitude}`],
    ['Time zone', timezone],
    ['Network', providerOf(provider)],
  ];
}

export const layOutAddress = (found: IpLookup, terminal: Terminal): string =>
  layOut([['Address', found.ip], ...placeRows(found, found), ['Host name', found.hostname]], terminal);

export const shortenAddress = (found: IpLookup): string =>
  joinKnown([found.ip, placeOf(found), providerOf(found)], ' · ');

/** The address first. Another version of the service may return other fields: then a line for each. */
export function layOutCaller(value: object, terminal: Terminal): string {
  const parsed = Info.safeParse(value);
  if (!parsed.success) return formatLines(value);
  const { ip, location, network, http, tls, userAgent } = parsed.data;
  const { browser, os, device, kind } = userAgent;
  const rows: Row[] = [
    ['Address', ip],
    ...placeRows(location, network),
    ['Protocol', joinKnown([http.protocol, tls?.version, tls?.cipher])],
    [
      'Client',
      joinKnown([
        joinKnown([browser.name, browser.version], ' '),
        joinKnown([os.name, os.version], ' '),
        joinKnown([device.vendor, device.model], ' '),
      ]),
    ],
    ['Kind', kind],
    ['User-Agent', userAgent.raw],
  ];
  return `${layOut(rows, terminal)}\nAll values: --json\n`;
}

/** The address alone; empty if there is none. */
export function shortenCaller(value: object): string {
  const { ip } = value as { readonly ip?: unknown };
  return typeof ip === 'string' ? ip : '';
}
