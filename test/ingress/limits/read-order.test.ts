/** The order in which connections are read: clients take turns, those first that have waited longest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadOrder } from '../../../src/ingress/limits/read-order.ts';

interface Port {
  readonly name: string;
  readonly share: string;
}

/** Ports whose clients are the first letters of their names. */
function createOrder(...names: readonly string[]) {
  const order = new ReadOrder<Port>();
  const ports = names.map((name): Port => ({ name, share: name.slice(0, 1) }));
  for (const port of ports) order.add(port);
  const use = (change: (port: Port) => void, ...used: readonly string[]): void => {
    for (const name of used) change(ports.find((port) => port.name === name) as Port);
  };
  return {
    order,
    touch: (...used: readonly string[]) => use((port) => order.touch(port), ...used),
    remove: (...used: readonly string[]) => use((port) => order.delete(port), ...used),
    names: () => [...order].map(({ name }) => name).join(' '),
  };
}

test('yields one connection of each client, then the next of each', () => {
  const { names, remove } = createOrder('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
  assert.equal(names(), 'a1 b1 c1 a2 c2 a3');
  remove('a1', 'b1');
  assert.equal(names(), 'a2 c1 a3 c2');
});

test('a client that was read, and each of its connections, comes after those that have waited longer', () => {
  const { names, touch } = createOrder('a1', 'a2', 'b1', 'c1');
  touch('a1', 'b1', 'c1');
  assert.equal(names(), 'a2 b1 c1 a1');
  touch('a2');
  assert.equal(names(), 'b1 c1 a1 a2');
});

test('a client that nothing was read of comes first, but four of them at most before one of the others', () => {
  const { names, touch, order } = createOrder('a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1', 'h1');
  touch('a1', 'b1');
  assert.equal(names(), 'c1 d1 e1 f1 a1 g1 h1 b1');
  // Of a client that is not new.
  order.add({ name: 'a2', share: 'a' });
  assert.equal(names(), 'c1 d1 e1 f1 a1 g1 h1 b1 a2');
});

test('a connection that has ended does not come back', () => {
  const { names, touch, remove } = createOrder('a1', 'b1');
  remove('a1');
  touch('a1');
  assert.equal(names(), 'b1');
});
