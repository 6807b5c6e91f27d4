/** Parses the first bytes of a connection: the TLS ClientHello, and the frames that open HTTP/2. */

/** A longer hello goes to the TLS library without being kept. */
export const maxHelloBytes = 16_384;

/** Clients send one TLS record, or a few. Each one costs a scan of all bytes before it: 16 KB in records of one byte cost 2 s. */
export const maxHelloRecords = 16;

const recordHeaderBytes = 5;
const handshakeHeaderBytes = 4;
const handshakeRecord = 0x16;
const clientHelloMessage = 1;

/**
 * Why a ClientHello is not read. `not-tls`: the bytes are not a handshake of TLS, or another message of one comes first. `oversized`: it is
 * longer than `maxHelloBytes`. `fragmented`: it takes more records than `maxHelloRecords`.
 */
type UnreadHello = 'not-tls' | 'oversized' | 'fragmented';

/** The body of a ClientHello, without the headers of records and of the message, or why it is not read. */
type HelloReading = { readonly body: Buffer } | { readonly unread: UnreadHello };

const notTls = { unread: 'not-tls' } as const;
const oversized = { unread: 'oversized' } as const;

/**
 * Finds the body of the TLS ClientHello (RFC 8446 §4.1.2 and §5.1), joined from all records that contain it. Returns the total number of
 * bytes that the next attempt needs if these are too few.
 */
export function readClientHello(bytes: Buffer): HelloReading | number {
  const fragments: Buffer[] = [];
  let records = 0;
  let joinedBytes = 0;
  for (let at = 0; ; ) {
    if (at < bytes.length && bytes[at] !== handshakeRecord) return notTls;
    if (at + 1 < bytes.length && bytes[at + 1] !== 3) return notTls;
    if (at + recordHeaderBytes > bytes.length) return incompleteUntil(at + recordHeaderBytes);
    const recordBytes = bytes.readUInt16BE(at + 3);
    if (recordBytes === 0 || recordBytes > maxHelloBytes) return notTls;
    records += 1;
    if (records > maxHelloRecords) return { unread: 'fragmented' };
    const start = at + recordHeaderBytes;
    at = start + recordBytes;
    const fragment = bytes.subarray(start, at);
    fragments.push(fragment);
    joinedBytes += fragment.length;
    if (joinedBytes >= handshakeHeaderBytes) {
      const message = fragments.length === 1 ? fragment : Buffer.concat(fragments);
      if (message[0] !== clientHelloMessage) return notTls;
      const end = handshakeHeaderBytes + message.readUIntBE(1, 3);
      if (end > maxHelloBytes) return oversized;
      if (message.length >= end) return { body: message.subarray(handshakeHeaderBytes, end) };
      fragments.splice(0, fragments.length, message);
    }
    if (at > bytes.length) return incompleteUntil(at);
  }
}

const incompleteUntil = (end: number): HelloReading | number => (end > maxHelloBytes ? oversized : end);

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
