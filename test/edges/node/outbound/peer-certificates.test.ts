/** What OpenSSL reads as a certificate has a result, or is reported as malformed; it never fails the lookup. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { generate } from 'selfsigned';
import type { Peer } from '../../../../src/core/tls/handshakes.ts';
import { Roots, readPeer } from '../../../../src/edges/node/outbound/peer-certificates.ts';
import { CertificateCheck } from '../../../../src/lookups/certificate/schema.ts';
import { summarize } from '../../../../src/lookups/certificate/summary.ts';
import { handshakeOf, handshakesOf, nowMs } from '../../../lookups/certificate/observed.ts';
import { check, mutationOf } from '../../../random.ts';

const { cert } = await generate([{ name: 'commonName', value: 'a.test' }], { algorithm: 'sha256' });
const original = new X509Certificate(cert).raw;
const roots = new Roots();

/** Undefined for bytes that OpenSSL rejects, in a handshake too. */
function read(bytes: Uint8Array): Peer | null | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(bytes);
  } catch {
    return undefined;
  }
  return readPeer(certificate, { host: 'a.test', roots, verifyError: 'self-signed certificate' });
}

const resultOf = (peer: Peer) =>
  summarize({
    host: 'a.test',
    port: 443,
    found: handshakesOf({ handshakes: [handshakeOf({ peer })] }),
    caa: { unknown: 'Not tested.' },
    nowMs,
  });

test('a certificate with changed bytes has a result of its schema', () => {
  let results = 0;
  check(20_000, mutationOf([original]), (bytes) => {
    const peer = read(bytes);
    if (!peer) return;
    const result = resultOf(peer);
    assert.deepEqual(CertificateCheck.parse(result), result);
    results += 1;
  });
  assert.ok(results > 500, `${results}`);
});

test('a validity that is no time makes a certificate malformed', () => {
  const at = original.toString('latin1').search(/\d{12}Z/);
  assert.equal(read(original.with(at, 0x78)), null);
  assert.ok(read(original));
});
