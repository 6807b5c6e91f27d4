/** Estimated location of the client's IP address, from an IP database. */
import timezoneAt from '@photostructure/tz-lookup';
import * as z from 'zod';
import { fieldOf, numberField, textField } from '../core/field.ts';
import type { ObservedLocation, ObservedRequest } from '../core/observed.ts';
import { Address, Network } from './connection.ts';
import { countries } from './countries.ts';

export const IpLocation = z
  .object({
    country: textField('Country code', 'Two-letter country code (ISO 3166-1)'),
    countryName: textField('Country', 'Country name in English'),
    region: textField('Region', 'Name of the state, province or other first-level subdivision'),
    regionCode: textField('Region code', 'Subdivision code (ISO 3166-2, without the country)'),
    city: textField('City', 'Name of the city'),
    postalCode: textField('Postal code', 'Postal code of the area'),
    metroCode: textField('Metro code', 'Designated market area code; United States only'),
    continent: textField('Continent', 'Continent code: AF, AN, AS, EU, NA, OC or SA'),
    timezone: textField('Time zone', 'IANA time zone'),
    isEU: fieldOf(z.boolean())(
      'In the European Union',
      'Whether the country is in the European Union; false if the country is unknown',
    ),
    latitude: numberField('Latitude', 'Degrees north of the equator; negative in the south', '°'),
    longitude: numberField('Longitude', 'Degrees east of Greenwich; negative in the west', '°'),
  })
  .meta({ id: 'IpLocation', description: 'Estimated location from an IP database; not a postal address' });
export type IpLocation = z.infer<typeof IpLocation>;

export const Geo = IpLocation.extend({
  ip: Address.shape.ip,
  asn: Network.shape.asn,
  asOrganization: Network.shape.asOrganization,
  colo: Network.shape.colo,
}).meta({ id: 'Geo', description: 'Location, ISP and ASN of the client' });
export type Geo = z.infer<typeof Geo>;

/** The observed location; a missing country name, continent, EU membership or time zone is derived from the rest. */
export function location(observed: Pick<ObservedRequest, 'location'>): IpLocation {
  const given = observed.location;
  const known = given.country === null ? undefined : countries.get(given.country);
  return {
    ...given,
    countryName: given.countryName ?? known?.name ?? null,
    continent: given.continent ?? known?.continent ?? null,
    timezone: given.timezone ?? timezoneOf(given),
    isEU: given.isEU ?? known?.isEU ?? false,
  };
}

function timezoneOf({ latitude, longitude }: ObservedLocation): string | null {
  if (latitude === null || longitude === null) return null;
  // Rejects NaN too, for which the library throws.
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return null;
  return timezoneAt(latitude, longitude);
}

export function geo(observed: Pick<ObservedRequest, 'ip' | 'location' | 'autonomousSystem' | 'colo'>): Geo {
  const { asn, asOrganization } = observed.autonomousSystem;
  return { ...location(observed), ip: observed.ip, asn, asOrganization, colo: observed.colo };
}
