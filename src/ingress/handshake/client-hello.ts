/** Finds the TLS ClientHello in the first bytes of a connection (RFC 8446 §4.1.2 and §5.1). */

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

/** Finds the ClientHello body, joined from all records that contain it. */
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
