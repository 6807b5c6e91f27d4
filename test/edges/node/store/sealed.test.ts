/** Texts that only instances with the same secret can read or write. */
import assert from 'node:assert/strict';
import { createDecipheriv, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { createSealer } from '../../../../src/edges/node/store/sealed.ts';

const secret = 'a secret that is long enough to be one';

test('a sealed text is readable with the same secret and purpose only, and different each time', () => {
  const { seal, open } = createSealer(secret, 'one');
  for (const text of ['', 'text', 'ä\u{1f600}\0', 'x'.repeat(100_000)]) {
    const sealed = seal(text);
    assert.equal(createSealer(secret, 'one').open(sealed), text);
    assert.notEqual(seal(text), sealed);
    assert.equal(createSealer(secret, 'other').open(sealed), null);
    assert.equal(createSealer('another secret that is long enough', 'one').open(sealed), null);
  }
  for (const sealed of ['', 'text', 'AAAA', Buffer.alloc(28).toString('base64'), Buffer.alloc(1000).toString('base64')])
    assert.equal(open(sealed), null);
});

test('every bit is authenticated', () => {
  const { seal, open } = createSealer(secret, 'one');
  const bytes = Buffer.from(seal('text'), 'base64');
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(open(changed.toString('base64')), null);
  }
});

test('the form is AES-256-GCM under a key of HKDF (RFC 5869)', () => {
  const hmac = (key: string | Uint8Array, text: string | Uint8Array): Buffer =>
    createHmac('sha256', key).update(text).digest();
  // Without a salt, the extraction has a key of zeros, and one block is the whole key.
  const key = hmac(hmac(new Uint8Array(32), secret), 'one\u0001');
  const bytes = Buffer.from(createSealer(secret, 'one').seal('text'), 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  assert.equal(Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString(), 'text');
});
