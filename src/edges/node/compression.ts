/** Compresses responses in the coding that the client prefers (RFC 9110 §12.5.3). */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { parseWeights } from '../../core/accept.ts';
import type { Metrics } from '../../core/metrics.ts';
import type { HttpResponse } from '../../core/request-context.ts';
import type { Bounds } from './limits/bounds.ts';

const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel, ZSTD_c_windowLog } = constants;
const [compressBr, compressZstd, compressGzip] = [promisify(brotliCompress), promisify(zstdCompress), promisify(gzip)];

/** Bytes of output per task of the thread pool: one task for a page. */
const chunkSize = 64 * 1024;

/** 256 KB, which hold a page: a larger one is memory that each compression asks for anew, a sixth of its time. */
const windowBits = 18;

type Coding = 'br' | 'zstd' | 'gzip';
type Encode = (body: HttpResponse['body'], isConstant: boolean) => Promise<Uint8Array>;

/** A page of one client takes less than a millisecond, not on the main thread; a constant takes longer, but once. */
const codings: Readonly<Record<Coding, Encode>> = {
  br: (body, isConstant) =>
    compressBr(body, {
      chunkSize,
      params: { [BROTLI_PARAM_QUALITY]: isConstant ? 11 : 3, [BROTLI_PARAM_LGWIN]: windowBits },
    }),
  zstd: (body, isConstant) =>
    compressZstd(body, {
      chunkSize,
      params: { [ZSTD_c_compressionLevel]: isConstant ? 19 : 3, [ZSTD_c_windowLog]: windowBits },
    }),
  gzip: (body, isConstant) => compressGzip(body, { chunkSize, level: isConstant ? 9 : 1 }),
};

/** Order if the client gives several the same weight: the shortest for a constant, the fastest for a page of one client. */
const preferences = { constant: ['br', 'zstd', 'gzip'], other: ['zstd', 'br', 'gzip'] } as const;

export interface Compressed {
  readonly coding: Coding;
  readonly body: Uint8Array;
}

/** Returns null if the client prefers the body uncompressed, or if enough others are being compressed. */
export type Compress = (response: HttpResponse, acceptEncoding: string) => Promise<Compressed | null>;

export function createCompress({ maxCompressions }: Bounds, metrics: Metrics): Compress {
  let active = 0;
  /** The bodies of responses that every client gets, each compressed once per coding. */
  const stored = new WeakMap<HttpResponse, Map<Coding, Promise<Compressed>>>();
  const start = async (coding: Coding, { body, isConstant }: HttpResponse): Promise<Compressed> => {
    active += 1;
    try {
      return { coding, body: await codings[coding](body, isConstant === true) };
    } finally {
      active -= 1;
    }
  };
  return async (response, acceptEncoding) => {
    const coding = preferredCoding(acceptEncoding, response.isConstant);
    if (coding === null) return null;
    const known = stored.get(response) ?? new Map<Coding, Promise<Compressed>>();
    const compressed = known.get(coding);
    if (compressed !== undefined) return compressed;
    if (active >= maxCompressions) {
      metrics.countRejection('compression');
      return null;
    }
    const started = start(coding, response);
    if (response.isConstant) {
      stored.set(response, known.set(coding, started));
      started.catch(() => known.delete(coding));
    }
    return started;
  };
}

export function preferredCoding(acceptEncoding: string, isConstant = false): Coding | null {
  const weights = parseWeights(acceptEncoding);
  // RFC 9110 §8.4.1.3: `x-gzip` is gzip.
  const weightOf = (name: string): number => weights.get(name) ?? weights.get(`x-${name}`) ?? weights.get('*') ?? 0;
  let best: Coding | null = null;
  // Identity is acceptable if not mentioned, but the longest.
  let most = weights.get('identity') ?? 0;
  for (const coding of preferences[isConstant ? 'constant' : 'other']) {
    const weight = weightOf(coding);
    if (weight > most || (weight === most && weight > 0 && best === null)) [best, most] = [coding, weight];
  }
  return best;
}
