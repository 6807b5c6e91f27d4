/** Layouts of a certificate lookup: verdicts first, the values with OpenSSL's names, one line for each address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { junitSuite, layOut, shorten } from '../../../src/cli/layouts/certificate.ts';
import type { Handshakes } from '../../../src/core/tls/handshakes.ts';
import { summarize } from '../../../src/lookups/certificate/summary.ts';
import {
  certificateOf,
  handshakeOf,
  handshakesOf,
  intermediate,
  nowMs,
  peerOf,
} from '../../lookups/certificate/observed.ts';

const terminal = { width: 200, nowMs };
const checkOf = (changed: Partial<Handshakes> = {}, port = 443) =>
  summarize({ host: 'a.example', port, found: handshakesOf(changed), caa: { unknown: 'Not tested.' }, nowMs });

const incomplete = handshakeOf({
  address: '2001:db8::1',
  peer: peerOf({
    chain: [certificateOf()],
    path: [0],
    root: null,
    verifyError: 'unable to verify the first certificate',
  }),
});

test('begins with one line about all of it, then what is wrong, then what is not', () => {
  const lines = layOut(checkOf({ handshakes: [handshakeOf(), incomplete] }), terminal).split('\n');
  assert.equal(
    lines[0],
    "a.example: valid until 15 February 2027, by Let's Encrypt; chain incomplete; not the same on all addresses",
  );
  const verdicts = lines.slice(2, lines.indexOf('', 2));
  assert.equal(verdicts.length, 2 * 6 + 2);
  assert.deepEqual(
    verdicts.map((line) => line.startsWith('fail')),
    verdicts.map((_, at) => at < 3),
  );
  assert.ok(lines.includes('fail  Same on all addresses: The addresses sent 2 different certificates or chains.'));
  assert.ok(
    lines.some((line) => line.startsWith('fail  Chain complete: 2001:db8::1: The certificate of its issuer, R12, was')),
  );
});

test('names the values as openssl x509 does, each certificate with its addresses if there are several', () => {
  const text = layOut(checkOf({ handshakes: [handshakeOf(), incomplete] }), terminal);
  assert.equal(text.match(/^Sent by +/gm)?.length, 2);
  for (const line of [
    /^Subject +CN=a\.example$/m,
    /^Issuer +C=US, O=Let's Encrypt, CN=R12$/m,
    /^Not after +2027-02-15T23:59:59Z \(79 of 90 days left\)$/m,
    /^Key +EC prime256v1$/m,
    /^Chain +1 C=US, O=Let's Encrypt, CN=R12, until 2027-02-15$/m,
    /^192\.0\.2\.1 +TLSv1\.3, TLS_AES_128_GCM_SHA256, X25519, h2, 12 ms$/m,
  ])
    assert.match(text, line);
  assert.doesNotMatch(layOut(checkOf(), terminal), /^Sent by/m);
});

test('without a certificate, states what each address did', () => {
  const silent = handshakeOf({ outcome: 'timeout', detail: 'no TCP connection', protocol: null, peer: null });
  const check = checkOf({ handshakes: [silent], oldVersions: null }, 993);
  assert.match(layOut(check, terminal), /^a\.example:993: no certificate: no response in time \(no TCP connection\)\n/);
  assert.equal(shorten(check), 'no certificate: no response in time (no TCP connection)');
});

test('a test suite fails once, with the reason of the command', () => {
  const check = checkOf({ handshakes: [incomplete] });
  const { name, cases } = junitSuite(check, 'chain incomplete', { 'expires-within': '14d' });
  assert.equal(name, 'a.example');
  assert.deepEqual(
    cases.filter(({ failure }) => failure).map(({ id, name, failure }) => [id, name, failure]),
    [['certificate', 'Certificate, valid for 14 days or more', 'chain incomplete']],
  );
  assert.ok(
    cases.some(({ id, text }) => id === 'chainComplete' && text?.startsWith('fail: The certificate of its issuer')),
  );
});

test('a hostile certificate cannot forge a line', () => {
  const first = certificateOf({ names: ['x\nok  Trusted: yes'], subject: 'CN=\u001b[31m\u202e' });
  const text = layOut(
    checkOf({ handshakes: [handshakeOf({ peer: peerOf({ chain: [first, intermediate] }) })] }),
    terminal,
  );
  assert.doesNotMatch(text, /^ok {2}Trusted: yes/m);
});
