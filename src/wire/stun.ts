/** STUN messages (RFC 8489): Binding requests, and the answers of a server. */
import { ByteReader, readBytes } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

const headerBytes = 20;
const magicCookie = 0x2112_a442;
/** Class and method of a message (RFC 8489 §5). */
const types = { request: 0x0001, success: 0x0101, error: 0x0111 };
const attributes = { errorCode: 0x0009, unknownAttributes: 0x000a, xorMappedAddress: 0x0020, fingerprint: 0x8028 };
/** Attributes with a message integrity: what follows them is ignored, except for each other and FINGERPRINT (RFC 8489 §14.5). */
const integrityAttributes: readonly number[] = [0x0008, 0x001c];
/** Attributes below this number must be understood (RFC 8489 §14). */
const firstOptional = 0x8000;
/** Attributes that RFC 8489 defines (IANA "STUN Attributes", 2026-11-23): ignored in a request without credentials, and not unknown. */
const knownAttributes = new Set([
  ...[0x0001, 0x0006, 0x0009, 0x000a, 0x0014, 0x0015, 0x001d, 0x001e, 0x0020],
  ...integrityAttributes,
]);
/** RFC 8489 §14.7 */
const fingerprintMask = 0x5354_554e;

/** Further attributes are left out of an error, so that a forged request gets at most 72 bytes; a success has up to 52. */
const maxUnknownAttributes = 16;

interface BindingRequest {
  /** Magic cookie and transaction id, 16 bytes. */
  readonly transaction: Uint8Array;
  readonly hasFingerprint: boolean;
  /** Attributes that the server would have to understand, and does not. */
  readonly unknownAttributes: readonly number[];
}

/**
 * Returns null for everything else: another class or method, a request of RFC 3489 (without the cookie), a length that differs from the datagram's,
 * attributes that do not end with it, and a FINGERPRINT that is wrong or not the last attribute.
 */
export const decodeBindingRequest = (message: Uint8Array): BindingRequest | null => readBytes(message, readRequest);

function readRequest(reader: ByteReader): BindingRequest | null {
  const type = reader.number(2);
  const length = reader.number(2);
  const cookie = reader.number(4);
  if (type !== types.request || cookie !== magicCookie || length !== reader.bytes.length - headerBytes) return null;
  reader.take(headerBytes - reader.position);
  const transaction = reader.bytes.subarray(4, headerBytes);
  const unknown = new Set<number>();
  let isComplete = false;
  while (!reader.isAtEnd) {
    const start = reader.position;
    const attribute = reader.number(2);
    const value = reader.vector(2);
    reader.take(-value.length & 3);
    if (attribute === attributes.fingerprint) {
      const isLast = reader.isAtEnd && value.length === 4;
      if (!isLast || readNumber(value) !== fingerprintOf(reader.bytes.subarray(0, start))) return null;
      return { transaction, hasFingerprint: true, unknownAttributes: [...unknown] };
    }
    if (integrityAttributes.includes(attribute)) isComplete = true;
    else if (attribute < firstOptional && !isComplete && !knownAttributes.has(attribute)) unknown.add(attribute);
  }
  return { transaction, hasFingerprint: false, unknownAttributes: [...unknown] };
}

const readNumber = (bytes: Uint8Array): number => new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);

/** A success with the client's address, 4 or 16 bytes, and port. */
export const encodeSuccess = (request: BindingRequest, address: Uint8Array, port: number): Uint8Array =>
  encode(types.success, request, (writer) => {
    writer.number(attributes.xorMappedAddress, 2);
    writer.vector(2, () => {
      writer.number(address.length === 4 ? 1 : 2, 2);
      writer.number(port ^ (magicCookie >>> 16), 2);
      writer.octets(address.map((byte, at) => byte ^ (request.transaction[at] ?? 0)));
    });
  });

/** A request with this transaction id, 12 bytes. */
export function encodeBindingRequest(id: Uint8Array): Uint8Array {
  const writer = new ByteWriter(headerBytes);
  writer.number(types.request, 2);
  writer.number(0, 2);
  writer.number(magicCookie, 4);
  writer.octets(id);
  return writer.written;
}

interface BindingSuccess {
  /** 12 bytes. */
  readonly id: Uint8Array;
  /** The client's address, 4 or 16 bytes, and port, as the server saw them. */
  readonly address: Uint8Array;
  readonly port: number;
}

/** Returns null for all else, and without an address. */
export const decodeSuccess = (message: Uint8Array): BindingSuccess | null => readBytes(message, readSuccess);

function readSuccess(reader: ByteReader): BindingSuccess | null {
  const type = reader.number(2);
  const length = reader.number(2);
  const cookie = reader.number(4);
  if (type !== types.success || cookie !== magicCookie || length !== reader.bytes.length - headerBytes) return null;
  const id = reader.take(headerBytes - reader.position);
  const transaction = reader.bytes.subarray(4, headerBytes);
  while (!reader.isAtEnd) {
    const attribute = reader.number(2);
    const value = new ByteReader(reader.vector(2));
    reader.take(-value.bytes.length & 3);
    if (attribute !== attributes.xorMappedAddress) continue;
    const addressBytes = { 1: 4, 2: 16 }[value.number(2)];
    const port = value.number(2) ^ (magicCookie >>> 16);
    const address = value.rest().map((byte, at) => byte ^ (transaction[at] ?? 0));
    return address.length === addressBytes ? { id, address, port } : null;
  }
  return null;
}

/** The error 420 (Unknown Attribute), with the first `maxUnknownAttributes`, and without a reason phrase. */
export const encodeUnknownAttributes = (request: BindingRequest): Uint8Array =>
  encode(types.error, request, (writer) => {
    writer.number(attributes.errorCode, 2);
    writer.vector(2, () => writer.number(0x0414, 4));
    writer.number(attributes.unknownAttributes, 2);
    const listed = request.unknownAttributes.slice(0, maxUnknownAttributes);
    writer.vector(2, () => {
      for (const attribute of listed) writer.number(attribute, 2);
    });
    if (listed.length % 2 === 1) writer.number(0, 2);
  });

/** A message of this type, with a FINGERPRINT only if the request has one. */
function encode(type: number, request: BindingRequest, write: (writer: ByteWriter) => void): Uint8Array {
  const content = new ByteWriter(64);
  write(content);
  const writer = new ByteWriter(128);
  writer.number(type, 2);
  writer.number(content.length + (request.hasFingerprint ? 8 : 0), 2);
  writer.octets(request.transaction);
  writer.octets(content.written);
  if (request.hasFingerprint) {
    const fingerprint = fingerprintOf(writer.written);
    writer.number(attributes.fingerprint, 2);
    writer.vector(2, () => writer.number(fingerprint, 4));
  }
  return writer.written;
}

/** CRC of the message up to the attribute; the message's length already includes it. */
const fingerprintOf = (message: Uint8Array): number => (crc32(message) ^ fingerprintMask) >>> 0;

/** The remainders of all bytes; the polynomial of ITU-T V.42 §8.1.1.6.2, reflected. */
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb8_8320 : 0);
  return remainder;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (remainders[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}
