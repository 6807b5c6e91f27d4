import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Handshakes } from '../../../src/core/tls/handshakes.ts';
import { describeCheck, problemsOf } from '../../../src/lookups/certificate/findings.ts';
import { CertificateCheck } from '../../../src/lookups/certificate/schema.ts';
import { summarize } from '../../../src/lookups/certificate/summary.ts';
import { certificateOf, handshakeOf, handshakesOf, intermediate, nowMs, peerOf } from './observed.ts';

const checkOf = (changed: Partial<Handshakes> = {}): CertificateCheck => {
  const caa = { unknown: 'Not tested.' };
  return summarize({ host: 'a.example', port: 443, found: handshakesOf(changed), caa, nowMs });
};
const verdictIn = ({ verdicts }: Pick<CertificateCheck, 'verdicts'>, name: string) =>
  verdicts.find(({ id }) => id === name) ?? assert.fail(name);

const second = handshakeOf({ address: '2001:db8::1' });
const silent = handshakeOf({ address: '192.0.2.2', outcome: 'timeout', peer: null });
const expired = peerOf({
  chain: [certificateOf({ fingerprint: 'CC', notAfterMs: nowMs - 1 }), intermediate],
  verifyError: 'certificate has expired',
});

test('has the form of its schema', () => {
  const check = checkOf({ handshakes: [handshakeOf(), second, silent] });
  assert.deepEqual(CertificateCheck.parse(check), check);
});

test('groups addresses by the chain that they sent, not only by the certificate', () => {
  const incomplete = { ...second, peer: peerOf({ chain: [certificateOf()], path: [0], root: null, verifyError: 'X' }) };
  const { certificates, verdicts } = checkOf({ handshakes: [handshakeOf(), second, incomplete, silent] });
  assert.deepEqual(
    certificates.map(({ addresses }) => addresses.length),
    [2, 1],
  );
  assert.equal(verdictIn({ verdicts }, 'sameOnAllAddresses').value, false);
});

test('an address without a certificate makes sameness unknown, and never hides a difference', () => {
  const sameOf = (changed: Partial<Handshakes>) => verdictIn(checkOf(changed), 'sameOnAllAddresses');
  assert.deepEqual(sameOf({ handshakes: [handshakeOf(), second] }).value, true);
  assert.match(
    sameOf({ handshakes: [handshakeOf(), silent] }).reason,
    /^Not known: no certificate from 192\.0\.2\.2\.$/,
  );
  assert.equal(sameOf({ omitted: 1 }).value, null);
  assert.equal(sameOf({ unknownVersions: [6] }).value, null);
  assert.equal(sameOf({ handshakes: [handshakeOf(), { ...second, peer: expired }, silent] }).value, false);
});

test('a lifetime is as many days as openssl was told', () => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-days-'));
  const openssl = (...args: readonly string[]): string =>
    execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  for (const days of [1, 20, 90]) {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key.pem'];
    openssl('req', '-x509', ...key, '-subj', '/CN=a.example', '-days', `${days}`, '-out', 'cert.pem');
    const dates = openssl('x509', '-in', 'cert.pem', '-noout', '-dates');
    const [notBeforeMs = 0, notAfterMs = 0] = [...dates.matchAll(/=(.+)/g)].map(([, date = '']) => Date.parse(date));
    const chain = [certificateOf({ notBeforeMs, notAfterMs }), intermediate] as const;
    const handshakes = handshakesOf({ handshakes: [handshakeOf({ peer: peerOf({ chain }) })] });
    const asked = { host: 'a.example', port: 443, found: handshakes, caa: { unknown: 'Not tested.' } };
    const [fresh] = summarize({ ...asked, nowMs: notBeforeMs }).certificates;
    assert.deepEqual([fresh?.daysLeft, fresh?.lifetimeDays], [days, days]);
    const [older] = summarize({ ...asked, nowMs: notBeforeMs + 1.5 * 86_400_000 }).certificates;
    assert.deepEqual([older?.daysLeft, older?.lifetimeDays], [days - 2, days]);
  }
  rmSync(folder, { recursive: true });
});

test('counts days as authorities do, for the maximum', () => {
  const [certificate] = checkOf().certificates;
  assert.deepEqual([certificate?.lifetimeDays, certificate?.daysLeft, certificate?.maxLifetimeDays], [90, 79, 200]);
  const long = (from: string, days: number, isWhole = false) => {
    const notBeforeMs = Date.parse(from);
    const notAfterMs = notBeforeMs + days * 86_400_000 - (isWhole ? 0 : 1_000);
    const chain = [certificateOf({ notBeforeMs, notAfterMs }), intermediate] as const;
    return checkOf({ handshakes: [handshakeOf({ peer: peerOf({ chain }) })] }).certificates[0];
  };
  for (const [from, days, isNoted] of [
    ['2026-03-14T23:59:59Z', 398, false],
    ['2026-03-15T00:00:00Z', 200, false],
    ['2026-03-15T00:00:00Z', 201, true],
    ['2019-01-01T00:00:00Z', 825, false],
    ['2029-03-15T00:00:00Z', 48, true],
  ] as const)
    assert.equal(
      long(from, days)?.notes.some((note) => note.startsWith('Its lifetime')),
      isNoted,
      `${from} ${days}`,
    );
  // Both ends count: one second more than 200 days.
  assert.match(`${long('2026-03-15T00:00:00Z', 200, true)?.notes}`, /^Its lifetime counts as 201 days; /);
});

test('an old version is accepted as soon as the server sends its certificate with it', () => {
  const oldOf = (changed: Handshakes['oldVersions']) =>
    verdictIn(checkOf({ oldVersions: changed }), 'oldProtocolsRejected');
  assert.equal(oldOf(handshakeOf({ outcome: 'alert', detail: 'internal_error', peer: null })).value, true);
  assert.equal(oldOf(handshakeOf({ outcome: 'closed', peer: null })).value, true);
  assert.equal(oldOf(handshakeOf({ protocol: 'TLSv1' })).value, false);
  assert.equal(oldOf(handshakeOf({ outcome: 'alert', detail: 'handshake_failure', protocol: null })).value, false);
  assert.equal(oldOf(handshakeOf({ outcome: 'timeout', peer: null })).value, null);
  assert.equal(oldOf(null).value, null);
});

test('one line says until when, by whom, and what is wrong', () => {
  assert.deepEqual(describeCheck(checkOf({ handshakes: [handshakeOf(), second] })), [
    "valid until 15 February 2027, by Let's Encrypt, the same on all 2 addresses",
  ]);
  assert.deepEqual(describeCheck(checkOf({ handshakes: [handshakeOf(), second, silent], omitted: 2 })), [
    "valid until 15 February 2027, by Let's Encrypt, the same on 2 of 5 addresses",
  ]);
  const differing = checkOf({ handshakes: [handshakeOf(), { ...second, peer: expired }] });
  assert.deepEqual(describeCheck(differing), [
    "expired on 27 November 2026, by Let's Encrypt",
    'not the same on all addresses',
  ]);
  assert.deepEqual(problemsOf(differing), [
    '2001:db8::1: It expired on 2026-11-27',
    'The addresses sent 2 different certificates or chains',
  ]);
  assert.deepEqual(problemsOf(checkOf()), []);
  const absent = checkOf({
    handshakes: [silent, handshakeOf({ outcome: 'alert', detail: 'unrecognized_name', peer: null })],
  });
  assert.deepEqual(describeCheck(absent), ['no certificate: no response in time; alert unrecognized_name']);
  assert.deepEqual(problemsOf(absent), describeCheck(absent));
});
