/**
 * Reads clients' packets: the headers, to route datagrams (RFC 8999 §5, RFC 9000 §17), and Initial packets, whose keys everybody can derive
 * (RFC 9001 §5.2), to see how a client divided its ClientHello.
 */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { QuicHello } from '../quic.ts';

/** Length of the connection ids that OpenSSL's server chooses. */
const serverIdLength = 8;
/** Shortest datagram with the first packet of a client (RFC 9000 §14.1). */
const minInitialBytes = 1_200;
export const quicVersion1 = 1;

/** Reads the first packet of a datagram; null if it has no packet for a server. */
export function readPacket(bytes: Buffer) {
  const [first = 0] = bytes;
  if (first < 0x80) {
    if (bytes.length <= serverIdLength) return null;
    const destinationId = bytes.toString('latin1', 1, 1 + serverIdLength);
    return { destinationId, sourceId: '', version: 0, isInitial: false, hasToken: false };
  }
  const idLength = bytes[5] ?? 0;
  const sourceAt = 6 + idLength;
  const sourceIdLength = bytes[sourceAt] ?? 0;
  const tokenAt = sourceAt + 1 + sourceIdLength;
  if (tokenAt >= bytes.length) return null;
  const version = bytes.readUInt32BE(1);
  const isVersion1 = version === quicVersion1;
  // Connection ids of other versions may be longer (RFC 8999 §5.1), but OpenSSL has no larger buffer.
  if (version === 0 || idLength > 20 || sourceIdLength > 20) return null;
  return {
    /** The connection ids as Latin-1 text. */
    destinationId: bytes.toString('latin1', 6, sourceAt),
    sourceId: bytes.toString('latin1', sourceAt + 1, tokenAt),
    /** 0 for a packet with a short header. */
    version,
    /** Whether it may begin a connection or a version negotiation. */
    isInitial: bytes.length >= minInitialBytes && (!isVersion1 || (first & 0x30) === 0),
    /** Whether it has a token, with which its sender may have proven its address. */
    hasToken: isVersion1 && bytes[tokenAt] !== 0,
  };
}

export type Packet = NonNullable<ReturnType<typeof readPacket>>;

/** RFC 9001 §5.2, of version 1. */
const initialSalt = Buffer.from('38762cf7f55934b34d179ae6a4c80cadccbb7f0a', 'hex');
const tagBytes = 16;
const sampleBytes = 16;

const paddingFrame = 0;
const pingFrame = 1;
const cryptoFrame = 6;
const connectionCloseFrame = 0x1c;

const hmac = (key: Buffer, text: Buffer): Buffer => createHmac('sha256', key).update(text).digest();

/** HKDF-Expand-Label without context (RFC 8446 §7.1), for at most the 32 bytes of one hash. */
function expand(secret: Buffer, label: string, length: number): Buffer {
  const text = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, text.length]), text, Buffer.from([0, 1])]);
  return hmac(secret, info).subarray(0, length);
}

/** Returns the keys of one side; `destinationId` is that of the client's first packet, after a Retry that of the first one with a token. */
export function deriveInitialKeys(destinationId: Buffer, side: 'client' | 'server' = 'client') {
  const secret = expand(hmac(initialSalt, destinationId), `${side} in`, 32);
  return {
    key: expand(secret, 'quic key', 16),
    iv: expand(secret, 'quic iv', 12),
    headerKey: expand(secret, 'quic hp', 16),
  };
}

type InitialKeys = ReturnType<typeof deriveInitialKeys>;

/** Yields the CRYPTO frames of the Initial packets at the beginning of a datagram, as far as they are valid for these keys. */
export function* cryptoFramesIn(datagram: Buffer, keys: InitialKeys) {
  for (let rest = datagram; rest.length > 0; ) {
    const packet = decryptInitial(rest, keys);
    if (packet === null) return;
    yield* cryptoFramesOf(packet.frames);
    rest = rest.subarray(packet.end);
  }
}

/** Returns the frames of a packet, and where the next one begins; null if it is not a valid Initial packet for these keys. */
function decryptInitial(bytes: Buffer, { key, iv, headerKey }: InitialKeys) {
  const idsEnd = 7 + (bytes[5] ?? 0) + (bytes[6 + (bytes[5] ?? 0)] ?? 0);
  const token = readInteger(bytes, idsEnd);
  const length = readInteger(bytes, token.end + token.value);
  const end = length.end + length.value;
  const sample = bytes.subarray(length.end + 4, length.end + 4 + sampleBytes);
  if (end > bytes.length || sample.length < sampleBytes) return null;
  const mask = createCipheriv('aes-128-ecb', headerKey, null).update(sample);
  const first = (bytes[0] ?? 0) ^ ((mask[0] ?? 0) & 0x0f);
  const header = Buffer.from(bytes.subarray(0, length.end + 1 + (first & 3)));
  header[0] = first;
  const nonce = Buffer.from(iv);
  for (let at = length.end; at < header.length; at += 1) {
    header[at] = (header[at] ?? 0) ^ (mask[1 + at - length.end] ?? 0);
    const inNonce = nonce.length - header.length + at;
    nonce[inNonce] = (nonce[inNonce] ?? 0) ^ (header[at] ?? 0);
  }
  try {
    const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAAD(header);
    decipher.setAuthTag(bytes.subarray(end - tagBytes, end));
    const frames = decipher.update(bytes.subarray(header.length, end - tagBytes));
    decipher.final();
    return { frames, end };
  } catch {
    return null;
  }
}

