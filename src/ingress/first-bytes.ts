/**
 * Reads the first bytes of a connection before its server does, and puts them back: the PROXY header, the TLS ClientHello, and the frames
 * that open HTTP/2.
 */
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

/** Bytes of the message, and those of a TLS record (RFC 8446 §5.1). A longer hello goes to the TLS library without being kept. */
export const maxHelloBytes = 16_384;

const recordHeaderBytes = 5;
const handshakeHeaderBytes = 4;
const handshakeRecord = 0x16;
const clientHelloMessage = 1;

/**
 * Why a ClientHello is not read. `not-tls`: the bytes are not a handshake of TLS, or another message of one comes first. `oversized`: it is
 * longer than `maxHelloBytes`.
 */
type UnreadHello = 'not-tls' | 'oversized';

/** The body of a ClientHello, without the headers of record and message, or why it is not read. */
type HelloReading = { readonly body: Buffer } | { readonly unread: UnreadHello };

const notTls = { unread: 'not-tls' } as const;
const oversized = { unread: 'oversized' } as const;

/**
 * Joins the complete records of a handshake at the beginning to one, in place, because a client may divide its ClientHello in any way (RFC
 * 8446 §5.1): thousands of records then take no more memory, and no more time of the TLS library, than one.
 */
export function joinRecords(bytes: Buffer): Buffer {
  const { length } = bytes;
  if (length < recordHeaderBytes || bytes[0] !== handshakeRecord) return bytes;
  const firstEnd = recordHeaderBytes + bytes.readUInt16BE(3);
  // An empty record is not permitted.
  if (firstEnd === recordHeaderBytes) return bytes;
  let from = firstEnd;
  let to = firstEnd;
  // Most such records have a few bytes: calls of functions would take several times as long.
  while (from + recordHeaderBytes < length && bytes[from] === handshakeRecord && bytes[from + 1] === 3) {
    const payloadBytes = ((bytes[from + 3] as number) << 8) | (bytes[from + 4] as number);
    const end = from + recordHeaderBytes + payloadBytes;
    if (payloadBytes === 0 || end > length || to + payloadBytes > recordHeaderBytes + maxHelloBytes) break;
    for (from += recordHeaderBytes; from < end; from += 1, to += 1) bytes[to] = bytes[from] as number;
  }
  if (to === firstEnd) return bytes;
  bytes.writeUInt16BE(to - recordHeaderBytes, 3);
  bytes.copyWithin(to, from);
  return bytes.subarray(0, length - (from - to));
}

/**
 * Finds the body of the TLS ClientHello (RFC 8446 §4.1.2) in bytes whose records are joined. Returns a total number of bytes without which
 * the next attempt would not succeed, if these are too few.
 */
export function readClientHello(bytes: Buffer): HelloReading | number {
  if (!beginsRecord(bytes, 0)) return notTls;
  if (bytes.length < recordHeaderBytes) return recordHeaderBytes;
  const recordBytes = bytes.readUInt16BE(3);
  if (recordBytes === 0 || recordBytes > maxHelloBytes) return notTls;
  const recordEnd = recordHeaderBytes + recordBytes;
  const message = bytes.subarray(recordHeaderBytes, recordEnd);
  if (message.length > 0 && message[0] !== clientHelloMessage) return notTls;
  const hasLength = message.length >= handshakeHeaderBytes;
  const messageBytes = handshakeHeaderBytes + (hasLength ? message.readUIntBE(1, 3) : 0);
  if (messageBytes > maxHelloBytes) return oversized;
  if (hasLength && message.length >= messageBytes)
    return { body: message.subarray(handshakeHeaderBytes, messageBytes) };
  if (recordBytes >= messageBytes) return recordHeaderBytes + messageBytes;
  if (bytes.length < recordEnd) return recordEnd;
  return nextRecordEnd(bytes, recordEnd, messageBytes - recordBytes);
}

/** Returns the bytes without which a message has no end that misses so many after a record, and whose next record is not joined. */
function nextRecordEnd(bytes: Buffer, at: number, missingBytes: number): HelloReading | number {
  if (!beginsRecord(bytes, at)) return notTls;
  const start = at + recordHeaderBytes;
  if (bytes.length < start) return start + missingBytes;
  const length = bytes.readUInt16BE(at + 3);
  const end = start + length;
  if (length === 0) return notTls;
  // With what follows the message.
  if (bytes.length >= end) return oversized;
  return length < missingBytes ? end + recordHeaderBytes + missingBytes - length : end;
}

/** Whether the bytes from a place on, if there are any, may be a record of a handshake. */
const beginsRecord = (bytes: Buffer, at: number): boolean =>
  (bytes[at] ?? handshakeRecord) === handshakeRecord && (bytes[at + 1] ?? 3) === 3;

/** More frames are kept up to the last complete one. */
export const maxPrefaceBytes = 4096;

const prefaceBytes = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frameHeaderBytes = 9;
const frameTypes = { headers: 1, settings: 4 } as const;
/** Bytes of a HEADERS frame's payload that may come before its header block: pad length and priority. */
const headersPriorityBytes = 6;

/**
 * Finds the frames that a client sends before its first HTTP/2 request (RFC 9113 §3.4 and §6): returns the bytes after the preface up to
 * the priority in the first HEADERS frame, in memory of their own; null if they are not HTTP/2. If `isLast`, SETTINGS alone are enough.
 */
export function readHttp2Preface(bytes: Buffer, isLast: boolean): Uint8Array | number | null {
  const known = Math.min(bytes.length, prefaceBytes.length);
  if (bytes.compare(prefaceBytes, 0, known, 0, known) !== 0) return null;
  const framesUntil = (end: number) => new Uint8Array(bytes.subarray(prefaceBytes.length, end));
  for (let at = prefaceBytes.length; ; ) {
    const isFirst = at === prefaceBytes.length;
    const payloadAt = at + frameHeaderBytes;
    const hasHeader = payloadAt <= Math.min(bytes.length, maxPrefaceBytes);
    const type = hasHeader ? bytes[at + 3] : null;
    if (hasHeader && isFirst && type !== frameTypes.settings) return null;
    const isHeaders = type === frameTypes.headers;
    const payloadBytes = hasHeader ? bytes.readUIntBE(at, 3) : 0;
    const end = payloadAt + (isHeaders ? Math.min(payloadBytes, headersPriorityBytes) : payloadBytes);
    if (end > maxPrefaceBytes) return framesUntil(at);
    if (end > bytes.length) return isLast && !isFirst ? framesUntil(at) : end;
    if (isHeaders) return framesUntil(end);
    at = end;
  }
}
