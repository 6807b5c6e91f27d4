/** STUN messages for tests, from their parts, without the code under test. */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export interface MessageParts {
  /** Default: a Binding request. */
  readonly type?: number;
  readonly cookie?: number;
  /** 12 bytes; default: random. */
  readonly id?: Buffer;
  readonly attributes?: readonly (readonly [type: number, value: Buffer])[];
  readonly hasFingerprint?: boolean;
  /** Added to the length in the header. */
  readonly extraLength?: number;
}

const attribute = (type: number, value: Buffer): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value, Buffer.alloc(-value.length & 3)]);
};

export function stunMessage({
  type = 1,
  cookie = 0x2112_a442,
  id = randomBytes(12),
  attributes = [],
  hasFingerprint = false,
  extraLength = 0,
}: MessageParts = {}): Buffer {
  const content = Buffer.concat(attributes.map(([each, value]) => attribute(each, value)));
  const head = Buffer.alloc(8);
  head.writeUInt16BE(type);
  head.writeUInt16BE(content.length + (hasFingerprint ? 8 : 0) + extraLength, 2);
  head.writeUInt32BE(cookie, 4);
  const message = Buffer.concat([head, id, content]);
  if (!hasFingerprint) return message;
  const fingerprint = Buffer.alloc(4);
  fingerprint.writeUInt32BE((crc32(message) ^ 0x5354_554e) >>> 0);
  return Buffer.concat([message, attribute(0x8028, fingerprint)]);
}

/** Type of a response, and its attributes by type, in hexadecimal. */
export function readStun(message: Uint8Array) {
  const bytes = Buffer.from(message);
  const attributes: Record<string, string> = {};
  for (let at = 20; at < bytes.length; ) {
    const length = bytes.readUInt16BE(at + 2);
    attributes[bytes.toString('hex', at, at + 2)] = bytes.toString('hex', at + 4, at + 4 + length);
    at += 4 + length + (-length & 3);
  }
  return { type: bytes.readUInt16BE(0), id: bytes.toString('hex', 8, 20), attributes };
}

/** Address and port of a success to a client over IPv4. */
export function mappedAddressOf(message: Uint8Array): string {
  const value = Buffer.from(readStun(message).attributes['0020'] ?? '', 'hex');
  const octets = [0x21, 0x12, 0xa4, 0x42].map((byte, at) => byte ^ (value[4 + at] ?? 0));
  return `${octets.join('.')}:${value.readUInt16BE(2) ^ 0x2112}`;
}
