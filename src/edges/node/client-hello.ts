/** Reads a TLS ClientHello from the first bytes of a connection, and its fingerprint (RFC 8446 §4.1.2 and §5.1). */
import { hash } from 'node:crypto';
import type { ObservedTls } from '../../core/observed.ts';

/** A hello that is not complete within this many bytes goes to the TLS library without a fingerprint. */
export const maxHelloBytes = 16_384;

const recordHeaderBytes = 5;
const handshakeHeaderBytes = 4;
const handshakeRecord = 0x16;
const clientHelloMessage = 1;

/** What the bytes so far are; `incomplete` says how many bytes there must be before another look is worth it. */
export type HelloReading =
  | { readonly state: 'incomplete'; readonly needsBytes: number }
  | { readonly state: 'not-tls' | 'oversized' }
  | { readonly state: 'complete'; readonly body: Buffer };

/** Finds the ClientHello body, joined from as many records as it was cut into. */
export function readClientHello(bytes: Buffer): HelloReading {
  const fragments: Buffer[] = [];
  let joinedBytes = 0;
  for (let at = 0; ; ) {
    if (at < bytes.length && bytes[at] !== handshakeRecord) return { state: 'not-tls' };
    if (at + 1 < bytes.length && bytes[at + 1] !== 3) return { state: 'not-tls' };
    if (at + recordHeaderBytes > bytes.length) return incomplete(at + recordHeaderBytes);
    const recordBytes = bytes.readUInt16BE(at + 3);
    if (recordBytes === 0 || recordBytes > maxHelloBytes) return { state: 'not-tls' };
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
    if (at > bytes.length) return incomplete(at);
  }
}

function incomplete(needsBytes: number): HelloReading {
  return needsBytes > maxHelloBytes ? { state: 'oversized' } : { state: 'incomplete', needsBytes };
}

export type Fingerprint = Pick<ObservedTls, 'clientHelloLength' | 'clientCiphersSha1' | 'clientExtensionsSha1'>;

export const noFingerprint: Fingerprint = {
  clientHelloLength: null,
  clientCiphersSha1: null,
  clientExtensionsSha1: null,
};

/** The fingerprint of a ClientHello body; all null where it is malformed. */
export function fingerprint(body: Buffer): Fingerprint {
  const parts = parseClientHello(body);
  if (parts === null) return noFingerprint;
  return {
    clientHelloLength: body.length,
    clientCiphersSha1: sha1(parts.cipherSuites),
    clientExtensionsSha1: parts.extensionIds === null ? null : sha1(parts.extensionIds),
  };
}

/** Cipher suites and extension ids, each as the 16-bit big-endian values on the wire; GREASE is kept. */
export interface ClientHello {
  readonly cipherSuites: Buffer;
  /** null when the hello has no extension block. */
  readonly extensionIds: Buffer | null;
}

/** Takes a ClientHello body apart; null where it is malformed. */
export function parseClientHello(body: Buffer): ClientHello | null {
  const versionAndRandomBytes = 34;
  const sessionId = vector(body, versionAndRandomBytes, 1);
  const cipherSuites = sessionId && vector(body, sessionId.end, 2);
  const compression = cipherSuites && vector(body, cipherSuites.end, 1);
  if (!compression || cipherSuites.content.length % 2 !== 0) return null;
  if (compression.end === body.length) return { cipherSuites: cipherSuites.content, extensionIds: null };
  const extensions = vector(body, compression.end, 2);
  if (extensions === null || extensions.end !== body.length) return null;
  const extensionIds = readExtensionIds(extensions.content);
  return extensionIds && { cipherSuites: cipherSuites.content, extensionIds };
}

function readExtensionIds(block: Buffer): Buffer | null {
  const ids: number[] = [];
  for (let at = 0; at < block.length; ) {
    const extension = vector(block, at + 2, 2);
    if (extension === null) return null;
    ids.push(block[at] ?? 0, block[at + 1] ?? 0);
    at = extension.end;
  }
  return Buffer.from(ids);
}

/** The content of a length-prefixed vector (RFC 8446 §3.4), and where it ends; null where it is cut short. */
function vector(bytes: Buffer, at: number, lengthBytes: 1 | 2): { content: Buffer; end: number } | null {
  const start = at + lengthBytes;
  if (start > bytes.length) return null;
  const end = start + bytes.readUIntBE(at, lengthBytes);
  return end > bytes.length ? null : { content: bytes.subarray(start, end), end };
}

function sha1(bytes: Buffer): string {
  return hash('sha1', bytes, 'base64');
}
