/** Reads the body of a response, bounded also once it is decoded. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, type ZlibOptions } from 'node:zlib';
import type { Dispatcher } from 'undici';

/**
 * Decoders of the content encodings that the runtime of a Worker decodes too, requested or not: some servers compress in spite of
 * `Accept-Encoding: identity`.
 */
const decoders: ReadonlyMap<string, typeof gunzip | typeof brotliDecompress> = new Map([
  ['gzip', gunzip],
  ['br', brotliDecompress],
]);

/** Null if the body is larger, also once decoded; with a maximum of 0, an empty one in its place. Rejects if it cannot be decoded. */
export async function readBody(response: Dispatcher.ResponseData, maxBytes: number): Promise<Uint8Array | null> {
  const sent = await readSent(response, maxBytes);
  const decode = decoders.get(`${response.headers['content-encoding'] ?? ''}`.trim().toLowerCase());
  if (decode === undefined || sent === null || sent.length === 0) return sent;
  try {
    return await promisify<Uint8Array, ZlibOptions, Buffer>(decode)(sent, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}

/** The bytes as sent. */
async function readSent({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<Uint8Array | null> {
  if (maxBytes === 0) {
    body.on('error', () => {}).destroy();
    return new Uint8Array();
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
