/** The rate of responses to a network. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dnsBounds } from '../../../src/ingress/dns/bounds.ts';
import { ResponseRate } from '../../../src/ingress/dns/response-rate.ts';

const countAll = (rate: ResponseRate, network: string, times: number) => {
  const kinds = Array.from({ length: times }, () => rate.count(network));
  return Object.entries(Object.groupBy(kinds, (each) => each)).map(([kind, all]) => [kind, all?.length]);
};

test('counts each network for itself, anew each second', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const rate = new ResponseRate(3, dnsBounds);
  const all = [
    ['whole', 3],
    // Up to four times the rate, and then one of four.
    ['truncated', 9 + 2],
    ['none', 6],
  ];
  assert.deepEqual(countAll(rate, 'a', 20), all);
  context.mock.timers.tick(999);
  assert.deepEqual(countAll(rate, 'b', 1), [['whole', 1]]);
  assert.deepEqual(countAll(rate, 'a', 1), [['none', 1]]);
  context.mock.timers.tick(1);
  assert.deepEqual(countAll(rate, 'a', 20), all);
});

test('counts a number of networks, and the first one anew', () => {
  const rate = new ResponseRate(1, { ...dnsBounds, maxNetworks: 2 });
  const kinds = ['a', 'b', 'c', 'c', 'a'].map((network) => rate.count(network));
  assert.deepEqual(kinds, ['whole', 'whole', 'whole', 'truncated', 'whole']);
});

test('0 means no limit', () => {
  assert.deepEqual(countAll(new ResponseRate(0, dnsBounds), 'a', 1_000), [['whole', 1_000]]);
});
