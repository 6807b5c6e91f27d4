/** Reads the records of location and network databases, of either schema in use. */
import type { AutonomousSystem, ObservedLocation } from '../../core/observed.ts';

export const nowhere: ObservedLocation = {
  country: null,
  countryName: null,
  region: null,
  regionCode: null,
  city: null,
  postalCode: null,
  metroCode: null,
  continent: null,
  timezone: null,
  isEU: null,
  latitude: null,
  longitude: null,
};

export const noSystem: AutonomousSystem = { asn: null, asOrganization: null };

type Fields = Readonly<Record<string, unknown>>;

/** Reads a city record of either schema: nested (GeoIP2, GeoLite2, DB-IP) or flat (ip-location-db). */
export function locationOf(record: unknown): ObservedLocation {
  const fields = fieldsOf(record);
  if (fields === null) return nowhere;
  return typeof fields.country_code === 'string' ? flatLocation(fields) : nestedLocation(fields);
}

function flatLocation(fields: Fields): ObservedLocation {
  return {
    ...nowhere,
    country: text(fields.country_code),
    region: text(fields.state1),
    city: text(fields.city),
    postalCode: text(fields.postcode),
    timezone: text(fields.timezone),
    latitude: degrees(fields.latitude),
    longitude: degrees(fields.longitude),
  };
}

function nestedLocation(fields: Fields): ObservedLocation {
  const country = fieldsOf(fields.country);
  const subdivision = Array.isArray(fields.subdivisions) ? fieldsOf(fields.subdivisions[0]) : null;
  const place = fieldsOf(fields.location);
  const continent = fieldsOf(fields.continent);
  return {
    country: text(country?.iso_code),
    countryName: englishName(country),
    region: englishName(subdivision),
    regionCode: text(subdivision?.iso_code),
    city: englishName(fieldsOf(fields.city)),
    postalCode: text(fieldsOf(fields.postal)?.code),
    metroCode: typeof place?.metro_code === 'number' ? String(place.metro_code) : text(place?.metro_code),
    continent: text(continent?.code),
    timezone: text(place?.time_zone),
    // GeoIP2 has the key only where it is true, DB-IP never has it: absent says nothing.
    isEU: country?.is_in_european_union === true ? true : null,
    latitude: degrees(place?.latitude),
    longitude: degrees(place?.longitude),
  };
}

/** Reads a record of an autonomous system database of either schema (both use GeoLite2's names). */
export function autonomousSystemOf(record: unknown): AutonomousSystem {
  const fields = fieldsOf(record);
  if (fields === null) return noSystem;
  const asn = fields.autonomous_system_number;
  return {
    asn: typeof asn === 'number' && asn > 0 ? asn : null,
    asOrganization: text(fields.autonomous_system_organization),
  };
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null ? (value as Fields) : null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Four decimals, about ten metres: the databases hold 32-bit floats, whose further digits are noise. */
function degrees(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? Math.round(value * 1e4) / 1e4 : null;
}

function englishName(fields: Fields | null): string | null {
  return text(fieldsOf(fields?.names)?.en);
}
