/** The network that counts as one client. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { formatAddress, parsePrefix } from '../../src/core/address.ts';
import { clientNetworkOf } from '../../src/wire/client-network.ts';
import { check } from '../random.ts';

describe('the network of a client', () => {
  test('is the address itself for IPv4', () => assert.equal(clientNetworkOf('192.0.2.1'), '192.0.2.1'));

  test('is the first 64 or 48 bits for IPv6, as arithmetic computes them', () => {
    const group = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 65_535n }));
    check(2_000, fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const bits = groups.reduce((all, group) => (all << 16n) | group, 0n);
      const text = formatAddress({ version: 6, bits });
      for (const length of [64, 48] as const) {
        const hostBits = BigInt(128 - length);
        const first = { version: 6, bits: (bits >> hostBits) << hostBits } as const;
        assert.deepEqual(parsePrefix(clientNetworkOf(text, length)), { first, length }, text);
      }
    });
  });
});

test('the network of an address whose last part is dotted counts that part as two groups', () => {
  assert.equal(clientNetworkOf('a::b:c:d:e:192.0.2.1'), 'a:0:b:c::/64');
  assert.equal(clientNetworkOf('a::b:c:d:e:192.0.2.1', 48), 'a:0:b::/48');
  assert.equal(clientNetworkOf('::ffff:192.0.2.1'), '0:0:0:0::/64');
});
