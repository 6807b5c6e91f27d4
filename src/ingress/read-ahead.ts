/** Reads the first bytes of a connection before its server does, and puts them back: the TLS ClientHello, and what opens HTTP/2. */
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

/** A longer hello goes to the TLS library without being kept. */
export const maxHelloBytes = 16_384;

/** Clients send one TLS record, or a few. Each one costs a scan of all bytes before it: 16 KB in records of one byte cost 2 s. */
export const maxHelloRecords = 16;

const recordHeaderBytes = 5;
const handshakeHeaderBytes = 4;
const handshakeRecord = 0x16;
const clientHelloMessage = 1;

/** Result for the bytes so far; `needsBytes` is the total number that the next attempt needs. */
export type HelloReading =
  | { readonly state: 'incomplete'; readonly needsBytes: number }
  | { readonly state: 'not-tls' | 'oversized' | 'fragmented' }
  | { readonly state: 'complete'; readonly body: Buffer };

/** Finds the body of the TLS ClientHello (RFC 8446 §4.1.2 and §5.1), joined from all records that contain it. */
export function readClientHello(bytes: Buffer): HelloReading {
  const fragments: Buffer[] = [];
  let records = 0;
  let joinedBytes = 0;
  for (let at = 0; ; ) {
    if (at < bytes.length && bytes[at] !== handshakeRecord) return { state: 'not-tls' };
    if (at + 1 < bytes.length && bytes[at + 1] !== 3) return { state: 'not-tls' };
    if (at + recordHeaderBytes > bytes.length) return incompleteUntil(at + recordHeaderBytes);
    const recordBytes = bytes.readUInt16BE(at + 3);
    if (recordBytes === 0 || recordBytes > maxHelloBytes) return { state: 'not-tls' };
    records += 1;
    if (records > maxHelloRecords) return { state: 'fragmented' };
    const start = at + recordHeaderBytes;
    at = start + recordBytes;
    const fragment = bytes.subarray(start, at);
    fragments.push(fragment);
    joinedBytes += fragment.length;
    if (joinedBytes >= handshakeHeaderBytes) {
      const message = fragments.length === 1 ? fragment : Buffer.concat(fragments);
      if (message[0] !== clientHelloMessage) return { state: 'not-tls' };
      const end = handshakeHeaderBytes + message.readUIntBE(1, 3);
      if (end > maxHelloBytes) return { state: 'oversized' };
      if (message.length >= end) return { state: 'complete', body: message.subarray(handshakeHeaderBytes, end) };
      fragments.splice(0, fragments.length, message);
    }
    if (at > bytes.length) return incompleteUntil(at);
  }
}

function incompleteUntil(needsBytes: number): HelloReading {
  return needsBytes > maxHelloBytes ? { state: 'oversized' } : { state: 'incomplete', needsBytes };
}

/** More frames are kept up to the last complete one. */
export const maxPrefaceBytes = 4096;

const prefaceBytes = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frameHeaderBytes = 9;
const frameTypes = { headers: 1, settings: 4 } as const;
/** Bytes of a HEADERS frame's payload that may come before its header block: pad length and priority. */
const headersPriorityBytes = 6;

export type PrefaceReading =
  | { readonly state: 'not-http2' }
  /** `frames` are the bytes after the preface up to the first request's priority, in memory of their own. */
  | { readonly state: 'complete'; readonly frames: Uint8Array };

/**
 * Reads the frames that a client sends before its first HTTP/2 request (RFC 9113 §3.4 and §6): looks for the first HEADERS frame after the
 * preface, SETTINGS and other frames.
 */
export function readHttp2Preface(bytes: Buffer, graceMs: number): PrefaceReading | Incomplete<PrefaceReading> {
  const known = Math.min(bytes.length, prefaceBytes.length);
  if (bytes.compare(prefaceBytes, 0, known, 0, known) !== 0) return { state: 'not-http2' };
  for (let at = prefaceBytes.length; ; ) {
    const isFirst = at === prefaceBytes.length;
    const frameAt = at;
    const soFar = (): PrefaceReading => complete(bytes, frameAt);
    // Without SETTINGS, the bytes are of no use.
    const fallback = isFirst ? null : { fallback: { afterMs: graceMs, reading: soFar } };
    const payloadAt = at + frameHeaderBytes;
    if (payloadAt > maxPrefaceBytes) return soFar();
    if (payloadAt > bytes.length) return { state: 'incomplete', needsBytes: payloadAt, ...fallback };
    const type = bytes[at + 3];
    if (isFirst && type !== frameTypes.settings) return { state: 'not-http2' };
    const isHeaders = type === frameTypes.headers;
    const payloadBytes = bytes.readUIntBE(at, 3);
    const end = payloadAt + (isHeaders ? Math.min(payloadBytes, headersPriorityBytes) : payloadBytes);
    if (end > maxPrefaceBytes) return soFar();
    if (end > bytes.length) return { state: 'incomplete', needsBytes: end, ...fallback };
    if (isHeaders) return complete(bytes, end);
    at = end;
  }
}

function complete(bytes: Buffer, end: number): PrefaceReading {
  return { state: 'complete', frames: new Uint8Array(bytes.subarray(prefaceBytes.length, end)) };
}
