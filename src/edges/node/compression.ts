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

/** 256 KB, which hold a page: a larger one is memory that each compression asks for anew, a sixth of its time. */
const windowBits = 18;

/** Bytes of output: more than a page has, and more than half of `Buffer.poolSize`, so that Node does not take them from its pool of memory. */
const chunkSize = 48 * 1024;

type Coding = 'br' | 'zstd' | 'gzip';
type Encoders<Result> = Readonly<Record<Coding, (body: string | Uint8Array, options: object) => Result>>;

const optionsOf = (quality: Readonly<Record<Coding, number>>) => ({
  br: { chunkSize, params: { [BROTLI_PARAM_QUALITY]: quality.br, [BROTLI_PARAM_LGWIN]: windowBits } },
  zstd: { chunkSize, params: { [ZSTD_c_compressionLevel]: quality.zstd, [ZSTD_c_windowLog]: windowBits } },
  gzip: { chunkSize, level: quality.gzip },
});

/**
 * A page takes a third of a millisecond (0.8 as gzip): less than passing it to a thread and back. Brotli of quality 3 takes 0.9 and saves 4
 * of 39 KB, but no round trip: a new connection sends 44 KB in two (RFC 6928).
 */
const quick = optionsOf({ br: 1, zstd: 3, gzip: 1 });
const pageEncoders: Encoders<Buffer<ArrayBuffer>> = { br: brotliCompressSync, zstd: zstdCompressSync, gzip: gzipSync };

/**
 * Takes the bytes away from the encoder. Only a collection of the whole heap frees an encoder, and what it refers to: with 48 KB each, V8
 * did that every 230 pages, a fifth of their CPU time.
 */
const detach = ({ buffer, byteLength }: Buffer<ArrayBuffer>): Uint8Array => new Uint8Array(buffer.transfer(byteLength));

/** For a constant, which takes long, but once for all clients. */
const smallest = optionsOf({ br: 11, zstd: 19, gzip: 9 });
/** For a response that is longer than a page. */
const balanced = optionsOf({ br: 3, zstd: 3, gzip: 1 });
/** In the thread pool: both take longer than the main thread may be blocked. */
const encoders: Encoders<Promise<Uint8Array>> = {
  br: promisify(brotliCompress),
  zstd: promisify(zstdCompress),
  gzip: promisify(gzip),
};

/** Order if the client gives several the same weight: the shortest for a constant, the fastest for a page of one client. */
const preferences = { constant: ['br', 'zstd', 'gzip'], other: ['zstd', 'br', 'gzip'] } as const;

type Compressed = { readonly coding: Coding; readonly body: Uint8Array };

/** Returns null if the client prefers the body uncompressed, or if enough others are being compressed. */
export type Compress = (response: HttpResponse, acceptEncoding: string) => Promise<Compressed | null>;

/** Reused for all pages: V8 would collect the whole heap for as many new ones. */
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
  // Identity is acceptable if not mentioned, but the longest.
  const least = weights.get('identity') ?? 0;
  const [best] = preferences[isConstant ? 'constant' : 'other'].toSorted(
    (one, other) => weightOf(other) - weightOf(one),
  );
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= least ? best : null;
}
