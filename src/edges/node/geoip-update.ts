/** Downloads the current free DB-IP databases, and replaces those at hand only by files that were verified. */
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Settings } from '../../core/settings.ts';
import { type DatabaseKind, openDatabase } from './geoip.ts';
import { downloadedFile } from './geoip-files.ts';

export interface Download {
  /** Told after every piece; `totalBytes` is null where the server does not say. */
  readonly progress: (file: string, receivedBytes: number, totalBytes: number | null) => void;
  /** The month to ask for; where it is not published yet, the one before is taken. */
  readonly now: Date;
  /** Without a byte for this long, a download has failed. */
  readonly stallTimeoutMs: number;
}

const maxDatabaseBytes = 1024 ** 3;

/** Returns the file written; throws a sentence when the download failed, and then leaves what was there. */
export async function updateDatabase(
  { dataDir, geoipUrl }: Settings,
  kind: DatabaseKind,
  { progress, now, stallTimeoutMs }: Download,
): Promise<string> {
  const file = downloadedFile(dataDir, kind);
  const unverified = `${file}.download`;
  const stalled = new AbortController();
  const stallTimer = setTimeout(
    () => stalled.abort(new Error(`no data for ${stallTimeoutMs / 1000} s`)),
    stallTimeoutMs,
  );
  try {
    await mkdir(dataDir, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`DATA_DIR: cannot make "${dataDir}" (${error.code})`);
    });
    const { name, response } = await fetchNewest(geoipUrl, kind, now, stalled.signal);
    const totalBytes = Number(response.headers.get('content-length')) || null;
    const received = meter(Number.POSITIVE_INFINITY, (bytes) => {
      stallTimer.refresh();
      progress(name, bytes, totalBytes);
    });
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    const written = createWriteStream(unverified);
    await pipeline(body, received, createGunzip(), meter(maxDatabaseBytes), written, { signal: stalled.signal });
    await openDatabase(kind, { setting: 'geoipUrl', files: [unverified] });
    await rename(unverified, file);
    return file;
  } catch (error) {
    const reason = stalled.signal.aborted ? stalled.signal.reason : error;
    throw new Error(
      `the ${kind} database was not updated from ${geoipUrl}: ${sentenceOf(reason)}; what was there is kept`,
    );
  } finally {
    clearTimeout(stallTimer);
    await rm(unverified, { force: true }).catch(() => {});
  }
}

async function fetchNewest(geoipUrl: string, kind: DatabaseKind, now: Date, signal: AbortSignal) {
  let status = 0;
  for (const monthsBack of [0, 1]) {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsBack)).toISOString().slice(0, 7);
    const name = `dbip-${kind}-lite-${month}.mmdb.gz`;
    // A server that compresses on the way would undo the file's own compression.
    const response = await fetch(`${geoipUrl}/${name}`, { signal, headers: { 'Accept-Encoding': 'identity' } });
    if (response.ok) return { name, response };
    await response.body?.cancel();
    status = response.status;
    if (status !== 404) break;
  }
  throw new Error(`it answered ${status}`);
}

/** Passes everything on, tells how much came so far, and fails above the most. */
function meter(maxBytes: number, tell: (bytes: number) => void = () => {}): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      tell(bytes);
      done(bytes > maxBytes ? new Error(`it is larger than ${maxBytes} bytes`) : null, chunk);
    },
  });
}

/** fetch says only "fetch failed" and keeps the reason in `cause`. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
