/** Which results are about the visitor's own address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAboutVisitor } from '../../../../src/http/page/lookup/visitor.ts';

test('finds the address, its reverse name, or its range in a result', () => {
  for (const [value, ip] of [
    [{ ip: '203.0.113.7' }, '203.0.113.7'],
    [{ records: [{ data: 'sent from 203.0.113.7' }] }, '203.0.113.7'],
    [{ name: '7.113.0.203.in-addr.arpa' }, '203.0.113.7'],
    [{ name: '7.113.0.203.in-addr.arpa' }, '::ffff:203.0.113.7'],
    [{ summary: { startAddress: '203.0.113.0', endAddress: '203.0.113.255' } }, '203.0.113.0'],
    [{ summary: { startAddress: '203.0.113.0', endAddress: '203.0.113.255' } }, '203.0.113.255'],
    [{ summary: { startAddress: '2001:db8::', endAddress: '2001:db8:ffff::' } }, '2001:db8:1::1'],
  ] as const)
    assert.equal(isAboutVisitor(value, JSON.stringify(value), ip), true, `${JSON.stringify(value)} ${ip}`);
});

test('finds nothing about other addresses, and without an address', () => {
  const range = { summary: { startAddress: '203.0.113.0', endAddress: '203.0.113.255' } };
  for (const [value, ip] of [
    [range, '203.0.112.255'],
    [range, '203.0.114.0'],
    [range, '2001:db8::1'],
    [{ summary: { startAddress: '203.0.113.0', endAddress: null } }, '203.0.113.7'],
    [{ summary: { startAddress: '::', endAddress: '203.0.113.255' } }, '203.0.113.7'],
    [{ summary: {} }, '203.0.113.7'],
    [{}, '203.0.113.7'],
    [range, null],
    [{ ip: 'null' }, null],
    [range, 'unknown'],
  ] as const)
    assert.equal(isAboutVisitor(value, JSON.stringify(value), ip), false, `${JSON.stringify(value)} ${ip}`);
});
