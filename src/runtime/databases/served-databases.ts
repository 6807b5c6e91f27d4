/** The databases of the service, loaded once for all threads. */
import {
  type DatabaseKind,
  loadFiles,
  type NamedFiles,
  type OpenGeoip,
  openGeoip,
} from '../../edges/node/geoip/geoip.ts';

export interface ServedDatabases {
  readonly geoip: OpenGeoip;
  /** The files in use, for other threads to open, with their contents if threads can share them; null in place of a missing database. */
  readonly files: Readonly<Record<DatabaseKind, NamedFiles | null>>;
}

/** Throws an Error that names the setting and the invalid file. `select` returns the files of a database; null if there are none. */
export async function openServedDatabases(select: (kind: DatabaseKind) => NamedFiles | null): Promise<ServedDatabases> {
  const files: Record<DatabaseKind, NamedFiles | null> = { city: null, asn: null };
  const geoip = await openGeoip(async (kind) => {
    const named = select(kind);
    files[kind] = named;
    if (named === null) return null;
    const bytes = await loadFiles(named);
    const loaded = { ...named, bytes };
    // Each thread maps a mapped file itself: a message would copy it.
    if (bytes.every(({ buffer }) => buffer instanceof SharedArrayBuffer)) files[kind] = loaded;
    return loaded;
  });
  return { geoip, files };
}
