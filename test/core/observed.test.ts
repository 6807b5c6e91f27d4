/** The form of values that an edge reports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSha1 } from '../../src/core/observed.ts';

test('accepts Base64 of 20 bytes as a SHA-1, and nothing else', () => {
  assert.equal(parseSha1('GXSPDLP4G3X+prK73a4wBuOaHRc='), 'GXSPDLP4G3X+prK73a4wBuOaHRc=');
  for (const text of [
    '',
    'GXSPDLP4G3X_prK73a4wBuOaHRc=',
    'GXSPDLP4G3X+prK73a4wBuOaHRc',
    'GXSPDLP4G3X+prK73a4wBuOaHRcA',
  ])
    assert.equal(parseSha1(text), null, text);
});
