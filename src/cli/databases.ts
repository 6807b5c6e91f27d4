/** Work on the databases: `seenby geo update`, `seenby geo build`, and the conversion before the first start, with their progress. */

import { rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Log } from '../core/log.ts';
import { type Settings, variableOf } from '../core/settings.ts';
import { DamagedDatabaseError, type DatabaseKind, databaseKinds } from '../edges/node/geoip/geoip.ts';
import { convertAsn, geoipFiles, settingOf } from '../runtime/databases/geoip-files.ts';
import { createLog } from '../runtime/log.ts';
import { programOf } from './commands.ts';
import { hasNetwork, isLocal, noNetwork } from './own-service.ts';

const progressText = 'Converting the ASN database (once)';

/**
 * Calls `open` with the result of `prepareAsn`. If it fails because a database in DATA_DIR is damaged, as a power cut leaves it, that file
 * is renamed and `open` called again: the ASN database is then converted again, and in place of a download the embedded one is used.
 */
export async function openWithDatabases<Opened>(
  settings: Settings,
  { log, terminal }: { readonly log: Log; readonly terminal: ProgressStream | null },
  open: (asnBytes: Buffer | null) => Promise<Opened>,
): Promise<Opened> {
  for (;;) {
    try {
      return await open(await prepareAsn(settings, log, terminal));
    } catch (error) {
      if (!(error instanceof DamagedDatabaseError) || error.setting !== 'dataDir') throw error;
      const { file } = error;
      await rename(file, `${file}.damaged`).catch(() => Promise.reject(error));
      log('database_damaged', `ignoring the damaged database "${file}"; it is now "${file}.damaged"`, { file });
    }
  }
}

/**
 * Returns the database if it could not be stored in a file, otherwise null. A failure is logged; the service runs without ASN.
 * `terminal` shows the progress; if it is null, one log line announces the conversion.
 */
async function prepareAsn(settings: Settings, log: Log, terminal: ProgressStream | null) {
  if (geoipFiles(settings)('asn') !== null) return null;
  const bar = terminal && createProgressBar(terminal);
  if (bar === null) log('asn_conversion', progressText);
  try {
    const show = (done: number, total: number): void => bar?.show(progressText, done, total);
    const conversion = await convertAsn(settings.dataDir, show).finally(() => bar?.end());
    if (conversion === null || 'file' in conversion) return null;
    log('asn_not_stored', conversion.warning);
    return conversion.bytes;
  } catch (error) {
    log('asn_conversion_failed', error instanceof Error ? error.message : String(error));
    return null;
  }
}

/** `seenby geo build`: converts the embedded ASN database into the data folder; throws an Error if that fails. */
export async function buildAsn({ dataDir }: Settings, out: ProgressStream): Promise<void> {
  const conversion = await convertAsn(dataDir, () => {});
  if (conversion === null) throw new Error('the embedded ASN data is not installed; use geo update');
  if ('warning' in conversion) throw new Error(conversion.warning);
  out.write(`wrote ${conversion.file}\n`);
}

interface Place {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly dataFolder?: string | undefined;
  readonly program?: string | undefined;
}

/** How to update these databases: which ones the operator replaces, and the command that downloads the others. */
export function describeUpdate(kinds: readonly DatabaseKind[], settings: Settings, place: Place): string {
  const variables = kinds
    .filter((kind) => settings[settingOf[kind]] !== null)
    .map((kind) => variableOf(settingOf[kind]));
  const ways = variables.map((variable) => `replace the database that ${variable} names`);
  if (variables.length < kinds.length) ways.push(`${programOf(place)} geo update${dataDirFlag(settings, place)}`);
  return ways.join('; ');
}

/** Empty if the command finds the same folder without it: it runs in a shell, with none of the service's variables. */
function dataDirFlag({ dataDir }: Settings, { environment, dataFolder }: Place): string {
  if (dataDir === dataFolder && !environment.STATE_DIRECTORY) return '';
  const folder = resolve(dataDir);
  return ` --data-dir ${/\s/.test(folder) ? `"${folder}"` : folder}`;
}

/** `seenby geo update`: downloads the current city and ASN databases. */
export async function updateDatabases(settings: Settings, out: ProgressStream): Promise<void> {
  // Loaded here: no other command downloads databases.
  const { updateDatabase } = await import('../runtime/databases/geoip-update.ts');
  const log = createLog({ format: 'plain', level: 'info', write: (line) => out.write(`${line}\n`) });
  for (const kind of databaseKinds) {
    const bar = createProgressBar(out);
    const download = { progress: bar.show, now: new Date(), log };
    const file = await updateDatabase(settings, kind, download)
      .finally(bar.end)
      .catch(async (error) => {
        throw isLocal(settings.geoipUrl) || (await hasNetwork()) ? error : new Error(noNetwork);
      });
    const named = settings[settingOf[kind]];
    const isUsed = named === null || named.some((each) => resolve(each) === resolve(file));
    out.write(`wrote ${file}${isUsed ? '' : `, which is not used: ${variableOf(settingOf[kind])} names another`}\n`);
  }
}

/** The stream that progress is written to; `isTTY` is true for a terminal. */
export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

const barWidth = 30;
const stepBytes = 10_000_000;

/** Progress of a download or conversion: a moving bar on a terminal, one line per tenth elsewhere. */
function createProgressBar(out: ProgressStream) {
  const steps = out.isTTY ? 100 : 10;
  let lastStep = -1;
  return {
    /** Shows the bytes received; `totalBytes` is null if the server does not state it. */
    show(file: string, receivedBytes: number, totalBytes: number | null): void {
      const step =
        totalBytes === null ? Math.floor(receivedBytes / stepBytes) : Math.floor((receivedBytes / totalBytes) * steps);
      if (step === lastStep) return;
      lastStep = step;
      const bar = totalBytes === null ? '' : `${barOf(receivedBytes / totalBytes)} `;
      const line = `${file} ${bar}${(receivedBytes / 1e6).toFixed(1)} MB`;
      out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
    },
    /** Ends the line of a bar that was shown. */
    end(): void {
      if (out.isTTY && lastStep !== -1) out.write('\n');
    },
  };
}

function barOf(share: number): string {
  const filled = Math.round(Math.min(share, 1) * barWidth);
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${String(Math.floor(share * 100)).padStart(3)} %`;
}
