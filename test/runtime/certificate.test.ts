/** The generated certificate is valid for localhost; an invalid one of the operator causes an error that names it. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createLocalhostCertificate, readCertificate } from '../../src/runtime/certificate.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-certificate-'));
after(() => rm(folder, { recursive: true }));

function fileOf(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const [made, other] = await Promise.all([createLocalhostCertificate(), createLocalhostCertificate()]);
const certFile = fileOf('cert.pem', made.cert);
const keyFile = fileOf('key.pem', made.key);

describe('the localhost certificate', () => {
  const certificate = new X509Certificate(made.cert);

  test('is valid for localhost and the loopback addresses, and no other name', () => {
    assert.equal(certificate.checkHost('localhost'), 'localhost');
    assert.equal(certificate.checkIP('127.0.0.1'), '127.0.0.1');
    assert.equal(certificate.checkIP('::1'), '::1');
    assert.equal(certificate.checkHost('seenby.example'), undefined);
    assert.equal(certificate.checkIP('127.0.0.2'), undefined);
  });

  test('is a server certificate of less than 100 days, and matches its key', () => {
    assert.equal(certificate.ca, false);
    assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1']); // id-kp-serverAuth
    const days = (certificate.validToDate.getTime() - certificate.validFromDate.getTime()) / 86_400_000;
    assert.ok(days > 30 && days < 100, String(days));
    assert.notEqual(made.key, other.key);
  });
});

test('reads a certificate and its key', async () => {
  assert.deepEqual(await readCertificate(certFile, keyFile), made);
});

test('reads a chain', async () => {
  const { cert } = await readCertificate(fileOf('chain.pem', `${made.cert}\n${other.cert}`), keyFile);
  assert.equal(cert.match(/BEGIN CERTIFICATE/g)?.length, 2);
});

const encrypted = generateKeyPairSync('ec', {
  namedCurve: 'prime256v1',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
}).privateKey;

const rows: readonly [name: string, certFile: string, keyFile: string, problem: RegExp][] = [
  [
    'a missing certificate',
    join(folder, 'none'),
    keyFile,
    /^TLS_CERT: cannot read ".*none" \(ENOENT\); check the path and its permissions$/,
  ],
  [
    'a missing key',
    certFile,
    join(folder, 'none'),
    /^TLS_KEY: cannot read ".*none" \(ENOENT\); check the path and its permissions$/,
  ],
  [
    'a folder for a certificate',
    folder,
    keyFile,
    /^TLS_CERT: cannot read ".*" \(EISDIR\); check the path and its permissions$/,
  ],
  ['an empty certificate', fileOf('empty', ''), keyFile, /^TLS_CERT: ".*empty" is not a PEM certificate$/],
  ['an empty key', certFile, fileOf('empty-key', ''), /^TLS_KEY: ".*empty-key" is not /],
  [
    'garbage for a certificate',
    fileOf('garbage', 'garbage'),
    keyFile,
    /^TLS_CERT: ".*garbage" is not a PEM certificate$/,
  ],
  [
    'garbage for a key',
    certFile,
    fileOf('garbage-key', 'garbage'),
    /^TLS_KEY: ".*garbage-key" is not an unencrypted PEM/,
  ],
  ['a certificate cut short', fileOf('cut', made.cert.slice(0, 300)), keyFile, /^TLS_CERT: ".*cut" is not a PEM cert/],
  [
    'a key cut short',
    certFile,
    fileOf('cut-key', made.key.slice(0, 100)),
    /^TLS_KEY: ".*cut-key" is not an unencrypted/,
  ],
  ['a key for a certificate', keyFile, keyFile, /^TLS_CERT: ".*key\.pem" is not a PEM certificate$/],
  ['a certificate for a key', certFile, certFile, /^TLS_KEY: ".*cert\.pem" is not an unencrypted PEM private key$/],
  ['an encrypted key', certFile, fileOf('encrypted', encrypted), /^TLS_KEY: ".*encrypted" is not an unencrypted PEM/],
  ['the key of another', certFile, fileOf('other', other.key), /^TLS_KEY: ".*other" is not the key of TLS_CERT \(CN=/],
];
for (const [name, cert, key, problem] of rows) {
  test(`rejects ${name}`, async () => {
    await assert.rejects(readCertificate(cert, key), ({ message }: Error) => {
      assert.match(message, problem);
      return true;
    });
  });
}
