/** Reads the first bytes of a connection before its server does, and puts them back. */
import type { Socket } from 'node:net';

/** How to read the first bytes. */
interface FirstBytes<Reading> {
  readonly timeoutMs: number;
  /**
   * Returns what the bytes are, or the total number of bytes that the next attempt needs. With `isLast`, the wait for more has ended, so
   * that a part is returned if it is enough.
   */
  parse(bytes: Buffer, isLast: boolean): Reading | number;
  /** Returns the same bytes in a shorter form, in which they are parsed and put back; absent if they have only one. */
  readonly join?: (bytes: Buffer) => Buffer;
  /** Longest wait for more bytes once a part is enough; absent if no part ever is. */
  readonly graceMs?: number;
}

/**
 * Calls `done` once with the result of `parse` on the first bytes, after putting them back on the socket. A connection that ends
 * before, or takes longer than `timeoutMs` in total, is closed without a response.
 */
export function readAhead<Reading>(
  socket: Socket,
  { timeoutMs, parse, join, graceMs }: FirstBytes<Reading>,
  done: (reading: Reading, firstBytes: Buffer) => void,
): void {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  let needsBytes = 1;
  let graceTimer: NodeJS.Timeout | undefined;
  const close = (): unknown => socket.destroy();
  const timer = setTimeout(close, timeoutMs);
  const stopTimers = (): void => {
    clearTimeout(timer);
    clearTimeout(graceTimer);
  };
  const finish = (reading: Reading): void => {
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
  const read = () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
      chunks.push(chunk);
      receivedBytes += chunk.length;
    }
    if (receivedBytes < needsBytes) return;
    const received = joinChunks();
    const bytes = join?.(received) ?? received;
    chunks[0] = bytes;
    receivedBytes = bytes.length;
    const reading = parse(bytes, false);
    if (typeof reading !== 'number') return finish(reading);
    needsBytes = reading;
    if (graceMs === undefined || typeof parse(bytes, true) === 'number') return;
    graceTimer ??= setTimeout(() => finish(parse(joinChunks(), true) as Reading), graceMs);
  };
  socket.on('error', close).on('close', stopTimers).on('end', close).on('readable', read);
}
