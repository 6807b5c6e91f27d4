/** The headers argument of check_headers: any JSON yields traits or a sentence, in linear time, without throwing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forwardedAddresses } from '../../src/traits/forwarded-addresses.ts';
import { GivenHeaders, givenHeaders } from '../../src/traits/given-headers.ts';
import { HeaderTraits, headerTraits } from '../../src/traits/header-traits.ts';
import { checkDrawn, drawBy } from '../random.ts';

const nowMs = Date.parse('2026-11-21');
const traits = (headers: Record<string, string>) =>
  headerTraits({ headers, own: false, https: null, http2: null, ip: null, nowMs, handshake: null });

const accepted = (given: unknown) => {
  const result = givenHeaders(given);
  assert.ok('headers' in result, JSON.stringify(result));
  return { ...result.headers };
};
const refused = (given: unknown) => {
  const result = givenHeaders(given);
  assert.ok('error' in result);
  assert.match(result.error, /^[A-Z"].*\.$/);
  return result.error;
};

test('converts names to lower case and joins those that differ only in case', () => {
  assert.deepEqual(accepted({ 'User-Agent': 'curl/8.17.0', ACCEPT: 'text/html', accept: '*/*' }), {
    'user-agent': 'curl/8.17.0',
    accept: 'text/html, */*',
  });
});

test('accepts strings, numbers, booleans and lists of them; null is an absent header', () => {
  assert.deepEqual(
    accepted({
      dnt: 1,
      'x-a': true,
      via: ['1.1 a', '1.1 b'],
      cookie: ['a=1', 'b=2'],
      te: null,
      'x-b': [],
      ':scheme': 'https',
    }),
    { dnt: '1', 'x-a': 'true', via: '1.1 a, 1.1 b', cookie: 'a=1; b=2', ':scheme': 'https' },
  );
});

test('accepts __proto__ and constructor as names', () => {
  const given = JSON.parse('{"__proto__": "x", "constructor": "y", "toString": "z", "User-Agent": "curl/8.17.0"}');
  const result = givenHeaders(given);
  assert.ok('headers' in result);
  assert.deepEqual(Object.keys(result.headers), ['__proto__', 'constructor', 'tostring', 'user-agent']);
  assert.equal(({} as Record<string, unknown>).x, undefined);
  assert.deepEqual(traits({ ...result.headers, 'accept-language': 'en' }).hints, []);
  assert.doesNotThrow(() => GivenHeaders.parse(given));
});

test('rejects a value of another type with a sentence on what to change', () => {
  assert.equal(refused({ Accept: {} }), 'The value of "Accept" must be a string, a number or a list of them.');
  assert.match(refused({ Accept: [['a']] }), /list of them/);
  assert.match(refused({ Accept: ['a', null] }), /list of them/);
  assert.match(refused({ Accept: () => 1 }), /list of them/);
  assert.match(refused({ 'user agent': 'x' }), /"user agent" is not a header name/);
  assert.match(refused({ '': 'x' }), /not a header name/);
  assert.ok(refused({ [`${'a'.repeat(10_000)}`]: 'x' }).length < 200);
});

test('accepts the object as JSON text, and a raw header block', () => {
  const expected = { 'user-agent': 'curl/8.17.0', accept: 'text/html, */*' };
  for (const text of [
    '{"User-Agent": "curl/8.17.0", "Accept": ["text/html", "*/*"]}',
    'User-Agent: curl/8.17.0\r\nAccept: text/html\r\nAccept: */*\r\n\r\n',
    'User-Agent:curl/8.17.0\naccept: text/html\nACCEPT: */*',
    'GET /json?a=b HTTP/1.1\nUser-Agent: curl/8.17.0\nAccept: text/html, */*',
    '> GET / HTTP/2\n> User-Agent: curl/8.17.0\n> Accept: text/html, */*\n>\n',
    // Escaped twice by a model.
    'User-Agent: curl/8.17.0\\nAccept: text/html, */*\\n',
    'User-Agent: curl/8.17.0\\r\\nAccept: text/html, */*',
    '\nUser-Agent: curl/8.17.0\nAccept: text/html, */*\n\n{"user-agent": "body"}\nAccept: body',
    '> GET / HTTP/2\n> User-Agent: curl/8.17.0\n> Accept: text/html, */*\n>\n< HTTP/2 200\n< accept: none\n',
  ])
    assert.deepEqual(accepted(text), expected, text);
  assert.deepEqual(accepted(':authority: a.example\ncookie: a=1\ncookie: b=2'), {
    ':authority': 'a.example',
    cookie: 'a=1; b=2',
  });
  assert.deepEqual(accepted(''), {});
});

