/** An entry of a forwarding header, in the forms that proxies write. */
import assert from 'node:assert/strict';
import { isIP, SocketAddress } from 'node:net';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { formatAddress, parseAddress, unmapped } from '../../src/core/address.ts';
import { readNode } from '../../src/traits/forwarded-node.ts';
import { check } from '../random.ts';

/** The address of an entry, or why it has none. */
function read(entry: string, header = 'x-forwarded-for'): string {
  const node = readNode(entry, header);
  return typeof node === 'string' ? node : formatAddress(node.address);
}

describe('an address', () => {
  const forms: readonly (readonly [entry: string, address: string])[] = [
    ['192.0.2.1', '192.0.2.1'],
    [' 192.0.2.1\t', '192.0.2.1'],
    ['192.0.2.1:0', '192.0.2.1'],
    ['192.0.2.1:65535', '192.0.2.1'],
    ['192.0.2.1:_port', '192.0.2.1'],
    ['[192.0.2.1]', '192.0.2.1'],
    ['[192.0.2.1]:80', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:DB8:0::1]:443', '2001:db8::1'],
    ['[2001:db8::1]:_a.b-c', '2001:db8::1'],
    // A port without brackets: nine groups, five digits, after a dotted part.
    ['2001:db8:1:2:3:4:5:6:80', '2001:db8:1:2:3:4:5:6'],
    ['2001:db8:1:2:3:4:5:6:65535', '2001:db8:1:2:3:4:5:6'],
    ['2001:db8::1:51234', '2001:db8::1'],
    ['::1:10000', '::1'],
    ['::ffff:203.0.113.7:12345', '203.0.113.7'],
    ['64:ff9b::203.0.113.7:80', '64:ff9b::cb00:7107'],
    ['2001:db8::1:_port', '2001:db8::1'],
    // Ambiguous: as an address, as RFC 4291 reads it.
    ['2001:db8::1:4653', '2001:db8::1:4653'],
    ['1:2:3:4:5:6:7:8080', '1:2:3:4:5:6:7:8080'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['[::ffff:c000:201]:80', '192.0.2.1'],
    ['fe80::1%eth0.1', 'fe80::1'],
    ['[fe80::1%25eth0]:80', 'fe80::1'],
    ['fe80::1%eth0:51234', 'fe80::1'],
    ['"192.0.2.1"', '192.0.2.1'],
    ['"192.0.2.1:80"', '192.0.2.1'],
    ['"[2001:db8::1]:443"', '2001:db8::1'],
    [String.raw`"\[2001:db8\:\:1\]"`, '2001:db8::1'],
  ];
  for (const [entry, address] of forms) test(`is ${address} in ${entry}`, () => assert.equal(read(entry), address));

  test('of CloudFront always ends before the port', () => {
    const rows: readonly (readonly [entry: string, address: string])[] = [
      ['198.51.100.178:46532', '198.51.100.178'],
      ['2001:db8::8a2e:370:7334:4653', '2001:db8::8a2e:370:7334'],
      ['2001:db8:85a3:8d3:1319:8a2e:370:7348:443', '2001:db8:85a3:8d3:1319:8a2e:370:7348'],
      ['2001:db8::1:443', '2001:db8::1'],
      ['::ffff:198.51.100.178:80', '198.51.100.178'],
      ['[2001:db8::1]:443', '2001:db8::1'],
      // A function of the operator may have removed the port.
      ['198.51.100.178', '198.51.100.178'],
      ['2001:db8::1', '2001:db8::1'],
      ['2001:db8:85a3:8d3:1319:8a2e:370:7348', '2001:db8:85a3:8d3:1319:8a2e:370:7348'],
    ];
    for (const [entry, address] of rows) assert.equal(read(entry, 'cloudfront-viewer-address'), address);
  });
});

describe('no address', () => {
  test('is unknown, or an obfuscated identifier, also with a port', () => {
    for (const entry of ['unknown', 'Unknown', '"unknown"', 'unknown:80', 'unknown:_p'])
      assert.equal(read(entry), 'unknown');
    for (const entry of ['_x', '_SEVKISEK', '"_a.b-c"', '_x:80', '_x:_y']) assert.equal(read(entry), 'obfuscated');
  });

  const none = [
    ...['', 'localhost', 'unix:', '-', '(null)', '192.0.2', '192.0.2.256', '192.0.2.01', '0x7f.1', '2130706433'],
    ...['192.0.2.1:65536', '192.0.2.1:', '192.0.2.1:http', '192.0.2.1:80:80', '192.0.2.1%eth0', '[192.0.2.1', '[a]'],
    ...['[2001:db8::1', '2001:db8::1]', '[2001:db8::1]x', '[]', '[::1]:', '[::1]:65536', '::1:65536', ':::', ':80'],
    ...['2001:db8::1::', '::1%', '192.0.2.1/32', '2001:db8::/32', '"192.0.2.1', '""', '_', '"_"', 'for=192.0.2.1'],
    ...['1:2:3:4:5:6:7:8:9:10', 'a'.repeat(10_000), '%a'.repeat(5_000), '1.'.repeat(5_000), '\\'.repeat(5_000)],
  ];
  for (const entry of none)
    test(`is in ${entry.slice(0, 20) || 'nothing'}`, () => assert.equal(read(entry), 'no_address'));
});

test('every address is what Node reads in it, and the same before any port', () => {
  check(20_000, fc.tuple(fc.oneof(fc.ipV4(), fc.ipV6()), fc.integer({ min: 10_000, max: 65_535 })), ([text, port]) => {
    const family = isIP(text) === 4 ? 'ipv4' : 'ipv6';
    const address = parseAddress(new SocketAddress({ address: text, family }).address);
    assert.ok(address, text);
    const expected = formatAddress(unmapped(address));
    // Five digits are no group of an IPv6 address.
    for (const entry of [text, `[${text}]`, `[${text}]:${port}`, `[${text}]:80`, `${text}:${port}`, `"${text}"`])
      assert.equal(read(entry), expected, entry);
    assert.equal(read(`${text}:80`, 'cloudfront-viewer-address'), expected, text);
  });
});
