/** The generated certificate is valid for localhost, in strict encoding. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createLocalhostCertificate } from '../../src/runtime/localhost-certificate.ts';

const [made, other] = [createLocalhostCertificate(), createLocalhostCertificate()];

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
    assert.ok(certificate.checkPrivateKey(createPrivateKey(made.key)));
    assert.notEqual(made.key, other.key);
    assert.notEqual(certificate.serialNumber, new X509Certificate(other.cert).serialNumber);
  });

  test('passes the strict checks of OpenSSL, whatever the length of its signature', (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'seenby-localhost-certificate-'));
    context.after(() => rmSync(folder, { recursive: true }));
    for (let round = 0; round < 16; round += 1) {
      const file = join(folder, `${round}.pem`);
      writeFileSync(file, createLocalhostCertificate().cert);
      const checks = ['-x509_strict', '-verify_hostname', 'localhost', '-purpose', 'sslserver'];
      execFileSync('openssl', ['verify', ...checks, '-CAfile', file, file], { stdio: 'pipe' });
    }
  });
});
