/** The page of a certificate: verdicts, each certificate with the addresses that sent it, and each handshake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Handshakes } from '../../../../src/core/tls/handshakes.ts';
import { renderCertificates } from '../../../../src/http/page/lookup/certificate.ts';
import { summarize } from '../../../../src/lookups/certificate/summary.ts';
import { certificateOf, handshakeOf, handshakesOf, nowMs, peerOf } from '../../../lookups/certificate/observed.ts';
import { hostileCertificates } from './hostile.ts';

const resultOf = (changed: Partial<Handshakes> = {}) =>
  renderCertificates(
    summarize({ host: 'a.example', port: 443, found: handshakesOf(changed), caa: { unknown: 'Not tested.' }, nowMs }),
  );
const textOf = ({ content }: ReturnType<typeof resultOf>): string =>
  `${content}`.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

const second = handshakeOf({ address: '2001:db8::1' });
const other = handshakeOf({
  address: '2001:db8::2',
  peer: peerOf({ chain: [certificateOf({ fingerprint: 'CC' })], path: [0] }),
});

test('one line says the most important', () => {
  const { brief, summary } = resultOf({ handshakes: [handshakeOf(), second] });
  assert.deepEqual(brief, ["Valid until 15 February 2027, by Let's Encrypt, the same on all 2 addresses"]);
  assert.equal(summary, `Certificate of a.example: ${brief?.[0]}`);
});

test('shows each different certificate with its addresses, and what failed first', () => {
  const text = textOf(resultOf({ handshakes: [handshakeOf(), second, other] }));
  assert.match(text, /Certificate 1 of 2 Sent by 192\.0\.2\.1, 2001:db8::1 .* Certificate 2 of 2 Sent by 2001:db8::2 /);
  const { content } = resultOf({ handshakes: [handshakeOf(), second, other] });
  const marks = [...`${content}`.matchAll(/<li class="(failed|idle|passed)">/g)].map(([, mark]) => mark);
  assert.deepEqual(marks.slice(0, 2), ['failed', 'passed']);
  assert.doesNotMatch(textOf(resultOf()), /Certificate 1 of|Sent by/);
});

test('a handshake that failed says how', () => {
  const alert = handshakeOf({
    outcome: 'alert',
    detail: 'unrecognized_name',
    peer: null,
    protocol: null,
    cipher: null,
  });
  assert.match(textOf(resultOf({ handshakes: [alert], oldVersions: null })), /192\.0\.2\.1 alert unrecognized_name/);
});

test('a result that a hostile server fills stays below 256 KB', () => {
  assert.ok(`${renderCertificates(hostileCertificates()).content}`.length < 2 ** 18);
});
