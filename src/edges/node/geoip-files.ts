/** Which database files are used: the operator's, those that were downloaded, or the embedded ones. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingName, Settings } from '../../core/settings.ts';
import { type DatabaseKind, embeddedCity, type GeoipFiles, type NamedFiles } from './geoip.ts';

/** Where `geo update` keeps a database. */
export function downloadedFile(dataDir: string, kind: DatabaseKind): string {
  return join(dataDir, `dbip-${kind}-lite.mmdb`);
}

export function geoipFiles({ geoipCity, geoipAsn, dataDir }: Settings): GeoipFiles {
  const downloaded = (kind: DatabaseKind): NamedFiles | null => {
    const file = downloadedFile(dataDir, kind);
    return existsSync(file) ? { setting: 'dataDir', files: [file] } : null;
  };
  const given = (setting: SettingName, files: readonly string[] | null): NamedFiles | null =>
    files && { setting, files };
  return {
    city: () => given('geoipCity', geoipCity) ?? downloaded('city') ?? { setting: 'geoipCity', files: embeddedCity },
    asn: () => given('geoipAsn', geoipAsn) ?? downloaded('asn'),
  };
}

/** The files whose change means that a database is to be read again. */
export function watchedFiles({ geoipCity, geoipAsn, dataDir }: Settings, kind: DatabaseKind): readonly string[] {
  return (kind === 'city' ? geoipCity : geoipAsn) ?? [downloadedFile(dataDir, kind)];
}
