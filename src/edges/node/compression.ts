/** Compresses responses in the coding that the client prefers (RFC 9110 §12.5.3). */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { parseWeights } from '../../core/accept.ts';
import type { Metrics } from '../../core/metrics.ts';
import type { HttpResponse } from '../../http/response.ts';
import type { Bounds } from './limits/bounds.ts';

const { BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel } = constants;

/** In order of preference if the client gives several the same weight. A page of 120 KB takes 2 to 3 ms, not on the main thread. */
const codings = {
  br: (body: string | Uint8Array) => promisify(brotliCompress)(body, { params: { [BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: (body: string | Uint8Array) => promisify(zstdCompress)(body, { params: { [ZSTD_c_compressionLevel]: 7 } }),
  gzip: (body: string | Uint8Array) => promisify(gzip)(body),
} as const;
type Coding = keyof typeof codings;

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
  const start = async (coding: Coding, body: HttpResponse['body']): Promise<Compressed> => {
    active += 1;
    try {
      return { coding, body: await codings[coding](body) };
    } finally {
      active -= 1;
    }
  };
  return async (response, acceptEncoding) => {
    const coding = preferredCoding(acceptEncoding);
    if (coding === null) return null;
    const known = stored.get(response) ?? new Map<Coding, Promise<Compressed>>();
    const compressed = known.get(coding);
    if (compressed !== undefined) return compressed;
    if (active >= maxCompressions) {
      metrics.countRejection('compression');
      return null;
    }
    const started = start(coding, response.body);
    if (response.isConstant) {
      stored.set(response, known.set(coding, started));
      started.catch(() => known.delete(coding));
    }
    return started;
  };
}

export function preferredCoding(acceptEncoding: string): Coding | null {
  const weights = parseWeights(acceptEncoding);
  // RFC 9110 §8.4.1.3: `x-gzip` is gzip.
  const weightOf = (name: string): number => weights.get(name) ?? weights.get(`x-${name}`) ?? weights.get('*') ?? 0;
  let best: Coding | null = null;
  // Identity is acceptable if not mentioned, but the longest.
  let most = weights.get('identity') ?? 0;
  for (const coding of Object.keys(codings) as Coding[]) {
    const weight = weightOf(coding);
    if (weight > most || (weight === most && weight > 0 && best === null)) [best, most] = [coding, weight];
  }
  return best;
}
