/** The databases of the service, loaded once for all threads. */
import {
  type DatabaseKind,
  loadFiles,
  type NamedFiles,
  type OpenGeoip,
  openGeoip,
} from '../../edges/node/geoip/geoip.ts';
import { mapFile } from '../../native/mapped-file.ts';

/** The files of each database in use; null in place of a database if there is none. */
export type LoadedFiles = Record<DatabaseKind, NamedFiles | null>;

export interface ServedDatabases {
  readonly geoip: OpenGeoip;
  /** The files in use, for other threads to open. */
  readonly files: Readonly<LoadedFiles>;
}

/** Throws an Error that names the setting and the invalid file. `areShared`: other threads open the databases too. */
export async function openServedDatabases(
  select: (kind: DatabaseKind) => NamedFiles | null,
  areShared: boolean,
): Promise<ServedDatabases> {
  const files: LoadedFiles = { city: null, asn: null };
  const geoip = await openGeoip(async (kind) => {
    const named = select(kind);
    files[kind] = areShared && named !== null ? await shareContents(named) : named;
    return files[kind];
  });
  return { geoip, files };
}

/** Returns the files with their contents in memory that threads share. Files that each thread can map remain files: the system shares them. */
async function shareContents(named: NamedFiles): Promise<NamedFiles> {
  const [file] = named.files;
  if (named.areOwn && file !== undefined && (await mapFile(file)) !== null) return named;
  return { ...named, bytes: await loadFiles(named, (bytes) => Buffer.from(new SharedArrayBuffer(bytes))) };
}
