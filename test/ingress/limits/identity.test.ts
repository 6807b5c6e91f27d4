/** The identity of a client: one for each client, and keys without its address. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createIdentify } from '../../../src/ingress/limits/identity.ts';

const identify = createIdentify('secret');
const keyOf = (ip: string | null, from = identify): string => Object.values(from(ip).key).join();

describe('the key', () => {
  const same: readonly (readonly string[])[] = [
    ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::'],
    ['2001:db8::1', '2001:db8::', '2001:db8::1:2:3:4', '2001:db8:0:0:1::', '2001:db8::a:0:0:b'],
    ['::1', '::', '::2:3:4:5', '::1.2.3.4', '::ffff:1.2.3.4'],
    ['fe80::1', 'fe80::2:0:0:1', 'fe80:0:0:0:1::'],
    ['1:0:0:2::', '1::2:0:0:0:1', '1:0:0:2:3:4:5:6'],
  ];
  for (const group of same) {
    test(`is the same for the /64 of ${group[0]}`, () => {
      assert.equal(new Set(group.map((ip) => keyOf(ip))).size, 1, group.map((ip) => `${ip} ${keyOf(ip)}`).join('\n'));
    });
  }

  test('differs between different /64 and different IPv4 addresses', () => {
    const others = ['1.2.3.4', '1.2.3.5', '2001:db8:1:3::1', '2001:db8:1:20::1', '2001:db9::1', '1:0:0:1::'];
    const ips = [null, ...same.map(([first]) => first as string), ...others];
    assert.equal(new Set(ips.map((ip) => keyOf(ip))).size, ips.length);
  });

  test('depends on the secret, which is random if none is given', () => {
    const keyBy = (secret: string): string => keyOf('1.2.3.4', createIdentify(secret));
    assert.notEqual(keyBy('one'), keyBy('another'));
    assert.equal(keyBy('one'), keyBy('one'));
    assert.notEqual(keyOf('1.2.3.4', createIdentify()), keyOf('1.2.3.4', createIdentify()));
  });

  test('of a network is the same for its clients, and differs from theirs', () => {
    for (const [one, other, stranger] of [
      ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:2:2::1'],
      ['192.0.2.1', '192.0.2.255', '192.0.3.1'],
    ] as const) {
      assert.deepEqual(identify(one).networkKey, identify(other).networkKey);
      assert.notDeepEqual(identify(one).networkKey, identify(stranger).networkKey);
      assert.notDeepEqual(identify(one).networkKey, identify(one).key);
    }
  });
});

test('a client is an IPv4 address in a /24, or an IPv6 /64 in a /48', () => {
  const partsOf = (ip: string) => {
    const { network, prefix } = identify(ip);
    return [network, prefix];
  };
  assert.deepEqual(partsOf('192.0.2.1'), ['192.0.2.0/24', '192.0.2.1']);
  assert.deepEqual(partsOf('2001:db8:1:2::1'), ['2001:db8:1::/48', '2001:db8:1:2::/64']);
});
