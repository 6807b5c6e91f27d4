/** The check of OpenSSL before its functions are used. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadOpenSsl } from '../../../src/native/quic/openssl.ts';

/** Loads with another value of a member of `process`. */
async function loadWith(member: 'platform' | 'versions', value: unknown) {
  const original = Object.getOwnPropertyDescriptor(process, member) as PropertyDescriptor;
  Object.defineProperty(process, member, { ...original, value });
  try {
    return await loadOpenSsl();
  } finally {
    Object.defineProperty(process, member, original);
  }
}

test('says why there is no QUIC', async () => {
  assert.equal(await loadWith('platform', 'win32'), 'only Linux is supported');
  assert.equal(await loadWith('platform', 'darwin'), 'only Linux is supported');
  for (const openssl of ['3.5.7', '3.4.10', '3.0.17+quic', '1.1.1w'])
    assert.equal(
      await loadWith('versions', { ...process.versions, openssl }),
      `OpenSSL ${openssl} is older than 3.5.8`,
    );
});

test('loads every function from this version on', { skip: process.platform !== 'linux' && 'needs Linux' }, async () => {
  for (const openssl of [process.versions.openssl, '3.5.8', '3.5.10', '3.6.0', '4.0.0'])
    assert.equal(await loadWith('versions', { ...process.versions, openssl }), null, openssl);
});
