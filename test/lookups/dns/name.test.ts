/** Names and types from user input. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../src/core/errors.ts';
import { parseDnsName, parseDnsType, parseQueryName } from '../../../src/lookups/dns/name.ts';
import { dnsTypes } from '../../../src/lookups/dns/schema.ts';

function refusalOf(parse: () => string): string {
  try {
    return assert.fail(`accepted as ${parse()}`);
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === 'invalid_query', String(error));
    return error.message;
  }
}

test('accepts valid DNS names', () => {
  const longest = [63, 63, 63, 61].map((length) => 'a'.repeat(length)).join('.');
  const names = {
    'example.com': 'example.com',
    ' Example.COM.\n': 'example.com',
    com: 'com',
    'com.': 'com',
    '.': '.',
    '_dmarc.example.com': '_dmarc.example.com',
    '_25._tcp.mx-1.example.com': '_25._tcp.mx-1.example.com',
    '*.example.com': '*.example.com',
    '-a-.example.com': '-a-.example.com',
    '1.0.0.127.in-addr.arpa': '1.0.0.127.in-addr.arpa',
    '5.0/25.2.0.192.in-addr.arpa': '5.0/25.2.0.192.in-addr.arpa',
    '0/25.2.0.192.IN-ADDR.arpa.': '0/25.2.0.192.in-addr.arpa',
    '192.0.2.1/25.2.0.192.in-addr.arpa': '192.0.2.1/25.2.0.192.in-addr.arpa',
    '1.0-127.2.0.192.in-addr.arpa': '1.0-127.2.0.192.in-addr.arpa',
    '0/36.8.b.d.0.1.0.0.2.ip6.arpa': '0/36.8.b.d.0.1.0.0.2.ip6.arpa',
    '1.2.3': '1.2.3',
    '15169': '15169',
    'bücher.example': 'xn--bcher-kva.example',
    '_dmarc.BÜCHER.example.': '_dmarc.xn--bcher-kva.example',
    'straße.example': 'xn--strae-oqa.example',
    'example。com': 'example.com',
    'XN--bcher-KVA.example': 'xn--bcher-kva.example',
    [`${longest}.`]: longest,
  };
  for (const [text, expected] of Object.entries(names)) assert.equal(parseDnsName(text), expected, text);
});

test('names the type for an IP address, and what has CIDR blocks', () => {
  for (const text of ['192.0.2.0/24', '2001:db8::/32', '8.8.8.8/99'])
    assert.match(
      refusalOf(() => parseDnsName(text)),
      /CIDR block.*rdap/,
      text,
    );
  for (const text of [
    '192.0.2.1',
    '2001:db8::1',
    '[2001:db8::1]',
    'http://192.0.2.1/',
    '192.0.2.1:53',
    'https://[::1]:8080/x',
  ])
    assert.match(
      refusalOf(() => parseDnsName(text)),
      /PTR/,
      text,
    );
  assert.match(
    refusalOf(() => parseDnsName('１９２.0.2.1')),
    /not an IP address/,
  );
});

test('suggests the host of a URL or e-mail address', () => {
  for (const text of [
    'https://Example.com/',
    'example.com/path?query#fragment',
    'example.com:443',
    'joe@example.com',
    'mailto:joe@example.com',
    'https://user:password@example.com:8443/@x',
    '//example.com',
  ])
    assert.match(
      refusalOf(() => parseDnsName(text)),
      text.startsWith('//') ? /only a domain name, without scheme/ : /: try example\.com\.$/,
      text,
    );
  assert.match(
    refusalOf(() => parseDnsName('https://bücher.example/')),
    /: try xn--bcher-kva\.example\.$/,
  );
  for (const text of [
    'https:///',
    'http://a..b/',
    'fe80::1%eth0',
    'http:/example.com',
    'a:b:c',
    'http://a:x',
    'http://a"b/',
  ])
    assert.match(
      refusalOf(() => parseDnsName(text)),
      /port or path\.$/,
      text,
    );
});

test('reports what is wrong with a name', () => {
  const rejected: [text: string, expected: RegExp][] = [
    ['', /empty/],
    ['   ', /empty/],
    ['..', /empty label/],
    ['.example.com', /empty label/],
    ['example..com', /empty label/],
    ['example.com..', /empty label/],
    ['bücher..example', /empty label|internationalized/],
    [`${'a'.repeat(64)}.com`, /label of 64 characters; use at most 63/],
    [`${'ü'.repeat(63)}.com`, /label of \d+ characters|internationalized/],
    ['ab.'.repeat(85), /has 254 characters; use at most 253/],
    ['a'.repeat(1001), /too long; use at most 253/],
    ['example com', /without spaces/],
    ['exa\u0000mple.com', /without spaces/],
    ['exa\u00a0mple.com', /without spaces/],
    ['"example.com"', /not contain """/],
    ['exam\\112le.com', /not contain "\\"/],
    ['ex%61mple.com', /not contain "%"/],
    ['bü%63her.example', /internationalized/],
    ['a,b.com', /not contain ","/],
    ['ü\u202e.example', /internationalized/],
    ['ü/25.2.0.192.in-addr.arpa', /internationalized/],
    ['0/25..2.0.192.in-addr.arpa', /empty label/],
    ['https://0/25.2.0.192.in-addr.arpa', /without scheme/],
    ['0/25.2.0.192.in-addr.arpa.example.com', /without scheme/],
  ];
  for (const [text, expected] of rejected)
    assert.match(
      refusalOf(() => parseDnsName(text)),
      expected,
      text,
    );
});

test('accepts types in any case and lists them for an unknown type', () => {
  assert.equal(parseDnsType('aaaa'), 'AAAA');
  assert.equal(parseDnsType(' Mx '), 'MX');
  for (const text of ['RRSIG', 'ANY', '', '1', 'constructor'])
    assert.equal(
      refusalOf(() => parseDnsType(text)),
      `type must be one of ${dnsTypes.join(', ')}.`,
    );
});

test('turns an IP address into its name in the reverse zone, only for PTR', () => {
  for (const [text, name] of [
    ['192.0.2.1', '1.2.0.192.in-addr.arpa'],
    [' [2001:db8::1] ', `1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`],
    ['::ffff:192.0.2.1', '1.2.0.192.in-addr.arpa'],
    ['1.2.0.192.IN-ADDR.arpa', '1.2.0.192.in-addr.arpa'],
    ['example.com', 'example.com'],
  ] as const)
    assert.equal(parseQueryName(text, 'PTR'), name);
  assert.match(
    refusalOf(() => parseQueryName('192.0.2.1', 'A')),
    /use type PTR/,
  );
  assert.match(
    refusalOf(() => parseQueryName('192.0.2.0/24', 'PTR')),
    /CIDR block/,
  );
});
