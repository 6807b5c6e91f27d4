/** Location and autonomous system in a record of a database, for the schemas in use: one table from paths to fields. */
import { isObject, type JsonObject } from '../../../core/json.ts';
import { type AutonomousSystem, type ObservedLocation, unobserved } from '../../../core/observed.ts';
import { regionCodeOf } from './region-code.ts';

type Path = readonly string[];

/** Where databases have a field, in order, and what makes its value valid: the first valid one counts. */
interface Row<Value> {
  readonly paths: readonly Path[];
  readonly parse: (value: unknown) => Value | null;
}

const row = <Value>(parse: Row<Value>['parse'], ...paths: readonly string[]): Row<Value> => ({
  parse,
  paths: paths.map((path) => path.split('.')),
});

/** Null for what is empty, and for the sign that IP2Location has for what is not known. */
const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value !== '-' ? value : null;

/** ISO 3166-1, except for the two codes that stand for no country; databases for proxies also have names such as CLOUDFLARE. */
const countryCodeOf = (value: unknown): string | null =>
  typeof value === 'string' && /^(?!xx|zz)[a-z]{2}$/i.test(value) ? value.toUpperCase() : null;

/** `country` is the name in some databases and the code in others. */
const countryNameOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length > 2 ? textOf(value) : null;

const continents: readonly unknown[] = ['AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA'];
const continentOf = (value: unknown): string | null => {
  const code = typeof value === 'string' ? value.toUpperCase() : null;
  return continents.includes(code) ? code : null;
};

/** The part of a code of ISO 3166-2 after its country, which some databases add. */
const subdivisionOf = (value: unknown): string | null =>
  typeof value === 'string' ? (/^(?:[a-z]{2}-)?([a-z\d]{1,3})$/i.exec(value)?.[1]?.toUpperCase() ?? null) : null;

const metroCodeOf = (value: unknown): string | null => (/^\d{1,4}$/.test(`${value}`) ? `${value}` : null);

/** A name of IANA's database; IP2Location has offsets from UTC, which are not those of the whole year. */
const timezoneOf = (value: unknown): string | null =>
  typeof value === 'string' && /^(?:UTC|[A-Z][\w+-]*(?:\/[\w+-]+)+)$/.test(value) ? value : null;

/** Rounds to four decimals, about ten meters: the databases contain 32-bit floats, whose further digits are noise. */
const degreesOf =
  (maxDegrees: number) =>
  (value: unknown): number | null => {
    const degrees = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof degrees === 'number' && Math.abs(degrees) <= maxDegrees ? Math.round(degrees * 1e4) / 1e4 : null;
  };

/**
 * Dotted paths are those of MaxMind (GeoLite2, GeoIP2, Enterprise), DB-IP and IP2Location; flat ones those of IPinfo (Lite, Core, Plus, and
 * its earlier products) and of ip-location-db (`state1`, `postcode`); those below `geo` and `as` those of IPinfo's API in a database.
 */
const location = {
  country: row(countryCodeOf, 'country.iso_code', 'country_code', 'country', 'geo.country_code'),
  countryName: row(countryNameOf, 'country.names.en', 'country_name', 'country', 'geo.country'),
  region: row(textOf, 'subdivisions.0.names.en', 'state1', 'region', 'region_name', 'geo.region'),
  regionCode: row(subdivisionOf, 'subdivisions.0.iso_code', 'region_code', 'geo.region_code'),
  city: row(textOf, 'city.names.en', 'city', 'city_name', 'geo.city'),
  postalCode: row(textOf, 'postal.code', 'postcode', 'postal_code', 'postal', 'zip_code', 'geo.postal_code'),
  metroCode: row(metroCodeOf, 'location.metro_code', 'metro_code', 'dma_code', 'geo.dma_code'),
  continent: row(continentOf, 'continent.code', 'continent_code', 'continent', 'geo.continent_code'),
  timezone: row(timezoneOf, 'location.time_zone', 'timezone', 'time_zone', 'geo.timezone'),
  // GeoIP2 has the key only if it is true, others never: if absent, the value is unknown.
  isEU: row((value) => (value === true ? true : null), 'country.is_in_european_union'),
  latitude: row(degreesOf(90), 'location.latitude', 'latitude', 'lat', 'geo.latitude'),
  longitude: row(degreesOf(180), 'location.longitude', 'longitude', 'lng', 'lon', 'geo.longitude'),
} as const satisfies { [Field in keyof ObservedLocation]: Row<ObservedLocation[Field] & {}> };

/** A number, or a text such as "AS15169" or "AS15169 Google LLC". */
const asnText = /^(?:AS)?(\d{1,10})(?: +(\S.*))?$/i;

