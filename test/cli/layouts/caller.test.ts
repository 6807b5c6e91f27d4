/** Layout of what a service observes of the caller, also if the service is of another version. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOut, shorten } from '../../../src/cli/layouts/caller.ts';
import { notOffered } from '../../../src/cli/me/client-tests.ts';
import { info } from '../../../src/resources/info.ts';
import { pageAt } from '../../http/page/page-at.ts';
import { seenAll } from '../../observed.ts';

const terminal = { width: 100, nowMs: 0 };
const untested = { resolver: notOffered, udp: notOffered, roundTrips: notOffered };
const whole = { ...info(seenAll, 'https://seenby.example', 0), ...untested };
const rows = layOut(whole, terminal);

test('shows fifteen rows at most, the address first, the tests last, in the words of the start page', () => {
  assert.match(
    rows,
    /^IP address {4}2001:db8::1\nProvider {6}Telenor Norge AS \(AS2119\)\nLocation {6}Oslo, Oslo County, Norway/,
  );
  assert.match(rows, /\nEncryption {4}Yes, with TLS 1\.3\nHTTP {10}HTTP\/2\nCipher suite {2}TLS_AES_128_GCM_SHA256\n/);
  assert.match(rows, /\nLooks like {4}a command-line tool\n/);
  const page = pageAt('/', seenAll);
  for (const term of ['Provider', 'Location', 'Encryption', 'HTTP', 'Cipher suite']) {
    assert.match(page, new RegExp(`<dt>${term}</dt>`));
    assert.match(rows, new RegExp(`^${term} `, 'm'));
  }
  const plain = { ...whole, tls: { ...whole.tls, version: null } };
  assert.match(layOut(plain, terminal), /\nEncryption {4}Not seen by the service: plain HTTP, or a proxy ended TLS\n/);
  assert.match(rows, /\nResolver {6}- \(not offered by this service\)\nUDP {11}- \(not offered/);
  assert.ok(rows.split('\n').length <= 18, rows);
  assert.equal(shorten(whole), '2001:db8::1');
});

test('shows the same without the fields that it does not use, and for a kind of client that it does not know', () => {
  const { deliveryRateBps: _, ...network } = whole.network;
  const { engine: __, ...userAgent } = whole.userAgent;
  const older = { ...whole, network, userAgent, meta: undefined, time: undefined };
  assert.equal(layOut(older, terminal), rows);
  const newer = { ...whole, userAgent: { ...whole.userAgent, kind: 'payment-agent' } };
  assert.equal(layOut(newer, terminal), rows.replace(/^Looks like .*$/m, 'Looks like    payment-agent'));
});

test('shows each value of something else', () => {
  assert.match(layOut({ ip: '192.0.2.1', origin: 'x', ...untested }, terminal), /^ip: 192\.0\.2\.1\norigin: x\n/);
  assert.equal(shorten({ address: '192.0.2.1', ...untested }), '');
});

test('names a region only if it is not the city', () => {
  const location = { ...whole.location, region: 'Oslo', city: 'Oslo', countryName: null };
  assert.match(layOut({ ...whole, location }, terminal), /\nLocation {6}Oslo, NO\n/);
});
