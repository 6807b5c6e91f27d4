/** Reads the records of location and network databases, of either schema in use. */
import { type AutonomousSystem, type ObservedLocation, unobserved } from '../../../core/observed.ts';
import { regionCodeOf } from './region-code.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads a city record of either schema: nested (GeoIP2, GeoLite2, DB-IP) or flat (ip-location-db). */
export function locationOf(record: unknown): ObservedLocation {
  const fields = fieldsOf(record);
  if (fields === null) return unobserved.location;
  return typeof fields.country_code === 'string' ? flatLocation(fields) : nestedLocation(fields);
}

function flatLocation(fields: Fields): ObservedLocation {
  const [country, region] = [textOf(fields.country_code), textOf(fields.state1)];
  return {
    ...unobserved.location,
    country,
    region,
    regionCode: regionCodeOf(country, region),
    city: textOf(fields.city),
    postalCode: textOf(fields.postcode),
    timezone: textOf(fields.timezone),
    latitude: degreesOf(fields.latitude),
    longitude: degreesOf(fields.longitude),
  };
}

function nestedLocation(fields: Fields): ObservedLocation {
  const country = fieldsOf(fields.country);
  const subdivision = Array.isArray(fields.subdivisions) ? fieldsOf(fields.subdivisions[0]) : null;
  const place = fieldsOf(fields.location);
  const continent = fieldsOf(fields.continent);
  const [code, region] = [textOf(country?.iso_code), englishNameOf(subdivision)];
  return {
    country: code,
    countryName: englishNameOf(country),
    region,
    regionCode: textOf(subdivision?.iso_code) ?? regionCodeOf(code, region),
    city: englishNameOf(fieldsOf(fields.city)),
    postalCode: textOf(fieldsOf(fields.postal)?.code),
    metroCode: typeof place?.metro_code === 'number' ? String(place.metro_code) : textOf(place?.metro_code),
    continent: textOf(continent?.code),
    timezone: textOf(place?.time_zone),
    // GeoIP2 has the key only if it is true, DB-IP never: if absent, the value is unknown.
    isEU: country?.is_in_european_union === true ? true : null,
    latitude: degreesOf(place?.latitude),
    longitude: degreesOf(place?.longitude),
  };
}

/** Reads a record of an autonomous system database of either schema (both use GeoLite2's names). */
export function autonomousSystemOf(record: unknown): AutonomousSystem {
  const fields = fieldsOf(record);
  if (fields === null) return unobserved.autonomousSystem;
  const asn = fields.autonomous_system_number;
  return {
    asn: typeof asn === 'number' && asn > 0 ? asn : null,
    asOrganization: textOf(fields.autonomous_system_organization),
  };
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null ? (value as Fields) : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Rounds to four decimals, about ten meters: the databases contain 32-bit floats, whose further digits are noise. */
function degreesOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? Math.round(value * 1e4) / 1e4 : null;
}

function englishNameOf(fields: Fields | null): string | null {
  return textOf(fieldsOf(fields?.names)?.en);
}
