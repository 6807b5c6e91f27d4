/** Only public addresses and names pass, in any notation. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatAddress, isPublicAddress, parseAddress, parsePrefix, widthOf } from '../../src/core/address.ts';
import { mayBePublic, mayContact } from '../../src/lookups/public-address.ts';

const isPublic = (text: string): boolean => isPublicAddress(parseAddress(text) ?? assert.fail(text));

/**
 * Rows of IANA's special-purpose address registries, with whether the registry calls them globally reachable.
 * https://www.iana.org/assignments/iana-ipv4-special-registry and .../iana-ipv6-special-registry
 */
const special: readonly (readonly [block: string, name: string, reachable: boolean])[] = [
  ['0.0.0.0/8', 'this network', false],
  ['0.0.0.0/32', 'this host on this network', false],
  ['10.0.0.0/8', 'private use', false],
  ['100.64.0.0/10', 'shared address space', false],
  ['127.0.0.0/8', 'loopback', false],
  ['169.254.0.0/16', 'link local', false],
  ['172.16.0.0/12', 'private use', false],
  ['192.0.0.0/24', 'IETF protocol assignments', false],
  ['192.0.0.0/29', 'IPv4 service continuity', false],
  ['192.0.0.8/32', 'dummy address', false],
  ['192.0.0.9/32', 'Port Control Protocol anycast', true],
  ['192.0.0.10/32', 'TURN anycast', true],
  ['192.0.0.170/32', 'NAT64/DNS64 discovery', false],
  ['192.0.0.171/32', 'NAT64/DNS64 discovery', false],
  ['192.0.2.0/24', 'TEST-NET-1', false],
  ['192.31.196.0/24', 'AS112-v4', true],
  ['192.52.193.0/24', 'AMT', true],
  ['192.88.99.0/24', 'deprecated 6to4 relay anycast', false],
  ['192.88.99.2/32', '6a44 relay anycast', false],
  ['192.168.0.0/16', 'private use', false],
  ['192.175.48.0/24', 'direct delegation AS112', true],
  ['198.18.0.0/15', 'benchmarking', false],
  ['198.51.100.0/24', 'TEST-NET-2', false],
  ['203.0.113.0/24', 'TEST-NET-3', false],
  ['240.0.0.0/4', 'reserved', false],
  ['255.255.255.255/32', 'limited broadcast', false],
  ['::1/128', 'loopback', false],
  ['::/128', 'unspecified', false],
  ['::ffff:0:0/96', 'IPv4-mapped', false],
  ['64:ff9b::/96', 'IPv4-IPv6 translation', true],
  ['64:ff9b:1::/48', 'IPv4-IPv6 translation', false],
  ['100::/64', 'discard only', false],
  ['100:0:0:1::/64', 'dummy prefix', false],
  ['2001::/23', 'IETF protocol assignments', false],
  ['2001::/32', 'Teredo', false],
  ['2001:1::1/128', 'Port Control Protocol anycast', true],
  ['2001:1::2/128', 'TURN anycast', true],
  ['2001:1::3/128', 'DNS-SD SRP anycast', true],
  ['2001:2::/48', 'benchmarking', false],
  ['2001:3::/32', 'AMT', true],
  ['2001:4:112::/48', 'AS112-v6', true],
  ['2001:10::/28', 'deprecated ORCHID', false],
  ['2001:20::/28', 'ORCHIDv2', true],
  ['2001:30::/28', 'drone remote ID', true],
  ['2001:db8::/32', 'documentation', false],
  ['2002::/16', '6to4', false],
  ['2620:4f:8000::/48', 'direct delegation AS112', true],
  ['3fff::/20', 'documentation', false],
  ['5f00::/16', 'segment routing SIDs', false],
  ['fc00::/7', 'unique local', false],
  ['fe80::/10', 'link local', false],
];

/** Globally reachable but rejected: they belong to blocks without sites. */
const refusedAlthoughReachable = [
  '192.0.0.9/32',
  '192.0.0.10/32',
  '64:ff9b::/96',
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:20::/28',
  '2001:30::/28',
];

describe('an address of a special-purpose block', () => {
  for (const [block, name, reachable] of special) {
    const allowed = reachable && !refusedAlthoughReachable.includes(block);
    test(`${block} (${name}) is ${allowed ? 'accepted' : 'rejected'}, from its first to its last address`, () => {
      const { first, length } = parsePrefix(block) ?? assert.fail(block);
      const hosts = (1n << BigInt(widthOf(first) - length)) - 1n;
      for (const bits of [first.bits, first.bits + hosts / 2n, first.bits + hosts])
        assert.equal(isPublicAddress({ ...first, bits }), allowed, formatAddress({ ...first, bits }));
    });
  }
});

test('rejects multicast, the returned 6bone and every unassigned block', () => {
  for (const text of [
    '224.0.0.1',
    '239.255.255.255',
    'ff02::1',
    '3ffe::1',
    '200::1',
    '4000::1',
    'a000::1',
    'fec0::1',
    '::7f00:1',
  ])
    assert.equal(isPublic(text), false, text);
});

test('accepts public addresses', () => {
  for (const text of [
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '2a00::1',
  ])
    assert.equal(isPublic(text), true, text);
});

test('rejects every notation of a non-public address as a URL host', () => {
  for (const host of [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '0',
    '１２７.0.0.1',
    '127。0。0。1',
    '127.0.0.1.',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:8.8.8.8]',
    '[::7f00:1]',
    '[64:ff9b::7f00:1]',
    '[fe80::1]',
    '169.254.169.254',
    '0xa9fea9fe',
    // Control services of clouds: Azure, Alibaba, Oracle, Amazon, Google.
    '168.63.129.16',
    '0xa83f8110',
    '100.100.100.200',
    '192.0.0.192',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
  ])
    assert.equal(mayBePublic(new URL(`http://${host}/`).hostname), false, host);
});

test('judges an address behind a NAT64 gateway by the IPv4 address that it reaches', () => {
  for (const text of [
    '8.8.8.8',
    '93.184.216.34',
    '10.0.0.5',
    '127.0.0.1',
    '169.254.169.254',
    '168.63.129.16',
    '0.0.0.0',
    '224.0.0.1',
  ]) {
    const translated = parseAddress(`64:ff9b::${text}`) ?? assert.fail(text);
    assert.equal(isPublicAddress(translated), false);
    assert.equal(mayContact(translated), mayContact(parseAddress(text) ?? assert.fail(text)), text);
    // Only the well-known prefix has a known form (RFC 6052 §2.2); local ones (RFC 8215) may embed addresses elsewhere.
    for (const prefix of ['64:ff9b:1::', '64:ff9b:0:0:0:1:', '64:ff9a::', '::', '::ffff:'])
      assert.equal(mayContact(parseAddress(`${prefix}${text}`) ?? assert.fail(text)), false, `${prefix}${text}`);
  }
});

test('rejects names of one network or machine, accepts other names', () => {
  for (const host of [
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'printer.local',
    'db.internal',
    'home.arpa',
    'nas.home.arpa.',
  ])
    assert.equal(mayBePublic(host), false, host);
  for (const host of [
    'example.com',
    'notlocalhost',
    'local.example',
    'internal.example.com',
    'homearpa',
    '168.63.129.15',
    '168.63.129.17',
    '1.1.1.1',
    '[2606:4700::1111]',
  ])
    assert.equal(mayBePublic(host), true, host);
});
