/**
 * Downloads the current free DB-IP databases, and replaces the present ones only with verified files: on request, or monthly if the operator
 * enabled that. States when databases are old.
 */
import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { formatBytes } from '../../core/limits.ts';
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import { type DatabaseKind, databaseKinds, type OpenGeoip, openDatabase } from '../../edges/node/geoip/geoip.ts';
import { formatPause, type Pauses, pauseAfter, spreadPause } from '../../edges/node/pauses.ts';
import { collectGarbage } from '../../native/garbage.ts';
import { replaceFile, validateDataFolder } from '../data-folder.ts';
import { contents, monthOf } from './database-sources.ts';
import { downloadedFile, settingOf } from './geoip-files.ts';

export interface Download {
  readonly log: Log;
  /** Selects the month to download; if it is not published yet, the previous one is used. */
  readonly now: Date;
  /** Called after every chunk; `totalBytes` is null if the server does not send it. */
  readonly progress?: (file: string, receivedBytes: number, totalBytes: number | null) => void;
  /** A download fails after this time without data; 30 seconds if not given. */
  readonly stallTimeoutMs?: number;
  /** A download fails after this time even if data still arrives; an hour if not given, in which 30 KB/s suffice. */
  readonly timeoutMs?: number;
}

const maxDatabaseBytes = 1024 ** 3;

/** Returns the written file; throws an Error if the download fails, and then leaves that database as it is. */
export async function updateDatabase(
  { dataDir, geoipUrl }: Settings,
  kind: DatabaseKind,
  { log, now, progress, stallTimeoutMs = 30_000, timeoutMs = 3_600_000 }: Download,
): Promise<string> {
  const file = downloadedFile(dataDir, kind);
  const aborted = new AbortController();
  const stall = new Error(`no data for ${stallTimeoutMs / 1000} s`);
  const stallTimer = setTimeout(() => aborted.abort(stall), stallTimeoutMs);
  const late = new Error(`not complete after ${formatPause(timeoutMs)}`);
  const lateTimer = setTimeout(() => aborted.abort(late), timeoutMs);
  const download = async (unverified: string): Promise<void> => {
    const { name, response } = await fetchNewest(`${geoipUrl}/dbip-${kind}-lite`, now, aborted.signal);
    const totalBytes = Number(response.headers.get('content-length')) || null;
    const received = meter((bytes) => {
      stallTimer.refresh();
      progress?.(name, bytes, totalBytes);
    });
    const unpacked = meter((bytes) => {
      if (bytes > maxDatabaseBytes) throw new Error(`the database is larger than ${formatBytes(maxDatabaseBytes)}`);
    });
    // Created now: a stream creates its file later, perhaps after a failure has removed it.
    const written = (await open(unverified, 'w')).createWriteStream({ flush: true });
    await pipeline(response.body ?? [], received, createGunzip(), unpacked, written, { signal: aborted.signal });
    await openDatabase(kind, { setting: 'geoipUrl', files: [unverified] });
  };
  try {
    await validateDataFolder(dataDir);
    await removeAbandoned(dataDir, kind, log);
    // A file of its own for each update: several may run at the same time, such as one by hand beside the monthly one.
    await replaceFile(file, `${unfinishedSuffix}-${randomUUID()}`, download);
    return file;
  } catch (error) {
    const reason = aborted.signal.aborted ? aborted.signal.reason : error;
    throw new Error(
      `could not update the ${kind} database from ${geoipUrl}: ${messageOf(reason)}; the ${kind} database in use stays`,
    );
  } finally {
    clearTimeout(stallTimer);
    clearTimeout(lateTimer);
  }
}

const unfinishedSuffix = '.download';

/** Twice the time after which a download without data fails. */
const abandonedMs = 60_000;

/** Removes the files of updates that were killed: those that grew no more for `abandonedMs`. */
async function removeAbandoned(dataDir: string, kind: DatabaseKind, log: Log): Promise<void> {
  const prefix = `${basename(downloadedFile(dataDir, kind))}${unfinishedSuffix}`;
  for (const name of await readdir(dataDir)) {
    const file = join(dataDir, name);
    // Another process may remove it meanwhile.
    const state = name === prefix || name.startsWith(`${prefix}-`) ? await stat(file).catch(() => null) : null;
    if (state === null || Date.now() - state.mtimeMs < abandonedMs) continue;
    log('download_replaced', `removing the unfinished download "${file}" of an update that was killed`, { file });
    await rm(file, { force: true });
  }
}

