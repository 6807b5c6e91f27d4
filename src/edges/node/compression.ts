/** Compresses responses in the coding that the client prefers (RFC 9110 §12.5.3). */
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import { parseWeights } from '../../core/accept.ts';
import type { Metrics } from '../../core/metrics.ts';
import type { HttpResponse } from '../../core/request-context.ts';
import type { Bounds } from './limits/bounds.ts';

const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel, ZSTD_c_windowLog } = constants;

/** Log2 of the window in bytes: 256 KB contain a whole page. Memory for a larger one takes a sixth of the time of each compression. */
const windowBits = 18;

/** Bytes of an output buffer: more than a compressed page, and more than half of `Buffer.poolSize`, so that it has memory of its own. */
const chunkSize = 48 * 1024;

type Coding = 'br' | 'zstd' | 'gzip';
type Encoders<Result> = Readonly<Record<Coding, (body: string | Uint8Array, options: object) => Result>>;

const optionsOf = (quality: Readonly<Record<Coding, number>>) => ({
  br: { chunkSize, params: { [BROTLI_PARAM_QUALITY]: quality.br, [BROTLI_PARAM_LGWIN]: windowBits } },
  zstd: { chunkSize, params: { [ZSTD_c_compressionLevel]: quality.zstd, [ZSTD_c_windowLog]: windowBits } },
  gzip: { chunkSize, level: quality.gzip },
});

/**
 * Options for pages, which take a third of a millisecond (gzip 0.8): less than passing them to a thread and back. Brotli of quality 3 takes
 * 0.9 and saves 4 of 39 KB, but no round trip: a new connection sends 44 KB in two (RFC 6928).
 */
const quick = optionsOf({ br: 1, zstd: 3, gzip: 1 });
const pageEncoders: Encoders<Buffer<ArrayBuffer>> = { br: brotliCompressSync, zstd: zstdCompressSync, gzip: gzipSync };

/**
 * Moves the bytes into memory that the encoder does not refer to. Only a collection of the whole heap frees an encoder. With 48 KB in each,
 * V8 collected it every 230 pages, which took a fifth of their CPU time.
 */
const detach = ({ buffer, byteLength }: Buffer<ArrayBuffer>): Uint8Array => new Uint8Array(buffer.transfer(byteLength));

/** Options for constant responses: slow, but each is compressed once for all clients. */
const smallest = optionsOf({ br: 11, zstd: 19, gzip: 9 });
/** Options for other responses, which are longer than a page. */
const balanced = optionsOf({ br: 3, zstd: 3, gzip: 1 });
/** Encoders that run in the thread pool, because they would block the event loop for too long. */
const encoders: Encoders<Promise<Uint8Array>> = {
  br: promisify(brotliCompress),
  zstd: promisify(zstdCompress),
  gzip: promisify(gzip),
};

/** The order of codings to which the client gives the same weight: the shortest result for a constant, the fastest for other responses. */
const preferences = { constant: ['br', 'zstd', 'gzip'], other: ['zstd', 'br', 'gzip'] } as const;

type Compressed = { readonly coding: Coding; readonly body: Uint8Array };

/** Returns null if the client prefers the body uncompressed, or if `maxCompressions` are in progress. */
export type Compress = (response: HttpResponse, acceptEncoding: string) => Promise<Compressed | null>;

/** Input of the encoders, reused for all pages: a new buffer for each makes V8 collect the whole heap. */
const pageBuffer = new Uint8Array(256 * 1024);
const encoder = new TextEncoder();

/** Returns the bytes of a body, valid until the next call; null if it is longer than a page. */
function pageBytes({ body }: HttpResponse): Uint8Array | null {
  if (typeof body !== 'string') return null;
  const { read, written } = encoder.encodeInto(body, pageBuffer);
  return read < body.length ? null : pageBuffer.subarray(0, written);
}

export function createCompress({ maxCompressions }: Bounds, metrics: Metrics): Compress {
  let active = 0;
  /** The bodies of responses that every client gets, each compressed once per coding. */
  const stored = new WeakMap<HttpResponse, Map<Coding, Promise<Compressed>>>();
  return async (response, acceptEncoding) => {
    const coding = preferredCoding(acceptEncoding, response.isConstant);
    if (coding === null) return null;
    const known = stored.get(response) ?? new Map<Coding, Promise<Compressed>>();
    const compressed = known.get(coding);
    if (compressed !== undefined) return compressed;
    const page = response.isConstant ? null : pageBytes(response);
    if (page !== null) return { coding, body: detach(pageEncoders[coding](page, quick[coding])) };
    if (active >= maxCompressions) {
      metrics.countRejection('compression');
      return null;
    }
    active += 1;
    const bytes = encoders[coding](response.body, (response.isConstant ? smallest : balanced)[coding]).finally(() => {
      active -= 1;
    });
    const started = bytes.then((body) => ({ coding, body }));
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
  // If not mentioned, no coding (identity) is acceptable, but every other is preferred to it.
  const least = weights.get('identity') ?? 0;
  const [best] = preferences[isConstant ? 'constant' : 'other'].toSorted(
    (one, other) => weightOf(other) - weightOf(one),
  );
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= least ? best : null;
}