test('rejects text that is neither with a sentence on what to change', () => {
  assert.match(refused('headers'), /^"headers" is not a header line; write "Name: value"\.$/);
  for (const text of ['curl/8.17.0', 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'])
    assert.equal(refused(text), 'This is a User-Agent; write "User-Agent: " before it.');
  for (const text of ["curl 'https://example.com/' \\\n  -H 'accept: */*'", '$ curl https://example.com -H "A: b"'])
    assert.match(
      refused(text),
      /^This is a curl command; send the values of its -H options, one "Name: value" per line\.$/,
    );
  assert.match(refused('{"User-Agent": '), /^The JSON in headers is not valid/);
  assert.match(refused('{"a": {}}'), /^The value of "a" must be/);
  assert.match(refused('a b: c'), /^"a b" is not a header name/);
  assert.match(refused('a: b\n'.repeat(20_000)), /^Send at most 65536 characters/);
  assert.equal(accepted('a:\n'.repeat(2_000)).a?.length, 2_000 * 2 - 2);
  for (const text of ['a:\n'.repeat(2_001), JSON.stringify({ a: Array(2_001).fill('') })])
    assert.equal(refused(text), 'Send at most 2000 lines of headers.');
  // What follows the headers is not a line of them.
  assert.deepEqual(accepted(`a: b\n\n${'c\n'.repeat(3_000)}`), { a: 'b' });
});

test('reads a list of lines, or of names with values', () => {
  for (const given of [
    ['A: b', 'a: c'],
    [
      ['A', 'b'],
      ['a', 'c'],
    ],
    ['A: b', ['a', 'c']],
  ])
    assert.deepEqual({ ...accepted(given) }, { a: 'b, c' });
  assert.deepEqual({ ...accepted([]) }, {});
  for (const given of [[7], [['a b', 'c']], [['a']]]) assert.match(refused(given), /is not a header/);
});

test('names the item of a list that is not a header, and ends at none', () => {
  for (const wrong of [
    { name: 'User-Agent', value: { a: 1 } },
    { name: { toString: 1 }, value: 'x' },
    { name: 'User-Agent' },
    { name: null, value: 'x' },
    { 'User-Agent': { a: 1 } },
    ['a', { toString: 1 }],
    ['a', ['b', null]],
    [[]],
    () => 1,
  ])
    assert.match(refused(['Accept: */*', wrong]), /^Item 2 of headers is not a header; send "Name: value"/);
  for (const given of [
    ['User-Agent: curl/8', '', ' ', null, [], {}, 'Accept: */*'],
    ['User-Agent: curl/8\r\n', '\r\n', 'Accept: */*\n\n'],
    [
      ['User-Agent', 'curl/8'],
      ['Accept', '*/*'],
      ['te', null],
    ],
    [
      { name: 'User-Agent', value: 'curl/8\n\n' },
      { name: 'Accept', value: ['*/*'] },
      { name: 'te', value: null },
    ],
  ])
    assert.deepEqual(accepted(given), { 'user-agent': 'curl/8', accept: '*/*' });
  assert.match(refused([{ name: 'User-Agent', value: 'a\n\nb' }]), /^"b" is not a header line/);
});

test('rejects everything but text, an object and a list', () => {
  for (const given of [undefined, null, 7, true, Symbol('s'), 1n]) {
    assert.match(refused(given), /^Send headers as lines/);
  }
});

const many = (count: number, value = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-header-${i}`, value]));

test('accepts 1,000 names and 64 KB, rejects more', () => {
  assert.equal(Object.keys(accepted(many(1000))).length, 1000);
  assert.deepEqual(refused(many(1001)), 'Send at most 1000 headers, not 1001.');
  assert.ok(accepted({ a: '('.repeat(65_535) }));
  assert.match(refused({ a: '('.repeat(65_536) }), /at most 65536 characters/);
  assert.match(refused({ a: Array(70_000).fill('') }), /at most 65536 characters/);
});

/** The peer is left out, in whatever notation the header has it. */
const addressesIn = (text: string, peer: string | null = null) => forwardedAddresses({ 'x-real-ip': text }, peer);

test('recognizes an address in every notation, and nothing else as one', () => {
  const same: readonly (readonly [string, string])[] = [
    ['192.0.2.1:8080', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['[::FFFF:c000:201]:80', '192.0.2.1'],
    ['"[2001:db8::1]"', '2001:db8::1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['::', '::'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8'],
    ['2001:db8::1:51234', '2001:db8::1'],
  ];
  for (const [text, address] of same) {
    assert.equal(addressesIn(text).length, 1, text);
    assert.deepEqual(addressesIn(text, address), [], text);
  }
  for (const text of [
    '',
    'unknown',
    '_x',
    'localhost',
    '1.2.3',
    '1.2.3.256',
    '1.2.3.4.5',
    ':',
    ':::',
    '1::2::3',
    '1::2::',
    '1:2:3:4::5:6:7:8::9',
    '::1.2.3',
    '2001:db8::12345',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9:10',
    '1:2:3:4:5:6:7::8',
    '[::1',
    'a'.repeat(99),
  ]) {
    assert.deepEqual(addressesIn(text), [], text);
  }
});

test('private addresses are those valid only inside one network', () => {
  const of = (text: string) => addressesIn(text)[0]?.isPrivate;
  for (const text of [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '127.0.0.1',
    '169.254.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    '::',
    'fd00::1',
    'fc00::',
    'fe80::1',
    'febf::1',
    '::ffff:10.0.0.1',
  ]) {
    assert.ok(of(text), text);
  }
  for (const text of [
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '192.169.1.1',
    '100.63.0.1',
    '169.253.1.1',
    '170.254.1.1',
    '100.128.0.1',
    '203.0.113.7',
    '2001:db8::1',
    'fec0::1',
    'fe8::1',
    'fd::1',
    '::2',
  ]) {
    assert.ok(!of(text), text);
  }
});

const names = (
  'user-agent accept accept-language sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform sec-ch-ua-full-version-list sec-fetch-site sec-fetch-mode ' +
  'sec-fetch-user sec-fetch-dest x-forwarded-for forwarded x-real-ip via te dnt sec-gpc referer upgrade content-type __proto__ constructor :scheme ' +
  'x-forwarded-proto signature-agent x-operamini-phone mcp-session-id upgrade-insecure-requests'
).split(' ');
const pieces = [
  'Mozilla/5.0 ',
  '(Windows NT 10.0; Win64; x64) ',
  '(Linux; Android 10; K) ',
  '(iPhone; CPU iPhone OS 18_7 like Mac OS X) ',
  'AppleWebKit/537.36 (KHTML, like Gecko) ',
  'Chrome/150.0.0.0 ',
  'Chrome/ ',
  'Safari/537.36',
  'rv:109.0) Gecko/20100101 Firefox/156.0',
  'Version/26.0',
  '"Chromium";v="150", ',
  '"Not;A=Brand";v="8"',
  '?1',
  'navigate',
  'none',
  '203.0.113.7, ',
  'for="[::1]:1";',
  '10.0.0.1',
  '*/*',
  '(((((((((',
  '))))',
  '\u0000\r\n',
  '\ud800',
  '🦊',
  '"""""\\',
  ',,,,;;;;',
  '%%%%::::',
  '   ',
  '9'.repeat(40),
  'https',
] as const;

test('random headers never throw and always match the schema', () => {
  checkDrawn(4000, (draw) => {
    const next = drawBy(draw);
    const pick = <T>(from: readonly T[]): T => from[next(from.length)] as T;
    const value = (): unknown => {
      const kind = next(12);
      if (kind === 0) return next(2 ** 31);
      if (kind === 1) return [pick(pieces), next(9), pick(pieces)];
      if (kind === 2)
        return pick<unknown>([
          null,
          {},
          { toString: 1 },
          [],
          [[]],
          true,
          undefined,
          Number.NaN,
          Number.POSITIVE_INFINITY,
        ]);
      return Array.from({ length: next(9) }, () => pick(pieces)).join('');
    };
    const given = Object.create(null) as Record<string, unknown>;
    for (let count = next(12); count > 0; count--) given[pick(names)] = value();
    const pairs = Object.entries(given);
    const result = givenHeaders(pick([given, [given], pairs, pairs.map(([name, value]) => ({ name, value }))]));
    if (!('headers' in result)) return;
    const subject = {
      headers: result.headers,
      own: next(2) === 0,
      https: pick([true, false, null]),
      http2: pick([true, false, null]),
      ip: pick(['203.0.113.7', '::1', 'nonsense', '', null]),
      nowMs: pick([nowMs, 0, Number.NaN, Number.POSITIVE_INFINITY]),
      handshake: null,
    };
    HeaderTraits.parse(headerTraits(subject));
  });
});

test('1,000 Client Hints headers are one hint with a few names', () => {
  const hints = Object.fromEntries(Array.from({ length: 999 }, (_, i) => [`sec-ch-ua-${i}`, '?1']));
  const [hint] = traits({ ...hints, 'user-agent': 'curl/8.17.0', 'accept-language': 'en' }).hints;
  assert.equal(hint?.id, 'client-hints-unexpected');
  assert.ok((hint?.headers.length ?? 0) < 12);
});

test('accepts a list of names and values as in HTTP archives and Postman, or of objects, also as JSON text', () => {
  const list = [
    { name: 'User-Agent', value: 'curl/8.17.0' },
    { name: 'Accept', value: '*/*', comment: '' },
  ];
  const expected = { 'user-agent': 'curl/8.17.0', accept: '*/*' };
  assert.deepEqual(accepted(list), expected);
  assert.deepEqual(accepted(JSON.stringify(list)), expected);
  for (const given of [
    list.map(({ name, value }) => ({ key: name, value, type: 'text' })),
    list.map(({ name, value }) => ({ [name]: value })),
    [{ 'User-Agent': 'curl/8.17.0', Accept: '*/*', te: null }],
  ])
    assert.deepEqual(accepted(given), expected);
  assert.equal(accepted([['Cookie', 'a=1', 'b=2']]).cookie, 'a=1; b=2');
});

test('recognizes a URL and a host name in every form, unless there are headers of a request', () => {
  const url = 'https://example.com/a?b=c';
  for (const given of [
    ...[
      url,
      ` ${url}\n`,
      'HTTP://EXAMPLE.COM',
      'example.com',
      'www.example.com:8443/a',
      'example.com/a b'.slice(0, 13),
    ],
    ...[{ url }, { URL: url }, { Uri: url }, { site: 'example.com' }, { target: url, method: null }],
    ...[JSON.stringify({ url }), JSON.stringify([url]), `url: ${url}`, `URL:${url}\n`],
    ...[[url], [{ url }], [{ name: 'url', value: url }], [['url', url]], [{ key: 'href', value: url }]],
  ])
    assert.deepEqual(givenHeaders(given), { isUrl: true }, JSON.stringify(given));
  for (const given of [
    { referer: url },
    { origin: 'https://example.com' },
    { url, 'user-agent': 'curl/8' },
    [url, 'User-Agent: curl/8'],
    'Host: example.com',
    'Accept:a.b',
  ])
    assert.ok('headers' in givenHeaders(given), JSON.stringify(given));
});

test('recognizes the headers of a response', () => {
  for (const given of [
    'HTTP/1.1 200 OK\nContent-Type: text/html',
    'HTTP/2 200\ncontent-type: text/html',
    { 'content-type': 'text/html', server: 'nginx' },
    [{ name: 'Strict-Transport-Security', value: 'max-age=1' }],
  ])
    assert.deepEqual(givenHeaders(given), { isResponse: true });
  assert.ok('headers' in givenHeaders({ 'user-agent': 'curl/8', server: 'nginx' }));
});
