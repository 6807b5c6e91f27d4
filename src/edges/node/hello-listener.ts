/** Reads the ClientHello of a new connection before the TLS library sees a byte of it, and puts every byte back. */
import type { Socket } from 'node:net';
import { type HelloReading, readClientHello } from './client-hello.ts';

/**
 * Calls `done` once with what the first bytes are, all of them back on the socket; a connection that is not there within
 * `timeoutMs` in all, or ends before, is closed without a word.
 */
export function readHello(
  socket: Socket,
  timeoutMs: number,
  done: (reading: HelloReading, firstBytes: Buffer) => void,
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
    const reading = readClientHello(bytes);
    if (reading.state === 'incomplete') {
      chunks.splice(0, chunks.length, bytes);
      needsBytes = reading.needsBytes;
      return;
    }
    stopTimer();
    socket.off('readable', read).off('end', close).off('close', stopTimer).off('error', close);
    socket.unshift(bytes);
    done(reading, bytes);
  };
  socket.on('error', close).on('close', stopTimer).on('end', close).on('readable', read);
}
