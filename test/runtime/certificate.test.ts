/** The generated certificate is valid for localhost; an invalid one of the operator causes an error that names it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { generate } from 'selfsigned';
import { keyExchangeGroups } from '../../src/core/limits.ts';
import { createLocalhostCertificate, readCertificate, secureContextOf } from '../../src/runtime/certificate.ts';
import { describeMissingDomains, describeWeaknesses, replacementProblem } from '../../src/runtime/certificate-chain.ts';
import { createAuthority } from '../internet/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-certificate-'));
after(() => rm(folder, { recursive: true }));

function fileOf(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const [made, other] = await Promise.all([createLocalhostCertificate(), createLocalhostCertificate()]);
const rsaKeys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const rsa = await generate([{ name: 'commonName', value: 'localhost' }], {
  keyPair: rsaKeys,
  algorithm: 'sha256',
}).then(({ cert }) => ({ cert, key: rsaKeys.privateKey }));
const authority = await createAuthority();
const signed = await authority.sign(['a.example', '192.0.2.1']);
const signedKeyFile = fileOf('signed-key.pem', signed.key);
const certFile = fileOf('cert.pem', made.cert);
const pipe = join(folder, 'pipe');
spawnSync('mkfifo', [pipe]);
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

  test('is a server certificate of less than 825 days, and no other has its key', () => {
    assert.equal(certificate.ca, false);
    assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1']); // id-kp-serverAuth
    const days = (certificate.validToDate.getTime() - certificate.validFromDate.getTime()) / 86_400_000;
    assert.ok(days > 800 && days < 825, String(days));
    assert.notEqual(made.key, other.key);
  });
});

test('reads a certificate and its key', async () => {
  assert.deepEqual(await readCertificate(certFile, keyFile), made);
});

test('reads a chain', async () => {
  const { cert } = await readCertificate(
    fileOf('chain.pem', `${signed.cert}\n${authority.certificate}`),
    signedKeyFile,
  );
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
    /^TLS_CERT: cannot read ".*"; name a file, not a folder, pipe or device$/,
  ],
  ['a device for a key', certFile, '/dev/zero', /^TLS_KEY: cannot read "\/dev\/zero"; name a file, not a folder, pipe/],
  ['a pipe for a certificate', pipe, keyFile, /^TLS_CERT: cannot read ".*pipe"; name a file, not a folder, pipe/],
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
  [
    'a chain in the wrong order',
    fileOf('order', `${authority.certificate}\n${signed.cert}`),
    signedKeyFile,
    /^TLS_CERT: ".*order" is in the wrong order; the certificate of TLS_KEY comes first, then its issuer$/,
  ],
  [
    'certificates of two servers',
    fileOf('two', `${made.cert}\n${other.cert}`),
    keyFile,
    /^TLS_CERT: ".*two" contains several server certificates; use one certificate with all names$/,
  ],
  [
    'a list of files',
    `${certFile},${certFile}`,
    keyFile,
    /^TLS_CERT: cannot read ".*" \(ENOENT\); name one file with one certificate for all names$/,
  ],
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

const noUrls = { publicUrl: null, publicUrlV4: null, publicUrlV6: null };
const weaknesses = (cert: string, urls = {}) => [...describeWeaknesses(cert, { ...noUrls, ...urls })];

test('warns if the issuer is missing, unless the certificate signs itself', () => {
  const [line = '', ...more] = weaknesses(signed.cert);
  assert.match(
    line,
    /^TLS_CERT does not contain .* issuer, "Simulated internet": clients that do not have it .* fullchain/,
  );
  assert.deepEqual(more, []);
  assert.deepEqual(weaknesses(`${signed.cert}\n${authority.certificate}`), []);
  assert.deepEqual(weaknesses(made.cert), []);
});

test('warns if the certificate does not cover the host of a public URL', () => {
  const chain = `${signed.cert}\n${authority.certificate}`;
  assert.deepEqual(weaknesses(chain, { publicUrl: 'https://A.example', publicUrlV4: 'https://192.0.2.1' }), []);
  assert.deepEqual(weaknesses(chain, { publicUrl: 'http://b.example' }), []);
  const urls = {
    publicUrl: 'https://b.example',
    publicUrlV4: 'https://a.example',
    publicUrlV6: 'https://[2001:db8::1]',
  };
  assert.deepEqual(
    weaknesses(chain, urls).map((line) => line.replace(/:(?= clients).*/, '')),
    [
      'TLS_CERT does not cover b.example, the host of PUBLIC_URL',
      'TLS_CERT does not cover 2001:db8::1, the host of PUBLIC_URL_V6',
    ],
  );
});

test('warns if ACME_DOMAIN does not contain the host of a public https URL', () => {
  const urls = {
    publicUrl: 'https://Seenby.example/x',
    publicUrlV4: 'https://v4.seenby.example',
    publicUrlV6: 'http://v6.seenby.example',
  };
  assert.deepEqual(
    [...describeMissingDomains({ ...urls, acmeDomain: ['www.seenby.example', 'seenby.example'] })],
    ['ACME_DOMAIN does not contain v4.seenby.example, the host of PUBLIC_URL_V4: clients reject the connection'],
  );
  const addresses = { publicUrl: 'https://[2606:4700:0::1]', publicUrlV4: 'https://1.1.1.1', publicUrlV6: null };
  assert.deepEqual([...describeMissingDomains({ ...addresses, acmeDomain: ['2606:4700::1', '1.1.1.1'] })], []);
});

test('an expired certificate replaces only an expired one', async () => {
  const expired = await authority.sign(['a.example'], 'expired');
  assert.match(replacementProblem(signed.cert, expired.cert, 'file') ?? '', /^TLS_CERT: "file" expired on \d{4}-/);
  assert.equal(replacementProblem(expired.cert, expired.cert, 'file'), null);
  assert.equal(replacementProblem(expired.cert, signed.cert, 'file'), null);
});

describe('the cipher suites of TLS 1.2', () => {
  const handshake = async (tlsOldSuites: boolean, ciphers: string): Promise<string> => {
    const { cert, key } = rsa;
    const server = createServer(
      secureContextOf({ cert, key }, { tlsGroups: keyExchangeGroups, tlsOldSuites }),
      (socket) => socket.end(),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, maxVersion: 'TLSv1.2', ciphers });
    const [result] = await Promise.race([
      once(client, 'secureConnect').then(() => [client.getCipher().name]),
      once(client, 'error').then(([{ code }]) => [String(code)]),
    ]).catch(({ code }: NodeJS.ErrnoException) => [String(code)]);
    client.destroy();
    server.close();
    return result ?? '';
  };

  // Before, an RSA certificate without forward secrecy was negotiated whenever the client listed it first.
  test('have forward secrecy and authenticated encryption, whatever the client prefers', async () => {
    const [modern, ...old] = ['ECDHE-RSA-AES256-GCM-SHA384', 'AES256-SHA', 'AES128-GCM-SHA256', 'ECDHE-RSA-AES128-SHA'];
    for (const suite of old) {
      assert.equal(await handshake(false, `${suite}:${modern}`), modern);
      assert.equal(await handshake(false, suite), 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE');
      assert.equal(await handshake(true, `${suite}:${modern}`), suite);
    }
    for (const suite of ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'])
      assert.equal(await handshake(false, `${suite}:${modern}`), suite, 'the client chooses');
  });
});
