/** Selects the database files: the operator's, downloaded or embedded ones. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../core/settings.ts';
import { type DatabaseKind, embeddedCity, type NamedFiles } from '../../edges/node/geoip/geoip.ts';
import { convertedFile } from './embedded-asn.ts';

/** The setting that names the operator's files of a database. */
export const settingOf = { city: 'geoipCity', asn: 'geoipAsn' } as const satisfies Record<DatabaseKind, keyof Settings>;

/** The file in which `geo update` stores a database. */
export function downloadedFile(dataDir: string, kind: DatabaseKind): string {
  return join(dataDir, `dbip-${kind}-lite.mmdb`);
}

/**
 * Returns a function that selects the files of a database; null if there are none. `asnBytes` is the embedded ASN database if it could not
 * be stored in a file.
 */
export function geoipFiles(settings: Settings, asnBytes: Buffer | null = null) {
  return (kind: DatabaseKind): NamedFiles | null => {
    const setting = settingOf[kind];
    const files = settings[setting];
    if (files !== null) return { setting, files };
    const downloaded = downloadedFile(settings.dataDir, kind);
    if (existsSync(downloaded)) return { setting: 'dataDir', files: [downloaded] };
    if (kind === 'city') return { setting, files: embeddedCity, areOwn: true };
    const converted = convertedFile(settings.dataDir);
    if (converted !== null) return { setting: 'dataDir', files: [converted], areOwn: true };
    return asnBytes && { setting: 'dataDir', files: [], bytes: [asnBytes] };
  };
}

/** The files whose change reloads a database. */
export function watchedFiles(settings: Settings, kind: DatabaseKind): readonly string[] {
  return settings[settingOf[kind]] ?? [downloadedFile(settings.dataDir, kind)];
}
