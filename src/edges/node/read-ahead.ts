/** Reads the first bytes of a new connection before anybody else sees one of them, and puts every byte back. */
import type { Socket } from 'node:net';

/** Says how many bytes there must be before another look is worth it. */
interface Incomplete {
  readonly state: 'incomplete';
  readonly needsBytes: number;
}

/**
 * Calls `done` once with what `look` makes of the first bytes, all of them back on the socket; a connection that is not
 * there within `timeoutMs` in all, or ends before, is closed without a word.
 */
export function readAhead<Reading extends { readonly state: string }>(
  socket: Socket,
  timeoutMs: number,
  look: (bytes: Buffer) => Reading | Incomplete,
  done: (reading: Exclude<Reading, Incomplete>, firstBytes: Buffer) => void,
): void {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  let needsBytes = 1;
  const close = (): void => {
    socket.destroy();
  };
  const timer = setTimeout(close, timeoutMs);
  const stopTimer = (): void => clearTimeout(timer);
  const read = (): void => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
      chunks.push(chunk);
      receivedBytes += chunk.length;
    }
    if (receivedBytes < needsBytes) return;
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    const reading = look(bytes);
    if (reading.state === 'incomplete') {
      chunks.splice(0, chunks.length, bytes);
      needsBytes = (reading as Incomplete).needsBytes;
      return;
    }
    stopTimer();
    socket.off('readable', read).off('end', close).off('close', stopTimer).off('error', close);
    socket.unshift(bytes);
    done(reading as Exclude<Reading, Incomplete>, bytes);
  };
  socket.on('error', close).on('close', stopTimer).on('end', close).on('readable', read);
}
