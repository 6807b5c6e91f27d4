/** Keys and packets of the handshake's beginning, by the vectors of RFC 9001. */
import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { test } from 'node:test';
import { cryptoFramesIn, deriveInitialKeys, encryptClose, readPacket } from '../../../src/native/quic/packets.ts';

const destinationId = Buffer.from('8394c8f03e515708', 'hex');

/** Of RFC 9001 appendix A.2: the CRYPTO frame, which PADDING follows up to 1,162 bytes, and the header before its protection. */
const cryptoFrame = Buffer.from(
  `060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c00000413011302010000c000000010000e00000b6578
616d706c652e636f6dff01000100000a00080006001d0017001800100007000504616c706e000500050100000000003300260024001d00209370b2c9caa47fba
baf4559fedba753de171fa71f50f1ce15d43e994ec74d748002b0003020304000d0010000e0403050306030203080408050806002d00020101001c00024001
003900320408ffffffffffffffff05048000ffff07048000ffff0801100104800075300901100f088394c8f03e51570806048000ffff`.replaceAll(
    '\n',
    '',
  ),
  'hex',
);
const header = Buffer.from('c300000001088394c8f03e5157080000449e00000002', 'hex');
const protectedStart = 'c000000001088394c8f03e5157080000449e7b9aec34d1b1c98dd7689fb8ec11d242b123dc9b';
const protectedEnd = 'e221af44860018ab0856972e194cd934';

/** Protects a packet as RFC 9001 §5.3 and §5.4 describe; packet number 2, in four bytes. */
function protect(): Buffer {
  const { key, iv, headerKey } = deriveInitialKeys(destinationId);
  const nonce = Buffer.from(iv);
  nonce[11] = (nonce[11] as number) ^ 2;
  const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(header);
  const payload = Buffer.concat([cryptoFrame, Buffer.alloc(1162 - cryptoFrame.length)]);
  const sealed = Buffer.concat([cipher.update(payload), cipher.final(), cipher.getAuthTag()]);
  const mask = createCipheriv('aes-128-ecb', headerKey, null).update(sealed.subarray(0, 16));
  const masked = Buffer.from(header);
  masked[0] = (masked[0] as number) ^ ((mask[0] as number) & 0x0f);
  for (let at = 0; at < 4; at += 1) masked[18 + at] = (masked[18 + at] as number) ^ (mask[1 + at] as number);
  return Buffer.concat([masked, sealed]);
}

test('derives the keys of RFC 9001 appendix A.1', () => {
  const { key, iv, headerKey } = deriveInitialKeys(destinationId);
  assert.equal(key.toString('hex'), '1f369613dd76d5467730efcbe3b1a22d');
  assert.equal(iv.toString('hex'), 'fa044b2f42a3fd3b46fb255c');
  assert.equal(headerKey.toString('hex'), '9f50449e04a0e810283a1e9933adedd2');
});

test('decrypts the packet of RFC 9001 appendix A.2', () => {
  const packet = protect();
  // So that the packet is the one in the appendix.
  assert.ok(packet.toString('hex').startsWith(protectedStart));
  assert.ok(packet.toString('hex').endsWith(protectedEnd));
  const frame = { offset: 0, bytes: cryptoFrame.subarray(4) };
  const keys = deriveInitialKeys(destinationId);
  assert.deepEqual([...cryptoFramesIn(packet, keys)], [frame]);
  assert.deepEqual([...cryptoFramesIn(Buffer.concat([packet, packet, Buffer.from([0x40])]), keys)], [frame, frame]);
});

test('encrypts a packet that closes the connection, with the keys of the server in RFC 9001 appendix A.1', () => {
  const { key, iv, headerKey } = deriveInitialKeys(destinationId, 'server');
  assert.equal(key.toString('hex'), 'cf3a5331653c364c88f0f379b6067e37');
  assert.equal(iv.toString('hex'), '0ac1493ca1905853b0bba03e');
  assert.equal(headerKey.toString('hex'), 'c206b8d9b9f0f37644430b490eeaa314');
  const first = readPacket(Buffer.concat([protect(), Buffer.alloc(8)]));
  assert.ok(first !== null);
  const packet = encryptClose({ first, serverId: 'serverid', code: 0x178 });
  // Version 1, no id for the client, which has chosen none, the server's id, no token, length 25.
  assert.equal(packet.toString('latin1', 1, 18), '\0\0\0\x01\0\x08serverid\0@\x19');
  const mask = createCipheriv('aes-128-ecb', headerKey, null).update(packet.subarray(22, 38));
  assert.equal(((packet[0] as number) ^ ((mask[0] as number) & 0x0f)) & 0xff, 0xc3);
  const number = packet.subarray(18, 22).map((byte, at) => byte ^ (mask[1 + at] as number));
  const nonce = Buffer.from(iv.map((byte, at) => byte ^ (number[at - 8] ?? 0)));
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher
    .setAAD(Buffer.concat([Buffer.from([0xc3]), packet.subarray(1, 18), number]))
    .setAuthTag(packet.subarray(-16));
  const frame = Buffer.concat([decipher.update(packet.subarray(22, -16)), decipher.final()]);
  // CONNECTION_CLOSE, code 0x178, because of a CRYPTO frame, no reason.
  assert.equal(frame.toString('hex'), '1c41780600');
});

test('returns nothing for a packet that is changed, cut, or protected with other keys', () => {
  const packet = protect();
  const keys = deriveInitialKeys(destinationId);
  for (let at = 0; at < packet.length; at += 7) {
    const changed = Buffer.from(packet);
    changed[at] = (changed[at] as number) ^ 0x10;
    assert.deepEqual([...cryptoFramesIn(changed, keys)], [], `byte ${at}`);
    assert.deepEqual([...cryptoFramesIn(packet.subarray(0, at), keys)], [], `${at} bytes`);
  }
  assert.deepEqual([...cryptoFramesIn(packet, deriveInitialKeys(Buffer.alloc(8)))], []);
});
