/** The client address is the first untrusted hop from the right. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseAddress, prefixOf } from '../../../src/core/address.ts';
import { clientOf, entryOfClient, isTrusted } from '../../../src/edges/proxy/forwarded.ts';
import { check, textOf } from '../../random.ts';

const networks = ['10.0.0.0/8', '2001:db8:ffff::/48'].map(prefixOf);
const peer = '10.0.0.1';
const xForwardedFor = (field: string) => withoutPath(clientOf(field, peer, { header: 'x-forwarded-for', networks }));
const forwarded = (field: string) => withoutPath(clientOf(field, peer, { header: 'forwarded', networks }));
/** Null if the field has no entry. */
const withoutPath = (client: ReturnType<typeof clientOf>) => {
  const { ip = peer, sent = null, added = null } = client ?? {};
  return { ip, sent, added };
};

type Row = readonly [field: string, ip: string, sent: string | null, added: string | null];

describe('X-Forwarded-For', () => {
  const rows: readonly Row[] = [
    ['203.0.113.9', '203.0.113.9', null, '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['198.51.100.1,203.0.113.9 , 10.0.0.2', '203.0.113.9', '198.51.100.1', '203.0.113.9 , 10.0.0.2'],
    // All are proxies: the furthest one is the client.
    ['10.0.0.3, 10.0.0.2', '10.0.0.3', null, '10.0.0.3, 10.0.0.2'],
    ['2001:DB8::0:1, 2001:db8:ffff::1', '2001:db8::1', null, '2001:DB8::0:1, 2001:db8:ffff::1'],
    // An entry without an address ends the search at the hop that wrote it.
    ['203.0.113.9, unknown', peer, '203.0.113.9', 'unknown'],
    ['203.0.113.9, _hidden, 10.0.0.2', '10.0.0.2', '203.0.113.9', '_hidden, 10.0.0.2'],
    // An empty entry is none: at the end, inside and at the beginning.
    ['203.0.113.9, ', '203.0.113.9', null, '203.0.113.9,'],
    ['203.0.113.9,,10.0.0.2', '203.0.113.9', null, '203.0.113.9,,10.0.0.2'],
    ['198.51.100.1,198.51.100.2, , 203.0.113.9', '203.0.113.9', '198.51.100.1,198.51.100.2,', '203.0.113.9'],
    ['', peer, null, null],
    [' , ,', peer, null, null],
    [',10.0.0.2', '10.0.0.2', null, ',10.0.0.2'],
    ['"203.0.113.9:80", [10.0.0.2]:443', '203.0.113.9', null, '"203.0.113.9:80", [10.0.0.2]:443'],
    ['garbage', peer, null, 'garbage'],
    ['203.0.113.9 198.51.100.1', peer, null, '203.0.113.9 198.51.100.1'],
  ];
  for (const [field, ip, sent, added] of rows) {
    test(`reads "${field}" as ${ip}`, () => assert.deepEqual(xForwardedFor(field), { ip, sent, added }));
  }

  test('follows 200 trusted hops, and stops at an untrusted one', () => {
    const proxies = Array.from({ length: 200 }, (_, index) => `10.0.1.${index}`).join(', ');
    assert.equal(xForwardedFor(`203.0.113.9, ${proxies}`).ip, '203.0.113.9');
    assert.equal(xForwardedFor(proxies).ip, '10.0.1.0');
    assert.equal(xForwardedFor(`${proxies}, 203.0.113.9`).ip, '203.0.113.9');
    assert.equal(xForwardedFor(`${'198.51.100.1, '.repeat(200)}203.0.113.9`).ip, '203.0.113.9');
  });

  test('follows 1,000 trusted hops', () => {
    assert.equal(xForwardedFor(`203.0.113.9, ${'10.0.1.1, '.repeat(999)}10.0.1.2`).ip, '203.0.113.9');
  });
});

describe('Forwarded', () => {
  const rows: readonly Row[] = [
    ['for=203.0.113.9', '203.0.113.9', null, 'for=203.0.113.9'],
    ['For="203.0.113.9:4711";proto=https', '203.0.113.9', null, 'For="203.0.113.9:4711";proto=https'],
    [
      'proto=http; by=10.0.0.1; for="[2001:db8::9]:_a.b"',
      '2001:db8::9',
      null,
      'proto=http; by=10.0.0.1; for="[2001:db8::9]:_a.b"',
    ],
    [
      'for=198.51.100.1, for=203.0.113.9, for=10.0.0.2',
      '203.0.113.9',
      'for=198.51.100.1',
      'for=203.0.113.9, for=10.0.0.2',
    ],
    ['for=unknown', peer, null, 'for=unknown'],
    ['for=_gazonk', peer, null, 'for=_gazonk'],
    ['proto=https', peer, null, 'proto=https'],
    ['for=203.0.113.9;for=198.51.100.1', peer, null, 'for=203.0.113.9;for=198.51.100.1'],
    ['for=203.0.113.9 for=198.51.100.1', peer, null, 'for=203.0.113.9 for=198.51.100.1'],
    ['for="203.0.113.9', peer, null, 'for="203.0.113.9'],
    // RFC 9110 §5.6.4: a quoted pair stands for its second character.
    [String.raw`for="203.0.113.\9"`, '203.0.113.9', null, String.raw`for="203.0.113.\9"`],
    [
      String.raw`host="a\", for=10.0.0.2";for=203.0.113.9`,
      '203.0.113.9',
      null,
      String.raw`host="a\", for=10.0.0.2";for=203.0.113.9`,
    ],
    [
      String.raw`for=203.0.113.9;host="a\\", for=10.0.0.2`,
      '203.0.113.9',
      null,
      String.raw`for=203.0.113.9;host="a\\", for=10.0.0.2`,
    ],
    // RFC 7239 §4 permits empty pairs; and an unquoted IPv6 address is what some gateways send.
    [';for=203.0.113.9;;proto=https;', '203.0.113.9', null, ';for=203.0.113.9;;proto=https;'],
    ['for=2001:db8::9;proto=https', '2001:db8::9', null, 'for=2001:db8::9;proto=https'],
    ['for=203.0.113.9, ,', '203.0.113.9', null, 'for=203.0.113.9, ,'],
    ['for=""', peer, null, 'for=""'],
    ['host="a,b;c";for=203.0.113.9', '203.0.113.9', null, 'host="a,b;c";for=203.0.113.9'],
    // A client's open quote does not affect the proxy's element.
    ['for="198.51.100.1, for=203.0.113.9', '203.0.113.9', 'for="198.51.100.1', 'for=203.0.113.9'],
    ['for=x", for="[2001:db8::9]"', '2001:db8::9', 'for=x"', 'for="[2001:db8::9]"'],
  ];
  for (const [field, ip, sent, added] of rows) {
    test(`reads ${field} as ${ip}`, () => assert.deepEqual(forwarded(field), { ip, sent, added }));
  }
});

test("ignores everything that a client sends before the proxy's entry", () => {
  const pieces = [
    'for=',
    '"',
    ',',
    ';',
    '\\',
    ' ',
    '[',
    ']',
    ':',
    '::',
    '.',
    '=',
    '10.0.0.2',
    '198.51.100.1',
    'unknown',
    '\u00e9',
  ];
  check(20_000, textOf(pieces, 11), (sent) => {
    for (const [read, added] of [
      [xForwardedFor, '203.0.113.9'],
      [xForwardedFor, '[2001:db8::9]:80, 10.0.0.2'],
      [forwarded, 'for=203.0.113.9;proto=https'],
      [forwarded, 'for="[2001:db8::9]:80", for=10.0.0.2'],
    ] as const) {
      const { ip } = read(sent);
      assert.notEqual(parseAddress(ip), null, sent);
      const caller = read(`${sent}, ${added}`);
      assert.ok(['203.0.113.9', '2001:db8::9'].includes(caller.ip), `${sent}, ${added}`);
      assert.equal(caller.added, added);
    }
  });
});

test('an entry without an address has a problem', () => {
  const problemOf = (field: string, header: string) => clientOf(field, peer, { header, networks })?.problem;
  for (const [field, problem] of [
    ['203.0.113.9', null],
    ['garbage, 203.0.113.9', null],
    ['203.0.113.9, garbage', 'no_address'],
    ['203.0.113.9, Unknown', 'unknown'],
    ['_hidden, 10.0.0.2', 'obfuscated'],
  ] as const)
    assert.equal(problemOf(field, 'x-forwarded-for'), problem, field);
  for (const [field, problem] of [
    ['for=unknown', 'unknown'],
    ['for="_a.b:_c"', 'obfuscated'],
    ['proto=https', 'no_address'],
    ['for=203.0.113.9 for=203.0.113.9', 'no_address'],
  ] as const)
    assert.equal(problemOf(field, 'forwarded'), problem, field);
});

test('only Forwarded has parameters', () => {
  for (const field of ['proto=https', 'for=203.0.113.9;proto=https;host=a.example']) {
    const client = clientOf(field, peer, { header: 'x-forwarded-for', networks });
    assert.deepEqual([client?.ip, client?.proto, client?.host], [peer, null, null]);
  }
});

test('the port of CloudFront-Viewer-Address is none of the address', () => {
  const field = '2001:db8::8a2e:370:7334:4653';
  assert.equal(clientOf(field, peer, { header: 'cloudfront-viewer-address', networks })?.ip, '2001:db8::8a2e:370:7334');
});

test('an empty entry of a list without addresses is none', () => {
  const path = { entries: 2, skipped: 1, isTrusted: false };
  assert.equal(entryOfClient('https, , http', path), 'https');
  assert.equal(entryOfClient('https,', null), 'https');
  assert.equal(entryOfClient('"https"', null), 'https');
  assert.equal(entryOfClient(' , ', path), null);
});

test('trusts no address without a network, and no missing address', () => {
  assert.equal(isTrusted([], '10.0.0.1'), false);
  assert.equal(isTrusted(networks, null), false);
  assert.equal(isTrusted(networks, '10.255.255.255'), true);
  assert.equal(isTrusted(networks, '11.0.0.0'), false);
  assert.equal(isTrusted(networks, '2001:db8:ffff::1'), true);
});

describe('the hops', () => {
  const rows: readonly (readonly [
    header: string,
    field: string,
    entries: number,
    skipped: number,
    isTrusted: boolean,
  ])[] = [
    ['x-forwarded-for', '203.0.113.9', 1, 0, false],
    ['x-forwarded-for', '198.51.100.1,203.0.113.9,10.0.0.3,10.0.0.2', 4, 2, false],
    ['x-forwarded-for', '10.0.0.3, 10.0.0.2', 2, 1, true],
    ['x-forwarded-for', '203.0.113.9, unknown, 10.0.0.2', 3, 0, false],
    ['x-forwarded-for', ',,10.0.0.2', 1, 0, true],
    ['forwarded', 'for=198.51.100.1;x="a,b", for=203.0.113.9, for=10.0.0.2', 3, 1, false],
  ];
  for (const [header, field, entries, skipped, isTrusted] of rows) {
    test(`of ${header}: "${field}" are counted`, () =>
      assert.deepEqual(clientOf(field, peer, { header, networks })?.path, { entries, skipped, isTrusted }));
  }
});
