/** STUN messages: the vectors of RFC 5769, every kind of message without an answer, and the sizes of answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { formatOctets } from '../../src/core/address.ts';
import {
  decodeBindingRequest,
  decodeSuccess,
  encodeBindingRequest,
  encodeSuccess,
  encodeUnknownAttributes,
} from '../../src/wire/stun.ts';
import { type MessageParts, readStun, stunMessage } from './stun-messages.ts';
import '../random.ts';

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex');
const id = bytesOf('b7e7a701bc34d686fa87dfae');

/** RFC 5769 §2.1: with SOFTWARE, PRIORITY, ICE-CONTROLLED, USERNAME, MESSAGE-INTEGRITY and FINGERPRINT. */
const sample = bytesOf(`
  00010058 2112a442 b7e7a701bc34d686fa87dfae 80220010 5354554e207465737420636c69656e74 00240004 6e0001ff
  80290008 932ff9b151263b36 00060009 6576746a3a68367659202020 00080014 9aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a2
  80280004 e57a3bcf`);

test('reads the request of RFC 5769, and not its FINGERPRINT with one other bit', () => {
  const request = decodeBindingRequest(sample);
  // PRIORITY is of ICE, and must be understood.
  assert.deepEqual(request?.unknownAttributes, [0x24]);
  assert.equal(request?.hasFingerprint, true);
  assert.deepEqual(Buffer.from(request.transaction.subarray(4)), id);
  for (let bit = 0; bit < sample.length * 8; bit += 1) {
    const changed = Buffer.from(sample);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    // Where the bit hides the FINGERPRINT, nothing is left to compare with.
    assert.notEqual(decodeBindingRequest(changed)?.hasFingerprint, true, `bit ${bit}`);
  }
});

const requestOf = (parts: MessageParts) => {
  const request = decodeBindingRequest(stunMessage({ id, ...parts }));
  assert.ok(request !== null);
  return request;
};

test('writes the addresses of RFC 5769', () => {
  const v4 = encodeSuccess(requestOf({}), new Uint8Array([192, 0, 2, 1]), 32_853);
  assert.deepEqual(readStun(v4), { type: 0x0101, id: id.toString('hex'), attributes: { '0020': '0001a147e112a643' } });
  assert.equal(v4.length, 32);
  const v6 = encodeSuccess(requestOf({}), bytesOf('20010db8 12345678 00112233 44556677'), 32_853);
  assert.deepEqual(readStun(v6).attributes, { '0020': '0002a1470113a9faa5d3f179bc25f4b5bed2b9d9' });
  assert.equal(v6.length, 44);
});

test('has a FINGERPRINT exactly if the request has one', () => {
  const request = requestOf({ hasFingerprint: true });
  const success = Buffer.from(encodeSuccess(request, new Uint8Array(4), 1));
  assert.equal(success.readUInt32BE(success.length - 4), (crc32(success.subarray(0, -8)) ^ 0x5354_554e) >>> 0);
  assert.equal(success.readUInt16BE(2), success.length - 20);
  assert.deepEqual(Object.keys(readStun(success).attributes).toSorted(), ['0020', '8028']);
  const error = encodeUnknownAttributes(requestOf({ hasFingerprint: true, attributes: [[0x7f01, Buffer.alloc(3)]] }));
  assert.deepEqual(Object.keys(readStun(error).attributes).toSorted(), ['0009', '000a', '8028']);
});

test('names unknown attributes that must be understood, and ignores all others', () => {
  const empty = Buffer.alloc(0);
  const unknownIn = (...types: readonly number[]) =>
    requestOf({ attributes: types.map((type) => [type, empty] as const) }).unknownAttributes;
  // CHANGE-REQUEST and RESPONSE-PORT of RFC 5780, repeated, with optional ones between them.
  assert.deepEqual(unknownIn(0x0003, 0x8022, 0x0027, 0x0003, 0xc001), [0x0003, 0x0027]);
  // All of RFC 8489.
  assert.deepEqual(unknownIn(1, 6, 8, 9, 0xa, 0x14, 0x15, 0x1c, 0x1d, 0x1e, 0x20, 0x8022, 0x8023), []);
  // What follows MESSAGE-INTEGRITY is ignored.
  assert.deepEqual(unknownIn(0x0008, 0x0003), []);
  const error = encodeUnknownAttributes(
    requestOf({
      attributes: [
        [0x0003, empty],
        [0x0027, empty],
        [0x7fff, empty],
      ],
    }),
  );
  assert.deepEqual(readStun(error), {
    type: 0x0111,
    id: id.toString('hex'),
    attributes: { '0009': '00000414', '000a': '000300277fff' },
  });
});

const silent: Readonly<Record<string, Uint8Array>> = {
  'no bytes': new Uint8Array(),
  'half a header': stunMessage().subarray(0, 19),
  'a classic request (RFC 3489)': stunMessage({ cookie: 0x1234_5678 }),
  'an indication': stunMessage({ type: 0x0011 }),
  'a success': stunMessage({ type: 0x0101 }),
  'an error': stunMessage({ type: 0x0111 }),
  'an Allocate request': stunMessage({ type: 0x0003 }),
  'the first bits of another protocol': stunMessage({ type: 0x8001 }),
  'a longer length': stunMessage({ extraLength: 4 }),
  'a shorter length': stunMessage({ attributes: [[0x8022, Buffer.alloc(4)]], extraLength: -8 }),
  'an attribute that is cut': Buffer.concat([stunMessage({ extraLength: 8 }), bytesOf('802200080000 0000')]),
  'an attribute without padding': Buffer.concat([stunMessage({ extraLength: 5 }), bytesOf('8022000100')]),
  'a FINGERPRINT before another attribute': stunMessage({
    attributes: [
      [0x8028, Buffer.alloc(4)],
      [0x8022, Buffer.alloc(4)],
    ],
  }),
  'a FINGERPRINT of another length': stunMessage({ attributes: [[0x8028, Buffer.alloc(8)]] }),
};
for (const [name, message] of Object.entries(silent))
  test(`${name} is not a request`, () => assert.equal(decodeBindingRequest(message), null));

