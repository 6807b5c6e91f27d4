/** The embedded ASN database: `@ip-location-db/asn` (CC BY 4.0) contains CSV, converted once per version of the package. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createFolder } from '../data-folder.ts';

/** Path of the package's folder and its version; null if the package is not installed. */
const source = findPackage();

/** Converted database of this package version: in the data folder, or next to the CSV in container images. */
export function convertedFile(dataDir: string): string | null {
  if (source === null) return null;
  const name = `asn-${source.version}.mmdb`;
  return [join(dataDir, name), join(source.folder, name)].find((file) => existsSync(file)) ?? null;
}

export interface Conversion {
  /** The new file; null if the data folder is not writable. */
  readonly file: string | null;
  readonly bytes: Buffer;
  /** States why there is no file; null if there is one. */
  readonly warning: string | null;
}

/** Converts the CSV in a child process and stores the result in `dataDir`. Returns null if there is no CSV; throws an Error on failure. */
export async function convertAsn(
  dataDir: string,
  progress: (done: number, total: number) => void,
): Promise<Conversion | null> {
  if (source === null || !existsSync(join(source.folder, 'asn-ipv4-num.csv'))) return null;
  const bytes = await runConversion(source, progress);
  const file = join(dataDir, `asn-${source.version}.mmdb`);
  const unfinished = `${file}.${process.pid}`;
  try {
    await createFolder(dataDir);
    await writeFile(unfinished, bytes);
    await rename(unfinished, file);
    await removeEarlier(dataDir, source.version);
    return { file, bytes, warning: null };
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    const { code } = error as NodeJS.ErrnoException;
    const warning = `DATA_DIR: cannot write to "${dataDir}" (${code}), so every start converts the ASN database again; use a writable folder`;
    return { file: null, bytes, warning };
  }
}

async function runConversion(
  { folder, version }: { readonly folder: string; readonly version: string },
  progress: (done: number, total: number) => void,
): Promise<Buffer> {
  const program = new URL(`./asn-conversion${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
  const args = [
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(program),
    folder,
    String(builtSecondsOf(version)),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const [output, errors] = [child.stdout as Readable, child.stderr as Readable];
  child.on('message', ({ done, total }: { done: number; total: number }) => progress(done, total));
  const ended = once(child, 'close');
  const [bytes, problem, [code]] = await Promise.all([buffer(output), buffer(errors), ended]);
  if (code !== 0) {
    const line = /^\w*Error: (.*)$/m.exec(String(problem))?.[1] ?? `exit code ${code}`;
    throw new Error(`cannot convert the ASN database: ${line}; set GEOIP_ASN or run geo update`);
  }
  return bytes;
}

/** The package's version ends in the hour of its data: `2.3.2026061719` is 2026-06-17 19:00 UTC. */
export function builtSecondsOf(version: string): number {
  const [, year, month, day, hour = '0'] = /\.(\d{4})(\d\d)(\d\d)(\d\d)?$/.exec(version) ?? [];
  return year === undefined ? 0 : Date.UTC(+year, Number(month) - 1, Number(day), Number(hour)) / 1000;
}

async function removeEarlier(dataDir: string, version: string): Promise<void> {
  const earlier = (await readdir(dataDir)).filter(
    (name) => /^asn-\d[\d.]*\.mmdb$/.test(name) && name !== `asn-${version}.mmdb`,
  );
  await Promise.all(earlier.map((name) => rm(join(dataDir, name))));
}

function findPackage(): { readonly folder: string; readonly version: string } | null {
  try {
    const manifest = fileURLToPath(import.meta.resolve('@ip-location-db/asn/package.json'));
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    return { folder: dirname(manifest), version };
  } catch {
    return null;
  }
}