/** Requests the file of this month, or of the month before. */
async function fetchNewest(prefix: string, now: Date, signal: AbortSignal) {
  let status = 0;
  for (const monthsBack of [0, 1]) {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsBack)).toISOString().slice(0, 7);
    // With transfer compression, fetch would undo the file's own compression too.
    const headers = { 'Accept-Encoding': 'identity' };
    const url = `${prefix}-${month}.mmdb.gz`;
    const response = await fetch(url, { signal, headers });
    if (response.ok) return { name: posix.basename(url), response };
    await response.body?.cancel();
    status = response.status;
    if (status !== 404) break;
  }
  throw new Error(`the server responded with status ${status}`);
}

/** Passes all data through, and reports the bytes so far. */
function meter(report: (bytes: number) => void) {
  let bytes = 0;
  return async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      report(bytes);
      yield chunk;
    }
  };
}

/** The message of fetch is only "fetch failed"; the reason is in `cause`. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}

const dayMs = 86_400_000;
const maxAgeDays = 60;
const updateAgeDays = 31;

interface OldDatabases {
  readonly kinds: readonly DatabaseKind[];
  /** States the months of their data, in UTC. */
  readonly sentence: string;
}

/** The databases whose data is older than 60 days; null if there are none. */
export function findOldDatabases(geoip: Pick<OpenGeoip, 'builtAt'>, nowMs: number): OldDatabases | null {
  const old = databaseKinds.flatMap((kind) => {
    const builtAt = geoip.builtAt(kind);
    if (builtAt === null || nowMs - builtAt.getTime() <= maxAgeDays * dayMs) return [];
    return { kind, text: `the ${contents[kind]} data from ${monthOf(builtAt)}` };
  });
  if (old.length === 0) return null;
  const texts = old.map(({ text }) => text).join(' and ');
  const sentence = `${texts.replace('the', 'The').replace('data', 'data is')}.`;
  return { kinds: old.map(({ kind }) => kind), sentence };
}

const pauses: Pauses = { firstMs: 60_000, maxMs: dayMs };

/**
 * Downloads a database in the background when the one in use is older than a month, at the first start and then at least daily. The file
 * watcher loads it. A database that GEOIP_CITY or GEOIP_ASN names is left alone. Logs one line per download or failure; after a failure
 * the old one stays in use, and further attempts follow, after pauses of a minute to a day. Returns the function that stops it.
 */
export function updateMonthly(settings: Settings, geoip: Pick<OpenGeoip, 'builtAt'>, log: Log): () => void {
  /** Consecutive runs with a failure. */
  let failedRuns = 0;
  let hasEnded = false;
  let timer: NodeJS.Timeout | undefined;
  const isDue = (kind: DatabaseKind): boolean => {
    // A download would never be used.
    if (settings[settingOf[kind]] !== null) return false;
    const builtAt = geoip.builtAt(kind);
    return builtAt === null || Date.now() - builtAt.getTime() >= updateAgeDays * dayMs;
  };
  // One run at a time, because each reads what it has downloaded.
  const run = async (kinds: readonly DatabaseKind[]): Promise<void> => {
    const failures: { readonly kind: DatabaseKind; readonly message: string }[] = [];
    for (const kind of kinds.filter(isDue)) {
      await updateDatabase(settings, kind, { log, now: new Date() }).then(
        (file) => log('downloaded', `downloaded the ${kind} database to ${file}`, { file }),
        ({ message }: Error) => failures.push({ kind, message }),
      );
      // What was read to verify the file would stay for minutes beside what the reload reads.
      collectGarbage();
    }
    failedRuns = failures.length === 0 ? 0 : failedRuns + 1;
    const longestMs = failedRuns === 0 ? dayMs : pauseAfter(failedRuns, pauses);
    const pauseMs = spreadPause(longestMs, -1 / 2);
    for (const { message } of failures) {
      const seconds = Math.round(pauseMs / 1000);
      log('download_failed', `${message}; next attempt in ${formatPause(pauseMs)}`, { seconds });
    }
    if (hasEnded) return;
    // The server may still have an old file, which the others would download again with each attempt.
    const next = longestMs === dayMs ? databaseKinds : failures.map(({ kind }) => kind);
    timer = setTimeout(() => void run(next), pauseMs).unref();
  };
  void run(databaseKinds);
  return () => {
    hasEnded = true;
    clearTimeout(timer);
  };
}
