/** Datagrams that wait: clients take turns, and none takes the room of the others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatagramQueue } from '../../../src/native/quic/datagram-queue.ts';

interface Datagram {
  readonly client: string;
}

/** A queue with an attacker's datagrams in it. */
function createQueue(max: number, floods: Readonly<Record<string, number>>): DatagramQueue<Datagram> {
  const queue = new DatagramQueue<Datagram>(max, 0);
  for (const [client, count] of Object.entries(floods))
    for (let at = 0; at < count; at += 1) queue.add({ client }, client);
  return queue;
}

const takeAll = (queue: DatagramQueue<Datagram>): string => {
  let taken = '';
  for (let next = queue.take(); next !== null; next = queue.take()) taken += next[0].client;
  return taken;
};

test('what a client sends above its share is lost, and others still have room', () => {
  const queue = createQueue(160, { a: 100, b: 100 });
  // A sixteenth, and a seventeenth with another client.
  assert.equal(queue.size, 10 + 10);
  queue.add({ client: 'c' }, 'c');
  assert.equal(takeAll(queue).slice(0, 3), 'abc');
});

test('there is no room above the bound for all', () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}`, 1]));
  assert.equal(createQueue(20, many).size, 20);
});