test('an answer has at most 100 bytes, and 2.3 times those of its request', () => {
  const attributes = fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: 0xffff }).filter((type) => type !== 0x8028),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(attributes, fc.boolean(), fc.constantFrom(4, 16), (attributes, hasFingerprint, addressBytes) => {
      const message = stunMessage({ attributes, hasFingerprint });
      const request = decodeBindingRequest(message);
      assert.ok(request !== null);
      const hasUnknown = request.unknownAttributes.length > 0;
      const answer = hasUnknown
        ? encodeUnknownAttributes(request)
        : encodeSuccess(request, new Uint8Array(addressBytes), 1);
      assert.ok(answer.length <= Math.min(100, 2.3 * message.length), `${answer.length} of ${message.length}`);
      assert.equal(answer.length % 4, 0);
      readStun(answer);
    }),
  );
});

test('any bytes are a request or not, without an error', () => {
  const bytes = fc.uint8Array({ maxLength: 120 });
  const withHeader = bytes.map((content) => Buffer.concat([stunMessage({ extraLength: content.length }), content]));
  fc.assert(
    fc.property(fc.oneof(bytes, withHeader), (message) => {
      decodeBindingRequest(message);
    }),
    { numRuns: 2_000 },
  );
});

/** RFC 5769 §2.2 and §2.3: with SOFTWARE, MESSAGE-INTEGRITY and FINGERPRINT. */
const responses = {
  '192.0.2.1': `
    0101003c 2112a442 b7e7a701bc34d686fa87dfae 8022000b 7465737420766563746f7220 00200008 0001a147e112a643
    00080014 2b91f599fd9e90c38c7489f92af9ba53f06be7d7 80280004 c07d4c96`,
  '2001:db8:1234:5678:11:2233:4455:6677': `
    01010048 2112a442 b7e7a701bc34d686fa87dfae 8022000b 7465737420766563746f7220
    00200014 0002a1470113a9faa5d3f179bc25f4b5bed2b9d9 00080014 a382954e4be67bf11784c97c8292c275bfe3ed41
    80280004 c8fb0b4c`,
};

test('a client reads the responses of RFC 5769, and its own server, and nothing else', () => {
  for (const [address, response] of Object.entries(responses)) {
    const success = decodeSuccess(bytesOf(response)) ?? assert.fail();
    assert.deepEqual([formatOctets(success.address), success.port], [address, 32_853]);
    assert.deepEqual(Buffer.from(success.id), id);
  }
  const request = decodeBindingRequest(encodeBindingRequest(id)) ?? assert.fail();
  const success = encodeSuccess(request, new Uint8Array([192, 0, 2, 1]), 7);
  assert.deepEqual(decodeSuccess(success), {
    id: new Uint8Array(id),
    address: new Uint8Array([192, 0, 2, 1]),
    port: 7,
  });
  for (let length = 0; length < success.length; length += 1)
    assert.equal(decodeSuccess(success.subarray(0, length)), null);
  for (const message of [
    encodeBindingRequest(id),
    stunMessage({ type: 0x0101 }),
    stunMessage({ type: 0x0101, attributes: [[0x0020, bytesOf('0003a147e112a643')]] }),
    stunMessage({ type: 0x0101, attributes: [[0x0020, bytesOf('0002a147e112a643')]] }),
    stunMessage({ type: 0x0101, attributes: [[0x0020, bytesOf('0001')]] }),
    stunMessage({ type: 0x0101, cookie: 1, attributes: [[0x0020, bytesOf('0001a147e112a643')]] }),
  ])
    assert.equal(decodeSuccess(message), null);
});

test('a FINGERPRINT has four bytes and is the last attribute', () => {
  const whole = stunMessage({ id, hasFingerprint: true });
  assert.ok(decodeBindingRequest(whole)?.hasFingerprint);
  const withMore = Buffer.concat([whole, bytesOf('80220000')]);
  withMore.writeUInt16BE(withMore.length - 20, 2);
  // Its value is right for what stands before it, also with the larger length.
  withMore.writeUInt32BE((crc32(withMore.subarray(0, -12)) ^ 0x5354_554e) >>> 0, whole.length - 4);
  assert.equal(decodeBindingRequest(withMore), null);
  const long = Buffer.concat([whole.subarray(0, 20), bytesOf('80280008 00000000 00000000')]);
  long.writeUInt16BE(12, 2);
  long.writeUInt32BE((crc32(long.subarray(0, 20)) ^ 0x5354_554e) >>> 0, 28);
  assert.equal(decodeBindingRequest(long), null);
});

test('what follows MESSAGE-INTEGRITY is ignored, but for a FINGERPRINT', () => {
  const integrity = [0x0008, Buffer.alloc(20)] as const;
  const unknown = [0x7f01, Buffer.alloc(0)] as const;
  assert.deepEqual(requestOf({ attributes: [integrity, unknown] }).unknownAttributes, []);
  assert.deepEqual(requestOf({ attributes: [unknown, integrity] }).unknownAttributes, [0x7f01]);
});
