/** Downloads the current free DB-IP databases and replaces the present ones only with verified files. */
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { formatBytes } from '../../core/limits.ts';
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import { type DatabaseKind, openDatabase } from '../../edges/node/geoip/geoip.ts';
import { createFolder } from '../data-folder.ts';
import { downloadedFile } from './geoip-files.ts';

export interface Download {
  readonly log: Log;
  /** Selects the month to download; if it is not published yet, the previous one is used. */
  readonly now: Date;
  /** Called after every chunk; `totalBytes` is null if the server does not send it. */
  readonly progress?: (file: string, receivedBytes: number, totalBytes: number | null) => void;
  /** A download fails after this time without data; 30 seconds if not given. */
  readonly stallTimeoutMs?: number;
}

const maxDatabaseBytes = 1024 ** 3;

/** Returns the written file; throws an Error if the download fails, and then changes nothing. */
export async function updateDatabase(
  { dataDir, geoipUrl }: Settings,
  kind: DatabaseKind,
  { log, now, progress, stallTimeoutMs = 30_000 }: Download,
): Promise<string> {
  const file = downloadedFile(dataDir, kind);
  const unverified = `${file}.download`;
  const stalled = new AbortController();
  const stallTimer = setTimeout(
    () => stalled.abort(new Error(`no data for ${stallTimeoutMs / 1000} s`)),
    stallTimeoutMs,
  );
  try {
    await createFolder(dataDir).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`DATA_DIR: cannot create "${dataDir}" (${error.code})`);
    });
    if (existsSync(unverified)) {
      const message = `replacing the unfinished download "${unverified}" of an update that was killed`;
      log('download_replaced', message, { file: unverified });
    }
    const { name, response } = await fetchNewest(`${geoipUrl}/dbip-${kind}-lite`, now, stalled.signal);
    const totalBytes = Number(response.headers.get('content-length')) || null;
    const received = meter((bytes) => {
      stallTimer.refresh();
      progress?.(name, bytes, totalBytes);
    });
    const unpacked = meter((bytes) => {
      if (bytes > maxDatabaseBytes) throw new Error(`the database is larger than ${formatBytes(maxDatabaseBytes)}`);
    });
    const written = createWriteStream(unverified, { flush: true });
    await pipeline(response.body ?? [], received, createGunzip(), unpacked, written, { signal: stalled.signal });
    await openDatabase(kind, { setting: 'geoipUrl', files: [unverified] });
    await rename(unverified, file);
    return file;
  } catch (error) {
    const reason = stalled.signal.aborted ? stalled.signal.reason : error;
    throw new Error(`could not update the ${kind} database from ${geoipUrl}: ${messageOf(reason)}; nothing changed`);
  } finally {
    clearTimeout(stallTimer);
    await rm(unverified, { force: true }).catch(() => {});
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
