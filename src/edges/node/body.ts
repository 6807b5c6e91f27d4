/** Reads the body of a request, within bounds of time and size. */
import { ServiceError } from '../../core/errors.ts';
import type { Bounds } from './bounds.ts';
import type { Incoming } from './target.ts';

/**
 * Null above `maxBytes`. A client that is still sending may not read, and an answer beside unread bytes ends in a reset: so what
 * is too large is dropped up to a bound first, and what comes after that is left to the connection's own timeout.
 */
export function readBody(
  incoming: Incoming,
  declaredBytes: number,
  maxBytes: number,
  { bodyTimeoutMs, dropTimeoutMs, maxDroppedBytes }: Bounds,
): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isTooLarge = declaredBytes > maxBytes;
    let isSettled = false;
    const end = (): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      if (isTooLarge) resolve(null);
      else if (incoming.readableEnded) resolve(Buffer.concat(chunks));
      else reject(new ServiceError('request_timeout'));
    };
    let timer = setTimeout(end, isTooLarge ? dropTimeoutMs : bodyTimeoutMs);
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (!isTooLarge && bytes > maxBytes) {
        isTooLarge = true;
        chunks.length = 0;
        clearTimeout(timer);
        timer = setTimeout(end, dropTimeoutMs);
      }
      if (!isTooLarge) chunks.push(chunk);
      else if (bytes > maxDroppedBytes) {
        incoming.pause();
        end();
      }
    });
    incoming.once('end', end).once('close', end).on('error', end);
  });
}
