/** PROXY headers are parsed from any number of chunks, or rejected. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maxVersion2Bytes, readProxyHeader } from '../../src/ingress/proxy-header.ts';
import { check, mutationOf } from '../random.ts';
import { proxyHeader2 } from './proxy-header-bytes.ts';

const text = (line: string): Buffer => Buffer.from(line, 'latin1');
const ipv4 = Buffer.from('cb007109c000020110e101bb', 'hex');
const ipv6 = Buffer.from(`20010db8${'0'.repeat(23)}1${'0'.repeat(31)}110e101bb`, 'hex');
const mapped = Buffer.from(`${'0'.repeat(20)}ffffcb007109${'0'.repeat(31)}110e101bb`, 'hex');

const good: readonly (readonly [name: string, header: Buffer, ip: string | null, port?: number | null])[] = [
  ['version 1, IPv4', text('PROXY TCP4 203.0.113.9 192.0.2.1 4321 443\r\n'), '203.0.113.9'],
  ['version 1, IPv6', text('PROXY TCP6 2001:DB8::0:1 ::1 0 65535\r\n'), '2001:db8::1', null],
  ['version 1, mapped', text('PROXY TCP6 ::ffff:203.0.113.9 ::1 1 2\r\n'), '203.0.113.9', 1],
  [
    'version 1, the longest',
    text(`PROXY TCP6 ${'ffff:'.repeat(7)}ffff ${'ffff:'.repeat(7)}ffff 65535 65535\r\n`),
    Array(8).fill('ffff').join(':'),
    65_535,
  ],
  ['version 1, unknown', text('PROXY UNKNOWN\r\n'), null],
  ['version 1, unknown with addresses', text('PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n'), null],
  ['version 2, IPv4', proxyHeader2(0x21, 0x11, ipv4), '203.0.113.9'],
  ['version 2, IPv6', proxyHeader2(0x21, 0x21, ipv6), '2001:db8::1'],
  ['version 2, mapped', proxyHeader2(0x21, 0x21, mapped), '203.0.113.9'],
  ['version 2, extensions', proxyHeader2(0x21, 0x11, Buffer.concat([ipv4, Buffer.alloc(300, 5)])), '203.0.113.9'],
  [
    'version 2, the longest',
    proxyHeader2(0x21, 0x11, Buffer.concat([ipv4, Buffer.alloc(16_372, 0xff)])),
    '203.0.113.9',
  ],
  ['version 2, local', proxyHeader2(0x20, 0x00, Buffer.alloc(0)), null],
  ['version 2, local with an address', proxyHeader2(0x20, 0x11, ipv4), null],
  ['version 2, unspecified', proxyHeader2(0x21, 0x00, Buffer.alloc(3)), null],
  ['version 2, Unix', proxyHeader2(0x21, 0x31, Buffer.alloc(216, 0x61)), null],
];

describe('a header', () => {
  for (const [name, header, ip, port = 4321] of good) {
    test(`is parsed from chunks, ${name}`, () => {
      const whole = Buffer.concat([header, text('GET / HTTP/1.1\r\n')]);
      // All lengths of a short one; the extensions of a long one are all alike.
      for (let length = 0; length <= whole.length; length += length > 600 && length < header.length - 10 ? 97 : 1) {
        const reading = readProxyHeader(whole.subarray(0, length));
        if (length >= header.length)
          assert.deepEqual(reading, { length: header.length, source: ip === null ? null : { ip, port } });
        else assert.ok(typeof reading === 'number' && reading > length && reading <= header.length, `${length} bytes`);
      }
    });
  }

  const bad: readonly (string | Buffer)[] = [
    'GET / HTTP/1.1\r\n',
    'proxy TCP4 203.0.113.9 192.0.2.1 1 2\r\n',
    'PROXY\r\n',
    'PROXY \r\n',
    'PROXY TCP4\r\n',
    'PROXY TCP4 203.0.113.9 192.0.2.1 1 2\n',
    'PROXY TCP4 203.0.113.9 192.0.2.1 1 2 \r\n',
    'PROXY  TCP4 203.0.113.9 192.0.2.1 1 2\r\n',
    'PROXY TCP4 203.0.113.9 192.0.2.1 1\r\n',
    'PROXY TCP4 203.0.113.9 192.0.2.1 1 65536\r\n',
    'PROXY TCP4 203.0.113.9 192.0.2.1 01 2\r\n',
    'PROXY TCP4 203.0.113.9 192.0.2.1 -1 2\r\n',
    'PROXY TCP4 203.0.113.256 192.0.2.1 1 2\r\n',
    'PROXY TCP4 203.0.113.09 192.0.2.1 1 2\r\n',
    'PROXY TCP4 ::1 ::1 1 2\r\n',
    'PROXY TCP6 203.0.113.9 192.0.2.1 1 2\r\n',
    'PROXY TCP4 203.0.113.9 ::1 1 2\r\n',
    'PROXY UDP4 203.0.113.9 192.0.2.1 1 2\r\n',
    'PROXY UNKNOWNS\r\n',
    'PROXY UNKNOWN a\rb\r\n',
    `PROXY UNKNOWN ${'a'.repeat(100)}\r\n`,
    `PROXY TCP4 ${'9'.repeat(200)}`,
    // Versions, commands, families, lengths
    proxyHeader2(0x11, 0x11, ipv4),
    proxyHeader2(0x22, 0x11, ipv4),
    proxyHeader2(0x21, 0x12, ipv4),
    proxyHeader2(0x21, 0x22, ipv6),
    proxyHeader2(0x21, 0xff, ipv6),
    proxyHeader2(0x21, 0x11, ipv4.subarray(0, 11)),
    proxyHeader2(0x21, 0x21, ipv6.subarray(0, 35)),
    proxyHeader2(0x21, 0x11, Buffer.alloc(16_385)),
    proxyHeader2(0x20, 0x00, Buffer.alloc(65_535)),
    Buffer.from('0d0a0d0a000d0a515549540d', 'hex'),
    Buffer.from('1603010200', 'hex'),
  ];
  for (const bytes of bad.map((each) => (typeof each === 'string' ? text(each) : each))) {
    test(`is rejected: ${JSON.stringify(bytes.toString('latin1', 0, 45))}`, () => {
      const more = Buffer.concat([bytes, Buffer.alloc(3000, 0x20)]);
      assert.equal(readProxyHeader(more), 'malformed');
    });
  }

  test('with changed bytes is parsed, rejected or incomplete, and never incomplete without bound', () => {
    const padding = Buffer.alloc(40, 0x41);
    const mutation = mutationOf(good.flatMap(([, header]) => [header, Buffer.concat([header, padding])]));
    const seen = new Set<string>();
    check(20_000, mutation, (bytes) => {
      const reading = readProxyHeader(bytes);
      seen.add(typeof reading);
      if (typeof reading === 'number') assert.ok(reading <= 16 + maxVersion2Bytes);
      if (typeof reading === 'object') assert.ok(reading.length <= bytes.length);
    });
    assert.deepEqual([...seen].sort(), ['number', 'object', 'string']);
  });
});
