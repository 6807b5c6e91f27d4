/** Every path of every service: its body for a client about which everything is known, and for one about which nothing is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaTypes, subjectOf } from '../../src/dialects/dialect.ts';
import { dialects } from '../../src/dialects/list.ts';
import { seenAll, seenNothing } from '../observed.ts';
import { ask, bodyOf, munich, stranger } from './requests.ts';

/** The text of a path for the client in Munich, and for the stranger. Absent: it is JSON, which the tests of its service compare. */
const texts: Readonly<Record<string, readonly [known: string, unknown: string]>> = {
  '/as/echoip': ['203.0.113.7\n', '2001:4860:4860::8888\n'],
  '/as/echoip/ip': ['203.0.113.7\n', '2001:4860:4860::8888\n'],
  '/as/echoip/country': ['Germany\n', '\n'],
  '/as/echoip/country-iso': ['DE\n', '\n'],
  '/as/echoip/city': ['Munich\n', '\n'],
  '/as/echoip/asn': ['AS64500\n', '\n'],
  '/as/echoip/asn-org': ['Example Net\n', '\n'],
  '/as/echoip/coordinates': ['48.137400,11.575500\n', '0.000000,0.000000\n'],
  '/as/ipify': ['203.0.113.7', '2001:4860:4860::8888'],
  '/as/plain': ['203.0.113.7\n', '2001:4860:4860::8888\n'],
  '/as/dyndns': [
    '<html><head><title>Current IP Check</title></head><body>Current IP Address: 203.0.113.7</body></html>\r\n',
    '<html><head><title>Current IP Check</title></head><body>Current IP Address: 2001:4860:4860::8888</body></html>\r\n',
  ],
  '/as/ip-api/line': ['fail\nreserved range\n203.0.113.7\n', `success\n${'\n'.repeat(12)}2001:4860:4860::8888\n`],
  '/as/ip-api/csv': ['fail,reserved range,203.0.113.7\n', `success${','.repeat(13)}2001:4860:4860::8888\n`],
  ...Object.fromEntries(
    Object.entries({
      '': ['203.0.113.7', '2001:4860:4860::8888'],
      '/ip': ['203.0.113.7', '2001:4860:4860::8888'],
      '/ua': ['curl/8.5.0', ''],
      '/lang': ['', ''],
      '/encoding': ['gzip', ''],
      '/mime': ['*/*', ''],
      '/charset': ['', ''],
      '/referer': ['', ''],
      '/forwarded': ['', ''],
      '/method': ['GET', 'GET'],
      '/port': ['38542', ''],
      '/host': ['unavailable', 'unavailable'],
    }).map(([path, bodies]) => [`/as/ifconfig.me${path}`, bodies as [string, string]]),
  ),
};

/** The tests of /api/port have those with connections. */
const withoutConnections = dialects.filter(({ connectsBack }) => !connectsBack);

for (const [path, [known, unknown]] of Object.entries(texts)) {
  test(`${path} is that of the service, with and without values`, () => {
    assert.equal(bodyOf(path), known);
    assert.equal(bodyOf(path, { observed: stranger }), unknown);
  });
}

test('every path without a text here is JSON, or compared in the test of its service', () => {
  const compared = [/^\/as\/ipinfo\b/, /^\/as\/trace\b/, /^\/as\/ip-api\/\w+\/\{ip\}$/, /^\/as\/ifconfig\.me\/all$/];
  for (const { path, mediaType } of withoutConnections) {
    if (path in texts || compared.some((pattern) => pattern.test(path))) continue;
    assert.ok(mediaType.startsWith(mediaTypes.json), path);
    for (const observed of [munich, stranger, seenNothing, seenAll])
      assert.equal(typeof JSON.parse(bodyOf(path, { observed })), 'object', path);
  }
});

test('no JSON has null, except where the service itself has it', () => {
  const allowed = ['/as/peet/api/all', '/as/peet/api/tls', '/as/httpbin/user-agent', '/as/browserleaks'];
  for (const { path, mediaType } of withoutConnections) {
    if (!mediaType.startsWith(mediaTypes.json) || allowed.some((each) => path.startsWith(each))) continue;
    for (const observed of [munich, stranger, seenNothing])
      assert.doesNotMatch(bodyOf(path, { observed }), /\bnull\b/, path);
  }
});

test('paths are unique, and each has a summary and a media type', () => {
  assert.equal(new Set(dialects.map(({ path }) => path)).size, dialects.length);
  for (const { path, summary, mediaType } of dialects) {
    assert.match(path, /^\/as\/[\w.-]+(?:\/[\w.{}-]+)*$/);
    assert.ok(summary !== '' && mediaType !== '', path);
  }
});

test('a line of a text cannot be forged, whatever the client sends', () => {
  const headers = { 'user-agent': 'a\u0085\rip=192.0.2.9\nip_addr: 192.0.2.9', host: 'a\nip=192.0.2.9' };
  for (const path of ['/as/trace', '/as/ifconfig.me/all']) {
    const lines = bodyOf(path, { observed: { ...munich, headers } }).split(/[\n\r\u0085]/);
    assert.equal(lines.filter((line) => /^ip(?:_addr)?\b/.test(line)).length, 1, path);
  }
});

test('data about another address needs a public address and a database', () => {
  const unfitOf = (named: string) => subjectOf(named, seenNothing, null).unfit;
  assert.deepEqual(
    ['x', '', '10.1.2.3', 'fd00::1', '127.0.0.1', '203.0.113.7', '::ffff:192.168.0.1', 'fe80::1'].map(unfitOf),
    ['malformed', 'malformed', 'private', 'private', 'reserved', 'reserved', 'private', 'reserved'],
  );
  assert.throws(() => subjectOf('8.8.8.8', seenNothing, null), { code: 'no_database' });
  assert.equal(ask('/as/echoip/ip', { named: ' ::ffff:8.8.8.8 ' }).body, '8.8.8.8\n');
  const { about } = subjectOf('x'.repeat(1000), seenNothing, null);
  assert.ok((about.ip?.length ?? 0) <= 101);
});

test('the addresses of a developer’s machine count as public, so that clients can be tried', () => {
  const local = { ...munich, simulated: true };
  assert.equal(subjectOf(null, local, null).unfit, null);
  assert.equal(subjectOf(null, { ...local, simulated: false }, null).unfit, 'reserved');
});
