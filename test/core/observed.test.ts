/** A derived request has the changed members and reads all others from the original. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveRequest, isSha1 } from '../../src/core/observed.ts';
import { seenAll } from '../observed.ts';

test('replaces the changed members, also with null, and keeps the others', () => {
  const derived = deriveRequest(seenAll, { ip: null, simulated: true });
  assert.deepEqual({ ...derived }, { ...seenAll, ip: null, simulated: true });
});

test('runs a getter only when its member is used', () => {
  const reads: string[] = [];
  const observed = {
    ...seenAll,
    get tls() {
      reads.push('tls');
      return seenAll.tls;
    },
    get location() {
      reads.push('original location');
      return seenAll.location;
    },
  };
  const derived = deriveRequest(observed, {
    get location() {
      reads.push('changed location');
      return seenAll.location;
    },
  });
  assert.deepEqual([derived.path, reads], [seenAll.path, []]);
  assert.equal(derived.tls, seenAll.tls);
  assert.equal(derived.location, seenAll.location);
  assert.deepEqual(reads, ['tls', 'changed location']);
});

test('accepts Base64 of 20 bytes as a SHA-1, and nothing else', () => {
  assert.equal(isSha1('GXSPDLP4G3X+prK73a4wBuOaHRc='), true);
  for (const text of [
    '',
    'GXSPDLP4G3X_prK73a4wBuOaHRc=',
    'GXSPDLP4G3X+prK73a4wBuOaHRc',
    'GXSPDLP4G3X+prK73a4wBuOaHRcA',
  ])
    assert.equal(isSha1(text), false, text);
});
