/** A query is a domain, a block of addresses or an AS number; otherwise the error says what to send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errors, ServiceError } from '../../../src/core/errors.ts';
import { bootstrapNameOf, parseQuery, pathOf } from '../../../src/lookups/rdap/query.ts';
import { check, textOf } from '../../random.ts';

/** The parsed query, or the error message. */
const resolve = (q: string): string => {
  try {
    return pathOf(parseQuery(q));
  } catch (error) {
    assert.ok(error instanceof ServiceError, `${q}: ${error}`);
    assert.equal(error.code, 'invalid_query');
    return error.message;
  }
};

const accepted: readonly (readonly [q: string, path: string])[] = [
  ['AS15169', 'autnum/15169'],
  ['as15169', 'autnum/15169'],
  ['As 15169', 'autnum/15169'],
  ['15169', 'autnum/15169'],
  [' 15169\n', 'autnum/15169'],
  ['AS0', 'autnum/0'],
  ['0015', 'autnum/15'],
  ['AS23456', 'autnum/23456'],
  ['AS64512', 'autnum/64512'],
  ['AS4294967295', 'autnum/4294967295'],
  ['AS1.10', 'autnum/65546'],
  ['AS65535.65535', 'autnum/4294967295'],
  ['8.8.8.8', 'ip/8.8.8.8'],
  ['8.8.8.8/32', 'ip/8.8.8.8'],
  ['8.8.8.8/24', 'ip/8.8.8.0/24'],
  ['8.8.8.8/024', 'ip/8.8.8.0/24'],
  ['255.255.255.255/0', 'ip/0.0.0.0/0'],
  ['10.0.0.1', 'ip/10.0.0.1'],
  ['2001:DB8::0:1', 'ip/2001:db8::1'],
  ['[2001:db8::1]', 'ip/2001:db8::1'],
  ['[2001:db8::1]/64', 'ip/2001:db8::/64'],
  ['2001:db8:ffff::/33', 'ip/2001:db8:8000::/33'],
  ['2001:db8::1/128', 'ip/2001:db8::1'],
  ['::', 'ip/::'],
  ['::/0', 'ip/::/0'],
  ['::ffff:1.2.3.4', 'ip/1.2.3.4'],
  ['::ffff:102:304', 'ip/1.2.3.4'],
  ['::ffff:1.2.3.4/120', 'ip/1.2.3.0/24'],
  ['::ffff:0:0/96', 'ip/0.0.0.0/0'],
  ['::ffff:1.2.3.4/95', 'ip/::fffe:0:0/95'],
  ['64:ff9b::1.2.3.4', 'ip/64:ff9b::102:304'],
  ['example.com', 'domain/example.com'],
  ['EXAMPLE.Com', 'domain/example.com'],
  ['example.com.', 'domain/example.com'],
  ['example.com。', 'domain/example.com'],
  ['www。example．com', 'domain/example.com'],
  ['ｅｘａｍｐｌｅ.com', 'domain/example.com'],
  ['exam\u00adple.com', 'domain/example.com'],
  ['www.example.com', 'domain/example.com'],
  ['a.b.c.d.example.co.uk', 'domain/example.co.uk'],
  ['co.uk', 'domain/co.uk'],
  ['foo.github.io', 'domain/github.io'],
  ['github.io', 'domain/github.io'],
  ['example.c0m', 'domain/example.c0m'],
  ['a.example.c0m', 'domain/example.c0m'],
  ['4.3.2.1.in-addr.arpa', 'domain/1.in-addr.arpa'],
  ['in-addr.arpa', 'domain/in-addr.arpa'],
  ['_dmarc.example.com', 'domain/example.com'],
  ['_25._tcp.mail.example.com', 'domain/example.com'],
  ['bücher.vermögensberatung', 'domain/xn--bcher-kva.xn--vermgensberatung-pwb'],
  ['BÜCHER.example.com', 'domain/example.com'],
  ['xn--bcher-kva.com', 'domain/xn--bcher-kva.com'],
  ['faß.de', 'domain/xn--fa-hia.de'],
  ['例え.テスト', 'domain/xn--r8jz45g.xn--zckzah'],
  ['食狮.公司.cn', 'domain/xn--85x722f.xn--55qx5d.cn'],
  ['www.食狮.公司.cn', 'domain/xn--85x722f.xn--55qx5d.cn'],
  ['com', 'domain/com'],
  ['COM.', 'domain/com'],
  ['AS-1', 'domain/as-1'],
  ['AS', 'domain/as'],
  ['1.com', 'domain/1.com'],
  ['1-2.3-4.com', 'domain/3-4.com'],
  ['as15169.net', 'domain/as15169.net'],
  ['a--b.com', 'domain/a--b.com'],
  [`${'a'.repeat(63)}.com`, `domain/${'a'.repeat(63)}.com`],
];

for (const [q, path] of accepted)
  test(`queries ${path} for ${JSON.stringify(q)}`, () => assert.equal(resolve(q), path));

const tryInstead = (what: string, host: string) => `This ${what}; send only a name or an address: try ${host}.`;
const noCharacter = (character: string) => `A domain name contains no "${character}"; send only a name or an address.`;
const general = errors.invalid_query.message;

