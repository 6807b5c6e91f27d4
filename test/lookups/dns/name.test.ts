/** Names and types that callers give. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../src/core/errors.ts';
import { dnsName, dnsType } from '../../../src/lookups/dns/name.ts';

function refusalOf(ask: () => string): string {
  try {
    return assert.fail(`accepted as ${ask()}`);
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === 'invalid_query', String(error));
    return error.message;
  }
}

test('takes names as DNS has them', () => {
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
    '1.2.3': '1.2.3',
    '15169': '15169',
    'bücher.example': 'xn--bcher-kva.example',
    '_dmarc.BÜCHER.example.': '_dmarc.xn--bcher-kva.example',
    'straße.example': 'xn--strae-oqa.example',
    'example。com': 'example.com',
    'XN--bcher-KVA.example': 'xn--bcher-kva.example',
    [`${longest}.`]: longest,
  };
  for (const [text, expected] of Object.entries(names)) assert.equal(dnsName(text), expected, text);
});

test('says that reverse lookups are not offered', () => {
  for (const text of [
    '192.0.2.1',
    '2001:db8::1',
    '[2001:db8::1]',
    '192.0.2.0/24',
    '2001:db8::/32',
    'http://192.0.2.1/',
    '192.0.2.1:53',
    'https://[::1]:8080/x',
  ])
    assert.match(
      refusalOf(() => dnsName(text)),
      /PTR/,
      text,
    );
  assert.match(
    refusalOf(() => dnsName('１９２.0.2.1')),
    /not an IP address/,
  );
});

test('names the host of a URL or e-mail address', () => {
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
      refusalOf(() => dnsName(text)),
      text.startsWith('//') ? /alone, without scheme/ : /: try example\.com\.$/,
      text,
    );
  assert.match(
    refusalOf(() => dnsName('https://bücher.example/')),
    /: try xn--bcher-kva\.example\.$/,
  );
  for (const text of ['https:///', 'http://a..b/', 'fe80::1%eth0', 'a:b:c', 'http://a:x', 'http://a"b/'])
    assert.match(
      refusalOf(() => dnsName(text)),
      /port or path\.$/,
      text,
    );
});

test('says what is wrong with a name', () => {
  const refused: [text: string, expected: RegExp][] = [
    ['', /empty/],
    ['   ', /empty/],
    ['..', /empty label/],
    ['.example.com', /empty label/],
    ['example..com', /empty label/],
    ['example.com..', /empty label/],
    ['bücher..example', /empty label|internationalized/],
    [`${'a'.repeat(64)}.com`, /label of 64 characters; at most 63/],
    [`${'ü'.repeat(63)}.com`, /label of \d+ characters|internationalized/],
    ['ab.'.repeat(85), /has 254 characters; at most 253/],
    ['a'.repeat(1001), /longer than the 253/],
    ['example com', /without spaces/],
    ['exa\u0000mple.com', /without spaces/],
    ['exa\u00a0mple.com', /without spaces/],
    ['"example.com"', /not contain "/],
    ['exam\\112le.com', /not contain \\/],
    ['ex%61mple.com', /not contain %/],
    ['bü%63her.example', /internationalized/],
    ['a,b.com', /not contain ,/],
    ['ü\u202e.example', /internationalized/],
  ];
  for (const [text, expected] of refused)
    assert.match(
      refusalOf(() => dnsName(text)),
      expected,
      text,
    );
});

test('takes types in any case, and lists them to who asks for another', () => {
  assert.equal(dnsType('aaaa'), 'AAAA');
  assert.equal(dnsType(' Mx '), 'MX');
  for (const text of ['PTR', 'ANY', '', '1', 'constructor'])
    assert.equal(
      refusalOf(() => dnsType(text)),
      'type must be one of A, AAAA, MX, TXT, NS, CNAME, CAA, SOA.',
    );
});
