/** Selects the database files: the operator's, downloaded or embedded ones. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingName, Settings } from '../../core/settings.ts';
import { type DatabaseKind, embeddedCity, type GeoipFiles, type NamedFiles } from '../../edges/node/geoip/geoip.ts';
import { convertedFile } from './embedded-asn.ts';

/** The file in which `geo update` stores a database. */
export function downloadedFile(dataDir: string, kind: DatabaseKind): string {
  return join(dataDir, `dbip-${kind}-lite.mmdb`);
}

/** `asnBytes` is the embedded ASN database if it could not be stored in a file. */
export function geoipFiles({ geoipCity, geoipAsn, dataDir }: Settings, asnBytes: Buffer | null = null): GeoipFiles {
  const downloaded = (kind: DatabaseKind): NamedFiles | null => {
    const file = downloadedFile(dataDir, kind);
    return existsSync(file) ? { setting: 'dataDir', files: [file] } : null;
  };
  const fromSetting = (setting: SettingName, files: readonly string[] | null): NamedFiles | null =>
    files && { setting, files };
  return {
    city: () =>
      fromSetting('geoipCity', geoipCity) ??
      downloaded('city') ?? { setting: 'geoipCity', files: embeddedCity, areOwn: true },
    asn: () => fromSetting('geoipAsn', geoipAsn) ?? downloaded('asn') ?? embeddedAsn(dataDir, asnBytes),
  };
}

/** Whether the embedded ASN database is used and has to be converted first. */
export function needsConversion({ geoipAsn, dataDir }: Settings): boolean {
  return geoipAsn === null && !existsSync(downloadedFile(dataDir, 'asn')) && convertedFile(dataDir) === null;
}

function embeddedAsn(dataDir: string, bytes: Buffer | null): NamedFiles | null {
  const file = convertedFile(dataDir);
  if (file !== null) return { setting: 'dataDir', files: [file], areOwn: true };
  return bytes && { setting: 'dataDir', files: [], bytes: [bytes] };
}

/** The files whose change reloads a database. */
export function watchedFiles({ geoipCity, geoipAsn, dataDir }: Settings, kind: DatabaseKind): readonly string[] {
  return (kind === 'city' ? geoipCity : geoipAsn) ?? [downloadedFile(dataDir, kind)];
}
