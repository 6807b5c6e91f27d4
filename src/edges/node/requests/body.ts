/** Reads a request body, bounded in time and size; the bodies of all requests together are bounded too. */
import { ServiceError } from '../../../core/errors.ts';
import type { Bounds } from '../limits/bounds.ts';
import type { Incoming } from './target.ts';

/** Smallest allocation for a body: a client that declares much and sends little takes no more. */
const firstBytes = 1_024;

/** Bytes allocated for bodies whose requests have no response yet, in this process. */
let allocatedBytes = 0;

/**
 * Returns null if the body is larger than `maxBytes`. A client that is still sending may not read, and closing a socket with unread
 * bytes resets it, so the rest is discarded first, up to a bound; beyond it, the connection's own timeout applies. Throws
 * `request_timeout`, and `overloaded` above `maxBodyBytes` of all requests together. `onDone` calls its argument when the request ends:
 * until then its body counts.
 */
export function readBody(
  incoming: Incoming,
  declaredBytes: number,
  maxBytes: number,
  { bodyTimeoutMs, discardTimeoutMs, maxDiscardedBytes, maxBodyBytes }: Bounds,
  onDone: (release: () => void) => void,
): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    // One buffer that grows: thousands of small chunks would take many times their bytes.
    let buffer: Buffer = Buffer.alloc(0);
    let bytes = 0;
    let problem: 'too_large' | 'overloaded' | null = declaredBytes > maxBytes ? 'too_large' : null;
    let isSettled = false;
    const allocate = (size: number): void => {
      allocatedBytes += size - buffer.length;
      const larger = Buffer.allocUnsafeSlow(size);
      buffer.copy(larger);
      buffer = larger;
    };
    const release = (): void => {
      allocatedBytes -= buffer.length;
      buffer = Buffer.alloc(0);
    };
    const end = (): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      if (problem === 'too_large') resolve(null);
      else if (problem === 'overloaded') reject(new ServiceError('overloaded'));
      else if (incoming.readableEnded) resolve(buffer.subarray(0, bytes));
      else reject(new ServiceError('request_timeout'));
    };
    const discard = (reason: 'too_large' | 'overloaded'): void => {
      problem = reason;
      release();
      clearTimeout(timer);
      timer = setTimeout(end, discardTimeoutMs);
    };
    /** Returns false if there is no memory for it. */
    const append = (chunk: Buffer): boolean => {
      if (bytes > buffer.length) {
        const size = Math.min(maxBytes, Math.max(bytes, 2 * buffer.length, firstBytes));
        if (allocatedBytes + size - buffer.length > maxBodyBytes) return false;
        allocate(size);
      }
      chunk.copy(buffer, bytes - chunk.length);
      return true;
    };
    let timer = setTimeout(end, problem === null ? bodyTimeoutMs : discardTimeoutMs);
    onDone(() => {
      // A response that ended before the body: what still arrives is not stored.
      if (!isSettled) discard('too_large');
      else release();
    });
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (problem === null && bytes > maxBytes) discard('too_large');
      if (problem === null && !append(chunk)) discard('overloaded');
      if (problem !== null && bytes > maxDiscardedBytes) {
        incoming.pause();
        end();
      }
    });
    incoming.once('end', end).once('close', end).on('error', end);
  });
}
