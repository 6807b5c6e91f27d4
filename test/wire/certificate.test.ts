/** The number of timestamps in certificates is compared with OpenSSL's in `test/edges/node/outbound/handshakes-laboratory.heavy.test.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countScts } from '../../src/wire/certificate.ts';
import { check, mutationOf } from '../random.ts';

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

/** An element of DER, with a length of three bytes: longer than necessary, which decoders accept. */
const element = (tag: string, ...contents: readonly string[]): string => {
  const content = contents.join('');
  return `${tag}82${(content.length / 2).toString(16).padStart(4, '0')}${content}`;
};

const vector = (content: string): string => `${(content.length / 2).toString(16).padStart(4, '0')}${content}`;
const sctExtension = (list: string, isCritical = false): string =>
  element('30', '060a2b06010401d679020402', isCritical ? '0101ff' : '', element('04', element('04', list)));
const otherExtension = element('30', element('06', '551d11'), element('04', element('30', '')));
const certificate = (...extensions: readonly string[]): Uint8Array =>
  bytesOf(
    element(
      '30',
      element('30', 'a003020102', '020101', element('30', ''), element('a3', element('30', ...extensions))),
      element('30', ''),
    ),
  );

const list = (...scts: readonly string[]): string => vector(scts.map(vector).join(''));

test('counts the embedded timestamps', () => {
  assert.equal(countScts(certificate(otherExtension, sctExtension(list('00', '0001')))), 2);
  assert.equal(countScts(certificate(sctExtension(list('00'), true), otherExtension)), 1);
  assert.equal(countScts(certificate(sctExtension(list()))), 0);
  assert.equal(countScts(certificate(otherExtension)), 0);
  assert.equal(countScts(bytesOf(element('30', element('30', '020101'), element('30', '')))), 0);
});

test('a malformed certificate has no number', () => {
  const whole = certificate(sctExtension(list('00')));
  for (let length = 0; length < whole.length; length += 1)
    assert.equal(countScts(whole.subarray(0, length)), null, `${length}`);
  // A list that is longer than its extension, and a length of five bytes.
  assert.equal(countScts(certificate(sctExtension('0009000100'))), null);
  assert.equal(countScts(bytesOf('308500000000010000')), null);
});

test('reads random bytes without an exception', () => {
  check(20_000, mutationOf([certificate(otherExtension, sctExtension(list('00', '0001')))]), (bytes) => {
    const count = countScts(bytes);
    assert.ok(count === null || count >= 0);
  });
});
