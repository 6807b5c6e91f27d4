/** Reads the first bytes of a new connection before its server does, and puts all of them back. */
import type { Socket } from 'node:net';

/** `needsBytes` is the total number of bytes that the next attempt needs. */
export interface Incomplete<Complete> {
  readonly state: 'incomplete';
  readonly needsBytes: number;
  /** If the bytes are of use already: for how long to wait for the rest since the first of them, and what is the result after that. */
  readonly fallback?: { readonly afterMs: number; reading(): Complete };
}

type Complete<Reading> = Exclude<Reading, { readonly state: 'incomplete' }>;

/**
 * Calls `done` once with the result of `parse` on the first bytes, after putting them back on the socket. A connection that ends
 * before, or takes longer than `timeoutMs` in total, is closed without a response.
 */
export function readAhead<Reading extends { readonly state: string }>(
  socket: Socket,
  { timeoutMs, parse }: { readonly timeoutMs: number; readonly parse: (bytes: Buffer) => Reading },
  done: (reading: Complete<Reading>, firstBytes: Buffer) => void,
): void {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  let needsBytes = 1;
  let fallback: Incomplete<Complete<Reading>>['fallback'];
  let fallbackTimer: NodeJS.Timeout | undefined;
  const close = (): void => {
    socket.destroy();
  };
  const timer = setTimeout(close, timeoutMs);
  const stopTimers = (): void => {
    clearTimeout(timer);
    clearTimeout(fallbackTimer);
  };
  const finish = (reading: Complete<Reading>): void => {
    stopTimers();
    socket.off('readable', read).off('end', close).off('close', stopTimers).off('error', close);
    const bytes = joinChunks();
    socket.unshift(bytes);
    done(reading, bytes);
  };
  const joinChunks = (): Buffer => {
    if (chunks.length > 1) chunks.splice(0, chunks.length, Buffer.concat(chunks));
    return chunks[0] as Buffer;
  };
  const read = (): void => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
      chunks.push(chunk);
      receivedBytes += chunk.length;
    }
    if (receivedBytes < needsBytes) return;
    const reading = parse(joinChunks());
    if (reading.state !== 'incomplete') {
      finish(reading as Complete<Reading>);
      return;
    }
    const incomplete = reading as unknown as Incomplete<Complete<Reading>>;
    needsBytes = incomplete.needsBytes;
    fallback = incomplete.fallback;
    if (fallback !== undefined)
      fallbackTimer ??= setTimeout(() => finish(fallback?.reading() as Complete<Reading>), fallback.afterMs);
  };
  socket.on('error', close).on('close', stopTimers).on('end', close).on('readable', read);
}
