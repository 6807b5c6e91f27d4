/** Reads a request body, bounded in time and size; the bodies of all requests together are bounded too. */
import { ServiceError } from '../core/errors.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Bounds } from '../edges/node/limits/bounds.ts';
import type { Incoming } from './target.ts';

/** Smallest allocation for a body: a client that declares much and sends little takes no more. */
const firstBytes = 1_024;

/** Bytes allocated for bodies whose requests have no response yet, in this process. */
let allocatedBytes = 0;

/** Rejects a body that is still arriving; in the order in which they began. */
const arriving = new Set<() => void>();

/**
 * Returns null if the body is larger than `maxBytes`. A client that is still sending may not read, and closing a socket with unread
 * bytes resets it, so the rest is discarded first, up to a bound; beyond it, the connection's own timeout applies. Throws
 * `request_timeout`, and `overloaded` if the bodies of all requests together exceed `maxBodyBytes`: those that have been arriving for the
 * longest time are rejected first, because an attacker holds them and an ordinary client does not. `onDone` calls its argument when the
 * request ends: until then its body counts, afterwards it is empty.
 */
export function readBody(
  incoming: Incoming,
  declaredBytes: number,
  maxBytes: number,
  { bodyTimeoutMs, discardTimeoutMs, maxDiscardedBytes, maxBodyBytes }: Bounds,
  metrics: Pick<Metrics, 'countRejection'>,
  onDone: (release: () => void) => void,
): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    // One buffer that grows: thousands of small chunks would take many times their bytes. Its memory is given back by `transfer`, because
    // bodies often live long enough for V8 to collect them late.
    let buffer = new Uint8Array(0);
    let bytes = 0;
    let problem: 'too_large' | 'overloaded' | null = declaredBytes > maxBytes ? 'too_large' : null;
    let isSettled = false;
    const allocate = (size: number): void => {
      allocatedBytes += size - buffer.length;
      buffer = new Uint8Array(buffer.buffer.transfer(size));
    };
    const release = (): void => allocate(0);
    const end = (): void => {
      if (isSettled) return;
      isSettled = true;
      arriving.delete(evict);
      clearTimeout(timer);
      if (problem === 'too_large') resolve(null);
      else if (problem === 'overloaded') reject(new ServiceError('overloaded'));
      else if (incoming.readableEnded) resolve(buffer.subarray(0, bytes));
      else reject(new ServiceError('request_timeout'));
    };
    const discard = (reason: 'too_large' | 'overloaded'): void => {
      problem = reason;
      release();
      arriving.delete(evict);
      clearTimeout(timer);
      timer = setTimeout(end, discardTimeoutMs);
    };
    const evict = (): void => {
      metrics.countRejection('body_bytes');
      discard('overloaded');
    };
    const append = (chunk: Buffer): void => {
      if (bytes > buffer.length) {
        const size = Math.min(maxBytes, Math.max(bytes, 2 * buffer.length, firstBytes));
        arriving.add(evict);
        for (const evictOldest of arriving) {
          if (allocatedBytes + size - buffer.length <= maxBodyBytes) break;
          evictOldest();
          // Complete bodies are not evicted, so it may be this one.
          if (problem !== null) return;
        }
        allocate(size);
      }
      buffer.set(chunk, bytes - chunk.length);
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
      if (problem === null) append(chunk);
      if (problem !== null && bytes > maxDiscardedBytes) {
        incoming.pause();
        end();
      }
    });
    incoming.once('end', end).once('close', end).on('error', end);
  });
}
