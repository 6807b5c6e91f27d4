/**
 * Selects the database files: the operator's, downloaded or embedded ones. The embedded ASN database, `@ip-location-db/asn` (CC BY 4.0),
 * contains CSV, converted once per version of the package.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../core/settings.ts';
import { type DatabaseKind, databaseKinds, embeddedCity, type NamedFiles } from '../../edges/node/geoip/geoip.ts';
import { canMapFiles } from '../../native/mapped-file.ts';
import { createFolder, replaceFile } from '../data-folder.ts';

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
    if (kind === 'city') return { setting, files: embeddedCity, arePackaged: true };
    const converted = convertedFile(settings.dataDir);
    if (converted !== null) return { setting: 'dataDir', files: [converted] };
    return asnBytes && { setting: 'dataDir', files: [], bytes: [asnBytes] };
  };
}

const mebibyte = 2 ** 20;
/** The embedded ASN database after its conversion. */
const convertedAsnBytes = 13 * mebibyte;

/**
 * MiB of the databases that are read into memory; those of packages are mapped if possible. One that GEOIP_AUTO_UPDATE replaces counts twice,
 * because the previous one is in use while a new one is loaded, and at least with the size of the embedded one, which a download is like.
 */
export function readDatabasesMb(settings: Settings, canMap = canMapFiles): number {
  const select = geoipFiles(settings);
  const bytes = databaseKinds.map((kind) => {
    const named = select(kind);
    const readBytes = named === null || (named.arePackaged && canMap) ? 0 : bytesOf(named.files);
    if (settings.geoipAutoUpdate === null || settings[settingOf[kind]] !== null) return readBytes;
    return 2 * Math.max(readBytes, kind === 'city' ? bytesOf(embeddedCity) : convertedAsnBytes);
  });
  return Math.ceil(bytes.reduce((sum, each) => sum + each, 0) / mebibyte);
}

/** A file that cannot be read counts as empty: it ends the start later. */
function bytesOf(files: readonly string[]): number {
  const sizes = files.map((file) => {
    try {
      return statSync(file).size;
    } catch {
      return 0;
    }
  });
  return sizes.reduce((sum, each) => sum + each, 0);
}

/** The files whose change reloads a database. */
export function watchedFiles(settings: Settings, kind: DatabaseKind): readonly string[] {
  return settings[settingOf[kind]] ?? [downloadedFile(settings.dataDir, kind)];
}

/** Null if the package is not installed. */
const source = findPackage();

/** Converted database of this package version: in the data folder, or next to the CSV in container images. */
export function convertedFile(dataDir: string): string | null {
  if (source === null) return null;
  return [dataDir, source.folder].map((folder) => join(folder, source.file)).find((file) => existsSync(file)) ?? null;
}

/** The new file; or, if the data folder is not writable, the content and a sentence that states the reason. */
type Conversion = { readonly file: string } | { readonly bytes: Buffer; readonly warning: string };

type ShowProgress = (done: number, total: number) => void;

/** Converts the CSV in a child process and stores the result in `dataDir`. Returns null if there is no CSV; throws an Error on failure. */
export async function convertAsn(dataDir: string, progress: ShowProgress): Promise<Conversion | null> {
  if (source === null || !existsSync(join(source.folder, 'asn-ipv4-num.csv'))) return null;
  const bytes = await runConversion(source, progress);
  const file = join(dataDir, source.file);
  try {
    await createFolder(dataDir);
    await replaceFile(file, `.${process.pid}`, (unfinished) => writeFile(unfinished, bytes, { flush: true }));
    const earlier = (await readdir(dataDir)).filter(
      (name) => /^asn-\d[\d.]*\.mmdb$/.test(name) && name !== source.file,
    );
    await Promise.all(earlier.map((name) => rm(join(dataDir, name))));
    return { file };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const warning = `DATA_DIR: cannot write to "${dataDir}" (${code}), so every start converts the ASN database again; use a writable folder`;
    return { bytes, warning };
  }
}

async function runConversion({ folder, version }: NonNullable<typeof source>, progress: ShowProgress): Promise<Buffer> {
  const program = new URL(`./asn-conversion${extname(import.meta.url)}`, import.meta.url);
  const child = fork(program, [folder, String(builtSecondsOf(version))], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  // It never returns to its event loop, in which it would notice that this process has ended.
  const endChild = (): void => void child.kill('SIGKILL');
  process.on('exit', endChild);
  child.on('message', ({ done, total }: { done: number; total: number }) => progress(done, total));
  const outputs = [child.stdout, child.stderr].map((stream) => buffer(stream as Readable));
  const [[code], bytes, problem] = await Promise.all([once(child, 'close'), ...outputs]).finally(() =>
    process.off('exit', endChild),
  );
  if (code === 0 && bytes !== undefined) return bytes;
  const line = /^\w*Error: (.*)$/m.exec(String(problem))?.[1] ?? `exit code ${code}`;
  throw new Error(`cannot convert the ASN database: ${line}; set GEOIP_ASN or run geo update`);
}

/** The package's version ends in the hour of its data: `2.3.2026061719` is 2026-06-17 19:00 UTC. */
export function builtSecondsOf(version: string): number {
  const [, year, month, day, hour = '0'] = /\.(\d{4})(\d\d)(\d\d)(\d\d)?$/.exec(version) ?? [];
  return year === undefined ? 0 : Date.UTC(+year, Number(month) - 1, Number(day), Number(hour)) / 1000;
}

/** Returns folder and version of the package with the embedded ASN database, and the file name of the converted one; null without it. */
function findPackage() {
  try {
    const manifest = fileURLToPath(import.meta.resolve('@ip-location-db/asn/package.json'));
    const { version }: { readonly version: string } = JSON.parse(readFileSync(manifest, 'utf8'));
    return { folder: dirname(manifest), version, file: `asn-${version}.mmdb` };
  } catch {
    return null;
  }
}
