/** Datagrams that wait: addresses take turns, and none takes the room of the others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatagramQueue } from '../../../src/native/quic/datagram-queue.ts';

/** A queue with an attacker's datagrams in it. */
function createQueue(max: number, floods: Readonly<Record<string, number>>): DatagramQueue<string> {
  const queue = new DatagramQueue<string>(max);
  for (const [address, count] of Object.entries(floods))
    for (let at = 0; at < count; at += 1) queue.push(address, address);
  return queue;
}

const takeAll = (queue: DatagramQueue<string>): string => {
  let taken = '';
  for (let next = queue.shift(); next !== null; next = queue.shift()) taken += next;
  return taken;
};

test('addresses take turns, however much each has sent', () => {
  const queue = createQueue(1_600, { a: 5, b: 2 });
  queue.push('c', 'c');
  assert.equal(queue.size, 8);
  assert.equal(takeAll(queue), 'abcabaaa');
  assert.deepEqual([queue.size, queue.shift()], [0, null]);
});

test('what an address sends above its share is lost, and others still have room', () => {
  const queue = createQueue(160, { a: 100, b: 100 });
  // A sixteenth, and a seventeenth with another address.
  assert.equal(queue.size, 10 + 10);
  queue.push('c', 'c');
  assert.equal(takeAll(queue).slice(0, 3), 'abc');
});

test('there is no room above the bound for all', () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}`, 1]));
  assert.equal(createQueue(20, many).size, 20);
});

test('an address whose datagrams cost more leaves turns to others, while others wait', () => {
  const queue = createQueue(1_600, { a: 3, b: 4 });
  queue.charge('a', 2);
  assert.equal(takeAll(queue), 'bbababa');
  queue.charge('a', 5);
  queue.push('a', 'a');
  assert.equal(queue.shift(), 'a');
  queue.charge('a', 1);
  queue.push('a', 'a');
  queue.push('b', 'b');
  assert.equal(takeAll(queue), 'ba');
});