const asnOf = (value: unknown): number | null => {
  const asn = Number(typeof value === 'string' ? asnText.exec(value)?.[1] : value);
  return Number.isInteger(asn) && asn > 0 && asn < 2 ** 32 ? asn : null;
};

/** What follows the number, or a text without one: IP2Location has number and name as `asn` and `as`. */
const organizationIn = (value: unknown): string | null => {
  const parts = typeof value === 'string' ? asnText.exec(value) : null;
  return parts === null ? textOf(value) : (parts[2] ?? null);
};

const autonomousSystem = {
  asn: row(asnOf, 'autonomous_system_number', 'traits.autonomous_system_number', 'asn', 'as.asn', 'as_number', 'as'),
  organization: row(
    textOf,
    ...['autonomous_system_organization', 'traits.autonomous_system_organization', 'as_name', 'as.name'],
    ...['as_organization', 'isp', 'traits.isp'],
  ),
  /** Only beside a number: elsewhere, it may be the name of anything. */
  name: row(textOf, 'name', 'org', 'organization'),
  nameBeside: row(organizationIn, 'asn', 'as'),
} as const;

/** Kinds of schemas: flat, nested as MaxMind's, and nested as IPinfo's API. */
type Schema = 'flat' | 'nested' | 'api';

const schemaOf = ([first = '', ...rest]: Path): Schema => {
  if (rest.length === 0) return 'flat';
  return first === 'geo' || first === 'as' ? 'api' : 'nested';
};

/** The schemas of these records. A database has one, in which a field may be rare. */
function schemasOf(records: readonly object[]): ReadonlySet<Schema> {
  const members = records.flatMap((record) => Object.entries(record));
  return new Set(members.map(([name, value]) => schemaOf(typeof value === 'object' ? [name, ''] : [name])));
}

/** The rows with the paths that records of these schemas can have: reading the others too takes as long again. */
function selectRows<Rows extends Readonly<Record<string, Row<unknown>>>>(
  rows: Rows,
  schemas: ReadonlySet<Schema>,
): Rows {
  const selected = Object.entries(rows).map(([name, { paths, parse }]) => {
    const possible = paths.filter((path) => schemas.has(schemaOf(path)));
    return [name, { parse, paths: possible }] as const;
  });
  return Object.fromEntries(selected) as Record<string, Row<unknown>> as Rows;
}

function read<Value>(record: JsonObject, { paths, parse }: Row<Value>): Value | null {
  for (const path of paths) {
    let value = record[path[0] as string];
    for (let at = 1; at < path.length && value !== undefined; at += 1)
      value = typeof value === 'object' && value !== null ? (value as JsonObject)[path[at] as string] : undefined;
    const parsed = value === undefined ? null : parse(value);
    if (parsed !== null) return parsed;
  }
  return null;
}

/** Returns the functions that read records of the same schemas as these. */
export function createReaders(sample: readonly object[]) {
  const schemas = schemasOf(sample);
  const place = selectRows(location, schemas);
  const system = selectRows(autonomousSystem, schemas);
  return {
    locationOf: (record: unknown) => (isObject(record) ? readLocation(record, place) : unobserved.location),
    autonomousSystemOf: (record: unknown) =>
      isObject(record) ? readAutonomousSystem(record, system) : unobserved.autonomousSystem,
  };
}

function readLocation(record: JsonObject, rows: typeof location): ObservedLocation {
  const country = read(record, rows.country);
  const region = read(record, rows.region);
  const latitude = read(record, rows.latitude);
  const longitude = read(record, rows.longitude);
  // What IP2Location has for an unknown place; in the sea, where no client is.
  const isNowhere = latitude === 0 && longitude === 0 && country === null;
  return {
    country,
    countryName: read(record, rows.countryName),
    region,
    regionCode: read(record, rows.regionCode) ?? regionCodeOf(country, region),
    city: read(record, rows.city),
    postalCode: read(record, rows.postalCode),
    metroCode: read(record, rows.metroCode),
    continent: read(record, rows.continent),
    timezone: read(record, rows.timezone),
    isEU: read(record, rows.isEU),
    latitude: isNowhere ? null : latitude,
    longitude: isNowhere ? null : longitude,
  };
}

function readAutonomousSystem(record: JsonObject, rows: typeof autonomousSystem): AutonomousSystem {
  const asn = read(record, rows.asn);
  const organization = read(record, rows.organization);
  return {
    asn,
    asOrganization: organization ?? (asn === null ? null : (read(record, rows.name) ?? read(record, rows.nameBeside))),
  };
}
