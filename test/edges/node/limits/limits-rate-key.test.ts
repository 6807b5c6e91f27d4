/** The keys of the limits: one for each client, without its address. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRateKeyOf, keysOf } from '../../../../src/edges/node/limits/limits.ts';

const rateKeyOf = createRateKeyOf('secret');

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
      assert.equal(new Set(group.map(rateKeyOf)).size, 1, group.map((ip) => `${ip} ${rateKeyOf(ip)}`).join('\n'));
    });
  }

  test('differs between different /64 and different IPv4 addresses', () => {
    const others = ['1.2.3.4', '1.2.3.5', '2001:db8:1:3::1', '2001:db8:1:20::1', '2001:db9::1', '1:0:0:1::'];
    const ips = [null, ...same.map(([first]) => first as string), ...others];
    assert.equal(new Set(ips.map(rateKeyOf)).size, ips.length);
  });

  test('contains nothing of the address and has one length per IP version', () => {
    for (const ip of ['1.2.3.4', '203.0.113.195', null]) assert.match(rateKeyOf(ip), /^[0-o]{11}$/);
    // The hash of the /64 and that of the /48.
    for (const ip of ['2001:db8:1:2::1', '::1']) assert.match(rateKeyOf(ip), /^[0-o]{22}$/);
  });

  test('depends on the secret', () => {
    const [first, second, same] = ['first', 'second', 'first'].map((secret) => createRateKeyOf(secret)('1.2.3.4'));
    assert.notEqual(first, second);
    assert.equal(first, same);
  });

  test('divides into the client and its /48', () => {
    const { client, network } = keysOf(rateKeyOf('2001:db8:1:2::1'));
    const neighbor = keysOf(rateKeyOf('2001:db8:1:3::1'));
    assert.notEqual(client, neighbor.client);
    assert.equal(network, neighbor.network);
    assert.equal(keysOf(rateKeyOf('1.2.3.4')).network, null);
  });
});