const rejected: readonly (readonly [q: string, message: string | RegExp])[] = [
  ['', /empty/],
  [' \t ', /empty/],
  ['a'.repeat(301), /at most 300/],
  ['AS4294967296', /at most 4294967295/],
  ['99999999999999999999', /at most 4294967295/],
  ['AS65536.0', /65535\.65535/],
  ['AS1.65536', /65535\.65535/],
  ['1.10', /four decimal numbers/],
  ['1.2.3', /four decimal numbers/],
  ['1.2.3.4.5', /four decimal numbers/],
  ['01.02.03.04', /four decimal numbers/],
  ['256.1.1.1', /four decimal numbers/],
  ['1.2.3/24', /four decimal numbers/],
  ['8.8.8.8/33', /0 to 32/],
  ['8.8.8.8/', /0 to 32/],
  ['8.8.8.8/-1', /0 to 32/],
  ['8.8.8.0/255.255.255.0', /0 to 32/],
  ['2001:db8::/129', /0 to 128/],
  ['8.8.8.8/24/24', /0 to 32/],
  ['0x7f.1', general],
  ['0x7f.0.0.1', general],
  ['example.0x1f', general],
  ['example.123', general],
  ['１２７.０.０.１', general],
  ['fe80::1%eth0', tryInstead('has a zone identifier', 'fe80::1')],
  ['2001:db8:::1', /eight groups of hexadecimal digits; :: may replace groups of zeros once/],
  ['1:2:3:4:5:6:7', /eight groups/],
  ['[2001:db8]', noCharacter('[')],
  [':', noCharacter(':')],
  ['8.8.8.8:53', tryInstead('has a port', '8.8.8.8')],
  ['[2001:db8::1]:443', tryInstead('has a port', '[2001:db8::1]')],
  ['https://www.example.com/path?q=1#f', tryInstead('is a URL', 'www.example.com')],
  ['https://user:secret@example.com:8443/', tryInstead('is a URL', 'example.com')],
  ['http://[2001:db8::1]:8080/', tryInstead('is a URL', '[2001:db8::1]')],
  ['//example.com/x', tryInstead('is a URL', 'example.com')],
  ['example.com/path', tryInstead('has a path', 'example.com')],
  ['example.com:443', tryInstead('has a port', 'example.com')],
  ['someone@example.com', tryInstead('is an email address', 'example.com')],
  ['mailto:someone@bücher.de', tryInstead('is an email address', 'bücher.de')],
  ['*.example.com', tryInstead('is a wildcard', 'example.com')],
  ['http://', noCharacter(':')],
  ['http://localhost/', noCharacter(':')],
  ['.', general],
  ['..', general],
  ['a..com', /leading or double dot/],
  ['.example.com', /leading or double dot/],
  ['example.com..', /leading or double dot/],
  ['-a.com', general],
  ['a-.com', general],
  ['exa mple.com', /without spaces/],
  ['a.example b.example', /without spaces/],
  ['exa\u0000mple.com', general],
  ['exam\tple.com', /without spaces/],
  ['exam%70le.com', noCharacter('%')],
  ['example,com', noCharacter(',')],
  ['a／b.com', general],
  ['a＠b.com', general],
  ['a％2eb.com', general],
  ['a\u3000b.com', /without spaces/],
  ['5.0/25.2.0.192.in-addr.arpa', /name for reverse DNS; .* try 192\.0\.2\.5\.$/],
  ['0/25.2.0.192.in-addr.arpa', /try 192\.0\.2\.0\/24\.$/],
  ['as15169 - AS15170', 'Send one AS number instead of a range, such as AS15169; its record states its range.'],
  ['8.8.8.0-8.8.8.255', /one address or a CIDR block instead of a range: try 8\.8\.8\.0;/],
  ['2001:db8:: - 2001:db8::ff', /try 2001:db8::;/],
  ['my_shop.com', /contains no underscore/],
  ['xn--.com', general],
  [`${'a'.repeat(64)}.com`, general],
  [`${'a.'.repeat(126)}com`, general],
];

for (const [q, message] of rejected) {
  test(`rejects ${JSON.stringify(q.slice(0, 70))}`, () => {
    if (typeof message === 'string') assert.equal(resolve(q), message);
    else assert.match(resolve(q), message);
  });
}

test('selects the bootstrap file for each kind', () => {
  const names = ['example.com', '8.8.8.8', '2001:db8::', '::ffff:8.8.8.8', 'AS1'].map((q) =>
    bootstrapNameOf(parseQuery(q)),
  );
  assert.deepEqual(names, ['dns', 'ipv4', 'ipv6', 'ipv4', 'asn']);
});

test('returns a path that is safe in a URL for any text, or rejects it', () => {
  const pieces = [
    'example',
    '.com',
    '.',
    ':',
    '/',
    '%',
    '@',
    '[',
    ']',
    '::',
    '1',
    '255',
    '0x',
    'as',
    '_',
    '-',
    'ü',
    'ß',
    '。',
    '\u200d',
    '\ud83d\ude00',
    '\ud800',
    'xn--',
    ' ',
    '\\',
    '#',
    '..',
    '.co.uk',
  ];
  check(5000, textOf(pieces, 6, 1), (q) => {
    const found = resolve(q);
    if (/^(?:domain|ip|autnum)\//.test(found))
      assert.match(found, /^(?:domain\/[a-z\d.-]+|ip\/[\da-f.:]+(?:\/\d+)?|autnum\/\d+)$/, q);
    else assert.match(found, /\.$/, q);
  });
});
