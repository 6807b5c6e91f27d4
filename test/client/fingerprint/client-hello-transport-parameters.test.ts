/** QUIC transport parameters out of a ClientHello, as the example of RFC 9001 and real clients send them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClientHello, transportParametersOf } from '../../../src/client/fingerprint/client-hello.ts';
import { check, mutationOf } from '../../random.ts';

const helloWith = (content: Uint8Array | null): ClientHello => ({
  legacyVersion: 0x0303,
  cipherSuites: [],
  compressionMethods: [0],
  extensions: content === null ? null : [{ id: 57, content }],
});

/** The extension in the ClientHello of RFC 9001 appendix A.2. */
const example = Buffer.from(
  '0408ffffffffffffffff05048000ffff07048000ffff0801100104800075300901100f088394c8f03e51570806048000ffff',
  'hex',
);

test("parses the parameters of RFC 9001's ClientHello in their order", () => {
  const parameters = transportParametersOf(helloWith(example)) ?? assert.fail();
  assert.deepEqual(
    parameters.map(({ id, value, length }) => [id, value, length]),
    [
      [4, Number.MAX_SAFE_INTEGER, 8],
      [5, 65_535, 4],
      [7, 65_535, 4],
      [8, 16, 1],
      [1, 30_000, 4],
      [9, 16, 1],
      [15, null, 8],
      [6, 65_535, 4],
    ],
  );
});

test('marks reserved parameters, and knows values that are not an integer', () => {
  const bytes = Buffer.from('1b01003a02abcd0c00', 'hex');
  assert.deepEqual(transportParametersOf(helloWith(bytes)), [
    { id: 27, name: 'GREASE', value: 0, length: 1 },
    { id: 58, name: 'GREASE', value: null, length: 2 },
    { id: 12, name: 'disable_active_migration', value: null, length: 0 },
  ]);
});

test('is null without the extension, or if it is cut short', () => {
  assert.equal(transportParametersOf(helloWith(null)), null);
  assert.equal(transportParametersOf(helloWith(example.subarray(0, -1))), null);
});

test('parses or rejects every mutation', () => {
  check(5_000, mutationOf([example]), (bytes) => void transportParametersOf(helloWith(bytes)));
});
