/** Layout of what a service observes of the caller, also if the service is of another version. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOut, shorten } from '../../../src/cli/layouts/caller.ts';
import { notOffered } from '../../../src/cli/me/client-tests.ts';
import type { ObservedRequest } from '../../../src/core/observed.ts';
import { simulate } from '../../../src/edges/simulated.ts';
import { info } from '../../../src/resources/info.ts';
import { pageAt } from '../../http/page/page-at.ts';
import { seenAll, seenNothing } from '../../observed.ts';

const terminal = { width: 100, nowMs: 0 };
const untested = { resolver: notOffered, udp: notOffered, roundTrips: notOffered };
const whole = { ...info(seenAll, 'https://seenby.example', 0), ...untested, service: 'https://seenby.example' };
const rows = layOut(whole, terminal);

test('shows few rows, the address first, the tests last', () => {
  assert.match(
    rows,
    /^IP address {4}2001:db8::1\n {14}A private or reserved address: [^\n]+\nProvider {6}Telenor Norge AS \(AS2119\)\nLocation {6}Oslo, Oslo County, Norway/,
  );
  assert.match(rows, /\nEncryption {4}Yes, with TLS 1\.3\nHTTP {10}HTTP\/2\nCipher suite {2}TLS_AES_128_GCM_SHA256\n/);
  assert.match(rows, /\nLooks like {4}a command-line tool\n/);
  assert.match(rows, /\nResolver {6}- \(not offered by this service\)\nUDP {11}- \(not offered/);
  assert.ok(rows.split('\n').length <= 19, rows);
  assert.equal(shorten(whole), '2001:db8::1');
});

const { location, autonomousSystem } = seenNothing;
const https = 'https://seenby.example';
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
/** The same members are known to both, or to neither. */
const requests: Readonly<Record<string, ObservedRequest>> = {
  'all that can be known': seenAll,
  nothing: seenNothing,
  'plain HTTP from the same machine': { ...seenNothing, ip: '127.0.0.1' },
  'plain HTTP from a proxy that is not trusted': {
    ...seenNothing,
    simulated: false,
    ip: '127.0.0.1',
    headers: { 'x-forwarded-for': '192.0.2.1' },
  },
  'HTTPS, whose TLS a proxy ended': { ...seenNothing, origin: https, isSecure: true },
  'HTTP/3 from IPv4': { ...seenAll, protocol: 'HTTP/3', ip: '203.0.113.7' },
  'HTTP/1.1, TLS 1.2': { ...seenAll, protocol: 'HTTP/1.1', tls: { ...seenAll.tls, version: 'TLSv1.2' } },
  'a public address': { ...seenAll, ip: '8.8.8.8' },
  'a phone': { ...seenAll, headers: { 'user-agent': iphone } },
  'a bot': { ...seenAll, headers: { 'user-agent': googlebot } },
  'a client of an unknown kind': { ...seenAll, headers: { 'user-agent': 'x' } },
  'a city state': { ...seenNothing, location: { ...location, country: 'SG', region: 'Singapore', city: 'Singapore' } },
  'a country without a name': { ...seenNothing, location: { ...location, country: 'QX' } },
  'only the number of the network': { ...seenNothing, autonomousSystem: { ...autonomousSystem, asn: 64496 } },
  'only the name of the network': { ...seenNothing, autonomousSystem: { ...autonomousSystem, asOrganization: 'Tor' } },
  'simulated values': simulate(seenNothing),
};

/** Words without markup and punctuation, of which page and terminal have different ones. */
const wordsOf = (text: string): string =>
  text
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replace(/[(),:;]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

for (const [name, observed] of Object.entries(requests))
  test(`has the words of the start page: ${name}`, () => {
    const page = pageAt('/', observed);
    const value = { ...info(observed, https, 0), ...untested, service: observed.origin };
    const lines = layOut(value, { ...terminal, width: Number.POSITIVE_INFINITY });
    for (const term of ['Provider', 'Location', 'Encryption', 'HTTP', 'Cipher suite', 'Browser']) {
      const [, ofTerminal] = new RegExp(`^${term} +(.*)$`, 'm').exec(lines) ?? [];
      const [, ofPage] = new RegExp(`<dt>${term}</dt><dd>(.*?)</dd>`).exec(page) ?? [];
      assert.equal(ofTerminal === undefined, ofPage === undefined, term);
      assert.ok(wordsOf(ofPage ?? '').startsWith(wordsOf(ofTerminal ?? '')), `${term}: ${ofPage}, ${ofTerminal}`);
    }
    const [, kind = ''] = /^Looks like +(.*)$/m.exec(lines) ?? [];
    assert.ok(page.includes(`This looks like ${kind}:`), kind);
    for (const sentence of ['A private or reserved address', 'This is a local development server'])
      assert.equal(lines.includes(sentence), page.includes(sentence), sentence);
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
  const other = { ip: '192.0.2.1', origin: 'x', ...untested, service: https };
  assert.match(layOut(other, terminal), /^ip: 192\.0\.2\.1\norigin: x\n/);
  assert.equal(shorten({ address: '192.0.2.1', ...untested, service: https }), '');
});

test('names a region only if it is not the city', () => {
  const inOslo = { ...whole.location, region: 'Oslo', city: 'Oslo', countryName: null };
  assert.match(layOut({ ...whole, location: inOslo }, terminal), /\nLocation {6}Oslo, NO\n/);
});
