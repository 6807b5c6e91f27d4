/** Addresses and prefixes: parsing, containment, canonical text, client networks. */
import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, test } from 'node:test';
import { contains, formatAddress, parseAddress, parsePrefix, prefixOf, unmapped } from '../../src/core/address.ts';
import { checkDrawn, type Draw, drawBy } from '../random.ts';

const address = (text: string) => parseAddress(text) ?? assert.fail(text);
const prefix = (text: string) => parsePrefix(text) ?? assert.fail(text);

/** Text similar to an address, valid or not. */
function almostAddress(next: Draw): string {
  const some = <Item>(most: number, item: () => Item): Item[] => Array.from({ length: next(most + 1) }, item);
  if (next(4) === 0) return some(5, () => (next(9) === 0 ? '0' : '') + next(300)).join('.');
  const groups = some(8, () => (next(2) === 0 ? '0' : next(70_000).toString(16))).join(':');
  const tail = ['', '', '', '::', ':1.2.3.4', '::1.2.3.400'][next(6)];
  return (next(3) === 0 ? '::' : '') + (next(2) === 0 ? groups.replace(':0:', '::') : groups) + tail;
}

describe('an address', () => {
  test('is read and printed as Node and the URL standard do it', () => {
    let valid = 0;
    const rounds = checkDrawn(20_000, (draw) => {
      const next = drawBy(draw);
      const text = almostAddress(next);
      const parsed = parseAddress(text);
      assert.equal(parsed?.version ?? 0, isIP(text), text);
      if (parsed === null) return;
      valid += 1;
      const printed = parsed.version === 4 ? text : new URL(`http://[${text}]`).hostname.slice(1, -1);
      assert.equal(formatAddress(parsed), printed);
    });
    assert.ok(valid > 0.05 * rounds, `${valid} of ${rounds}`);
  });

  for (const text of [
    '',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '0x7f.1',
    '1.2.3.256',
    ' 1.2.3.4',
    'fe80::1%eth0',
    '[::1]',
    ':::',
    '1::2::3',
  ])
    test(`is not "${text}"`, () => assert.equal(parseAddress(text), null));

  test('that is IPv4-mapped stands for the IPv4 address', () => {
    assert.equal(formatAddress(unmapped(address('::ffff:192.0.2.1'))), '192.0.2.1');
    for (const other of ['::192.0.2.1', '2001:db8::1', '192.0.2.1'])
      assert.deepEqual(unmapped(address(other)), address(other));
  });
});

describe('a prefix', () => {
  test('loses its host bits', () => {
    const { first, length } = prefix('192.0.2.130/25');
    assert.deepEqual([formatAddress(first), length], ['192.0.2.128', 25]);
    assert.equal(formatAddress(prefix('2001:db8:ffff::1/33').first), '2001:db8:8000::');
  });

  test('without a length is one address', () => {
    assert.equal(prefix('192.0.2.1').length, 32);
    assert.equal(prefix('::1').length, 128);
  });

  for (const text of ['192.0.2.0/33', '::/129', '192.0.2.0/', '192.0.2.0/a', '192.0.2.0/8/8', '/8', '192.0.2.0/-1'])
    test(`is not "${text}"`, () => assert.equal(parsePrefix(text), null));

  test('contains the addresses between its first and its last, of its own version', () => {
    for (const [text, first, last, outside] of [
      ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', ['9.255.255.255', '11.0.0.0', '::a00:0', '::ffff:10.0.0.1']],
      ['0.0.0.0/0', '0.0.0.0', '255.255.255.255', ['::']],
      ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', ['2001:db7::', '2001:db9::']],
    ] as const) {
      for (const inside of [first, last]) assert.ok(contains(prefix(text), address(inside)), inside);
      for (const other of outside) assert.ok(!contains(prefix(text), address(other)), other);
    }
  });
});

test('a malformed prefix in a table is an error', () => {
  assert.deepEqual(prefixOf('10.0.0.0/8'), parsePrefix('10.0.0.0/8'));
  for (const text of ['10.0.0.0/33', 'x', '']) assert.throws(() => prefixOf(text), TypeError);
});
