/** The fingerprint of an HTTP/3 client: the text of other services, and what it leaves to chance. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { http3Fingerprint, parseHttp3Frames, stableHttp3Text } from '../../../src/client/fingerprint/http3.ts';
import { check, mutationOf } from '../../random.ts';

const pseudoHeaders = [':method', ':authority', ':scheme', ':path'];

/** The control stream of Chromium, whose text tls-client's test has: reserved setting and frame, and PRIORITY_UPDATE. */
const settings = ['0180010000', '0680040000', '074064', '3301', 'c000000000000610c000000000004321'].join('');
const length = (settings.length / 2).toString(16).padStart(2, '0');
const chromium = Buffer.from(`04${length}${settings}404003616263800f070003007533`, 'hex');

test('computes the text that another service published', () => {
  const opening = parseHttp3Frames(chromium) ?? assert.fail();
  const { text, hash } = http3Fingerprint(opening, pseudoHeaders);
  assert.equal(text, '1:65536;6:262144;7:100;51:1;GREASE|GREASE|984832|m,a,s,p');
  assert.equal(hash, createHash('md5').update(text).digest('hex'));
  assert.equal(stableHttp3Text(opening, pseudoHeaders), '1:65536;6:262144;7:100;51:1|m,a,s,p');
});

test('has only settings and pseudo-headers if no other frame follows, and ids without a name', () => {
  const opening = parseHttp3Frames(Buffer.from('04050680040000', 'hex')) ?? assert.fail();
  assert.equal(http3Fingerprint(opening, [':method', ':path']).text, '6:262144|m,p');
  assert.deepEqual(opening.settings, [{ id: 6, name: 'MAX_FIELD_SECTION_SIZE', value: 262_144 }]);
});

test('is null without SETTINGS at the beginning, and ends at a frame that is cut', () => {
  for (const hex of ['', '00', '07010004050680040000', '0405068004'])
    assert.equal(parseHttp3Frames(Buffer.from(hex, 'hex')), null, hex);
  assert.deepEqual(parseHttp3Frames(Buffer.from('0400404003', 'hex'))?.frames, []);
});

test('parses every mutation without an error', () => {
  check(5_000, mutationOf([chromium]), (bytes) => void parseHttp3Frames(bytes));
});
