/** The databases of the service, loaded once for all threads. */
import type { Settings } from '../../core/settings.ts';
import { type DatabaseKind, type NamedFiles, type OpenGeoip, openGeoip } from '../../edges/node/geoip/geoip.ts';
import { geoipFiles } from './geoip-files.ts';
import { shareDatabase } from './shared-database.ts';

export interface ServedDatabases {
  readonly geoip: OpenGeoip;
  /** Those in use, for other threads to open; null in place of a database if there is none. */
  files(): Readonly<Record<DatabaseKind, NamedFiles | null>>;
}

/** Throws an Error that names the setting and the invalid file. `areShared`: other threads open them too. */
export async function openServedDatabases(
  settings: Settings,
  asnBytes: Buffer | null,
  areShared: boolean,
): Promise<ServedDatabases> {
  const selected = geoipFiles(settings, asnBytes);
  const loaded: Record<DatabaseKind, NamedFiles | null> = { city: null, asn: null };
  const load = async (kind: DatabaseKind): Promise<NamedFiles | null> => {
    const named = selected[kind]();
    loaded[kind] = areShared && named !== null ? await shareDatabase(named) : named;
    return loaded[kind];
  };
  const geoip = await openGeoip({ city: () => load('city'), asn: () => load('asn') });
  return { geoip, files: () => ({ ...loaded }) };
}
