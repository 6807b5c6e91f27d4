/** Where the caller's address is thought to be: an estimate that describes the access network. */
import timezoneAt from '@photostructure/tz-lookup';
import * as z from 'zod';
import type { ObservedRequest } from '../core/observed.ts';
import { countries } from './countries.ts';
import { Network } from './network.ts';

export const Location = z
  .object({
    country: z.string().nullable().describe('Two-letter country code (ISO 3166-1)'),
    countryName: z.string().nullable(),
    region: z.string().nullable(),
    regionCode: z.string().nullable().describe('Subdivision code (ISO 3166-2, without the country)'),
    city: z.string().nullable(),
    postalCode: z.string().nullable(),
    metroCode: z.string().nullable().describe('Designated market area, in the United States'),
    continent: z.string().nullable().describe('AF, AN, AS, EU, NA, OC or SA'),
    timezone: z.string().nullable().describe('IANA time zone'),
    isEU: z.boolean().describe('Whether the country is in the European Union'),
    latitude: z.number().nullable().describe('Degrees north'),
    longitude: z.number().nullable().describe('Degrees east'),
  })
  .meta({ id: 'Location', description: 'An estimate from an address database, not a postal address' });
export type Location = z.infer<typeof Location>;

export const Geo = Location.extend({
  ip: z.string().nullable().describe('Public IP address of the caller'),
  asn: Network.shape.asn,
  asOrganization: Network.shape.asOrganization,
  colo: Network.shape.colo,
}).meta({ id: 'Geo', description: 'Location and network of the caller' });
export type Geo = z.infer<typeof Geo>;

/** What the edge saw, with country name, continent, membership and time zone filled where it knew none. */
export function location(observed: ObservedRequest): Location {
  const seen = observed.location;
  const { country, region, regionCode, city, postalCode, metroCode, latitude, longitude } = seen;
  const known = country === null ? undefined : countries.get(country);
  return {
    country,
    countryName: seen.countryName ?? known?.name ?? null,
    region,
    regionCode,
    city,
    postalCode,
    metroCode,
    continent: seen.continent ?? known?.continent ?? null,
    timezone: seen.timezone ?? timezoneOf(latitude, longitude),
    isEU: seen.isEU ?? known?.isEU ?? false,
    latitude,
    longitude,
  };
}

function timezoneOf(latitude: number | null, longitude: number | null): string | null {
  if (latitude === null || longitude === null) return null;
  // Written so that NaN is refused too: the library throws for it.
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return null;
  return timezoneAt(latitude, longitude);
}

export function geo(observed: ObservedRequest): Geo {
  const { asn, asOrganization } = observed.autonomousSystem;
  return { ...location(observed), ip: observed.ip, asn, asOrganization, colo: observed.colo };
}