/** Above the numbers that OpenSSL has used before the end of a handshake. */
const closePacketNumber = 0x0100_0000;

interface Close {
  /** The client's first packet that OpenSSL has got, and the connection id that the server has chosen. */
  readonly first: Packet;
  readonly serverId: string;
  /** Error code of RFC 9000 §20.1, below 2^14. */
  readonly code: number;
}

/** Encrypts an Initial packet of the server with a CONNECTION_CLOSE frame for an error in a CRYPTO frame (RFC 9000 §19.19). */
export function encryptClose({ first, serverId, code }: Close): Buffer {
  const keys = deriveInitialKeys(Buffer.from(first.destinationId, 'latin1'), 'server');
  const frames = Buffer.from([connectionCloseFrame, 0x40 | (code >> 8), code & 0xff, cryptoFrame, 0]);
  return encryptInitial({ destinationId: first.sourceId, sourceId: serverId, number: closePacketNumber, frames }, keys);
}

interface Initial {
  /** Connection ids as Latin-1 text. */
  readonly destinationId: string;
  readonly sourceId: string;
  readonly number: number;
  readonly frames: Buffer;
}

/** Encrypts an Initial packet without a token (RFC 9000 §17.2.2). */
export function encryptInitial({ destinationId, sourceId, number, frames }: Initial, keys: InitialKeys): Buffer {
  const { key, iv, headerKey } = keys;
  const numberBytes = Buffer.alloc(4);
  numberBytes.writeUInt32BE(number);
  const length = numberBytes.length + frames.length + tagBytes;
  const idOf = (id: string): Buffer => Buffer.from(`${String.fromCharCode(id.length)}${id}`, 'latin1');
  // Type Initial with a packet number of four bytes, version 1, ids, no token, and the length of the rest.
  const start = Buffer.concat([
    Buffer.from([0xc3, 0, 0, 0, quicVersion1]),
    ...[idOf(destinationId), idOf(sourceId)],
    Buffer.from([0, 0x40 | (length >> 8), length & 0xff]),
  ]);
  const header = Buffer.concat([start, numberBytes]);
  const nonce = Buffer.from(iv);
  for (const [at, byte] of numberBytes.entries()) {
    const inNonce = nonce.length - numberBytes.length + at;
    nonce[inNonce] = (nonce[inNonce] ?? 0) ^ byte;
  }
  const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(header);
  const payload = Buffer.concat([cipher.update(frames), cipher.final(), cipher.getAuthTag()]);
  // A sample of the payload hides parts of the header (RFC 9001 §5.4).
  const mask = createCipheriv('aes-128-ecb', headerKey, null).update(payload.subarray(0, sampleBytes));
  header[0] = (header[0] ?? 0) ^ ((mask[0] ?? 0) & 0x0f);
  for (let at = 0; at < numberBytes.length; at += 1) {
    const inHeader = start.length + at;
    header[inHeader] = (header[inHeader] ?? 0) ^ (mask[1 + at] ?? 0);
  }
  return Buffer.concat([header, payload]);
}

/** Yields the CRYPTO frames (RFC 9000 §19.6) up to the first frame of another type than clients send before a response. */
function* cryptoFramesOf(frames: Buffer) {
  for (let at = 0; at < frames.length; ) {
    const type = frames[at];
    at += 1;
    if (type === paddingFrame || type === pingFrame) continue;
    if (type !== cryptoFrame) return;
    const offset = readInteger(frames, at);
    const length = readInteger(frames, offset.end);
    at = length.end + length.value;
    yield { offset: offset.value, bytes: frames.subarray(length.end, at) };
  }
}

/** Reads a variable-length integer (RFC 9000 §16); 0 beyond the end of the bytes. */
function readInteger(bytes: Buffer, at: number) {
  const first = bytes[at] ?? 0;
  const length = 1 << (first >> 6);
  let value = first & 0x3f;
  for (let next = 1; next < length; next += 1) value = value * 256 + (bytes[at + next] ?? 0);
  return { value, end: at + length };
}

/** The beginning of a client's handshake. */
export interface Handshake {
  /** The packet that OpenSSL got first; the keys derive from its connection id. */
  readonly first: Packet;
  /** Bytes of the connection id in the client's very first packet; null if it is no longer known. */
  readonly destinationIdLength: number | null;
  /** Its datagrams until the ClientHello is complete. */
  readonly datagrams: Buffer[];
}

/** Describes a handshake that is complete, and releases its datagrams. */
export function helloOf({ first, destinationIdLength, datagrams }: Handshake, clientHello: Uint8Array): QuicHello {
  const { version, sourceId, destinationId } = first;
  const keys = deriveInitialKeys(Buffer.from(destinationId, 'latin1'));
  const frames = datagrams.splice(0).map((datagram) => [...cryptoFramesIn(datagram, keys)]);
  const counts = { cryptoFrames: frames.flat().length, datagrams: frames.filter(({ length }) => length > 0).length };
  return { clientHello, version, sourceIdLength: sourceId.length, destinationIdLength, ...counts };
}
