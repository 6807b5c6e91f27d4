import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  chainComplete,
  nameMatches,
  notesOf,
  strong,
  trusted,
  withinValidity,
} from '../../../src/lookups/certificate/verdicts.ts';
import { certificateOf, intermediate, nowMs, peerOf } from './observed.ts';

const old = { notBeforeMs: nowMs - 2_000, notAfterMs: nowMs - 1_000 };
const selfSigned = certificateOf({ issuer: 'CN=a.example', isSelfIssued: true });

test('states why OpenSSL does not trust a chain, a missing root before its dates', () => {
  for (const [changed, value, reason] of [
    [{}, true, 'It chains to ISRG Root X1.'],
    [{ verifyError: undefined }, null, 'The handshake ended before the chain was verified.'],
    [
      { chain: [certificateOf(old), intermediate], verifyError: 'certificate has expired' },
      false,
      'The certificate has expired.',
    ],
    [
      { chain: [certificateOf(), { ...intermediate, ...old }], verifyError: 'certificate has expired' },
      false,
      'R12 in the chain has expired.',
    ],
    [
      { chain: [{ ...selfSigned, ...old }], path: [0], root: null, verifyError: 'certificate has expired' },
      false,
      'The certificate is self-signed.',
    ],
    [{ verifyError: 'path length constraint exceeded' }, false, 'OpenSSL rejects it: path length constraint exceeded.'],
    [
      { root: null, verifyError: 'unable to get local issuer certificate' },
      false,
      'ISRG Root X1, the issuer of the last certificate, is not a trusted root, and its certificate was not sent.',
    ],
  ] as const)
    assert.deepEqual(trusted(peerOf(changed), nowMs), { value, reason });
});

test('a chain is incomplete only if an intermediate is known to be missing', () => {
  const alone = {
    chain: [certificateOf()],
    path: [0],
    root: null,
    verifyError: 'unable to verify the first certificate',
  } as const;
  const missing = chainComplete(peerOf(alone));
  assert.equal(missing.value, false);
  assert.match(missing.reason, /issuer, R12, was not sent; .* published at http:\/\/r12\.i\.lencr\.org\/$/);
  // A private authority may issue from its root, which clients have.
  const bare = chainComplete(peerOf({ ...alone, chain: [certificateOf({ issuerUrl: null })] }));
  assert.equal(bare.value, null);
  assert.equal(
    chainComplete(peerOf({ root: null, verifyError: 'unable to get local issuer certificate' })).value,
    null,
  );
  assert.equal(chainComplete(peerOf({ ...alone, chain: [selfSigned] })).value, true);
  assert.equal(chainComplete(peerOf({ root: null, verifyError: null })).value, true);
});

test('states for which names a certificate is', () => {
  const reasonOf = (names: readonly string[], host = 'b.a.example', omittedNames = 0) =>
    nameMatches(peerOf({ chain: [certificateOf({ names, omittedNames })], matchedName: null }), host).reason;
  assert.equal(reasonOf(['x.example']), 'It is for x.example, not for b.a.example.');
  assert.equal(
    reasonOf(['1.example', '2.example', '3.example', '4.example'], 'b.a.example', 7),
    'It is for 1.example, 2.example, 3.example and 8 more, not for b.a.example.',
  );
  assert.equal(reasonOf(['*.example']), '*.example covers one label only, not b.a.example.');
  assert.equal(reasonOf(['*.example'], 'a.example'), 'It is for *.example, not for a.example.');
  assert.match(reasonOf([]), /as subject alternative name; clients ignore the common name, a\.example\.$/);
  assert.equal(nameMatches(peerOf(), 'a.example').value, true);
});

test('both ends of the validity belong to it', () => {
  const valueAt = (at: number) => {
    const chain = [certificateOf({ notBeforeMs: nowMs, notAfterMs: nowMs + 1_000 })] as const;
    return withinValidity(peerOf({ chain }), nowMs + at).value;
  };
  assert.deepEqual([-1, 0, 1_000, 1_001].map(valueAt), [false, true, true, false]);
});

test('weak keys and signatures count in every certificate that clients verify', () => {
  const rsa = (bits: number) => ({ type: 'rsa', bits, curve: null });
  for (const [chain, value] of [
    [[certificateOf(), intermediate], true],
    [[certificateOf({ key: rsa(2_047) }), intermediate], false],
    [[certificateOf(), { ...intermediate, key: rsa(1_024) }], false],
    [[certificateOf({ signatureAlgorithm: 'sha1WithRSAEncryption' }), intermediate], false],
    [[certificateOf({ signatureAlgorithm: 'ecdsa-with-SHA1' }), intermediate], false],
    [[certificateOf({ signatureAlgorithm: 'md5WithRSAEncryption' }), intermediate], false],
    [[certificateOf({ signatureAlgorithm: 'ecdsa-with-SHA512' }), intermediate], true],
    [[certificateOf({ signatureAlgorithm: 'rsassaPss' }), intermediate], null],
    [[certificateOf({ key: { ...rsa(1_024), type: 'rsa-pss' } }), intermediate], false],
    [[certificateOf({ key: null }), intermediate], null],
    [[certificateOf(), { ...intermediate, isSelfIssued: true, signatureAlgorithm: 'sha1WithRSAEncryption' }], true],
  ] as const)
    assert.equal(strong(peerOf({ chain: [...chain] })).value, value, JSON.stringify(chain));
});

test('rejects the curves that OpenSSL rejects at security level 2', () => {
  const ec = (curve: string) => certificateOf({ key: { type: 'ec', bits: null, curve } });
  // openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:…; openssl verify -auth_level 2: OpenSSL 3.0, 2026-11-29.
  for (const curve of ['secp112r1', 'secp160r1', 'prime192v1', 'brainpoolP160r1', 'sect163k1'])
    assert.equal(strong(peerOf({ chain: [ec(curve), intermediate] })).value, false, curve);
  for (const curve of ['secp224r1', 'prime239v1', 'prime256v1', 'secp384r1', 'sect233k1', 'SM2'])
    assert.equal(strong(peerOf({ chain: [ec(curve), intermediate] })).value, true, curve);
});

test('notes a wrong order and what need not be sent', () => {
  const root = certificateOf({ subject: peerOf().root ?? '', isSelfIssued: true });
  const stray = certificateOf({ subject: 'CN=Stray' });
  assert.deepEqual(notesOf(peerOf()), []);
  assert.deepEqual(notesOf(peerOf({ chain: [certificateOf(), root, intermediate, stray], path: [0, 2], omitted: 3 })), [
    'The root, ISRG Root X1, was sent too; clients have it.',
    'Stray was sent, but is not part of the chain.',
    'The server sent 3 more certificates, which were not read.',
  ]);
  assert.match(
    notesOf(peerOf({ chain: [certificateOf(), stray, intermediate], path: [0, 2, 1] }))[0] ?? '',
    /wrong order/,
  );
});
