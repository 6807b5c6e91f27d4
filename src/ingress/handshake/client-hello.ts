/** Parses the TLS ClientHello in the first bytes of a connection, and computes its fingerprint (RFC 8446 §4.1.2 and §5.1). */
import { hash } from 'node:crypto';
import { parseClientHello } from '../../client/fingerprint/client-hello.ts';
import type { ObservedTls } from '../../core/observed.ts';

/** A longer hello goes to the TLS library without a fingerprint. */
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

export type Fingerprint = Pick<ObservedTls, 'clientHelloLength' | 'clientCiphersSha1' | 'clientExtensionsSha1'>;

export const noFingerprint: Fingerprint = {
  clientHelloLength: null,
  clientCiphersSha1: null,
  clientExtensionsSha1: null,
};

/** Computes the fingerprint of a ClientHello body; all null if it is malformed. */
export function fingerprintOf(body: Uint8Array): Fingerprint {
  const hello = parseClientHello(body);
  if (hello === null) return noFingerprint;
  return {
    clientHelloLength: body.length,
    clientCiphersSha1: sha1Of(hello.cipherSuites),
    clientExtensionsSha1: hello.extensions && sha1Of(hello.extensions.map(({ id }) => id)),
  };
}

/** Base64 SHA-1 of the values as sent: 16-bit big-endian, GREASE included. */
function sha1Of(ids: readonly number[]): string {
  return hash('sha1', Buffer.from(ids.flatMap((id) => [id >> 8, id & 0xff])), 'base64');
}
