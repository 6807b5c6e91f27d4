/** Work that waits: clients take turns, new ones first, and those whose work takes longer leave turns to others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from '../../src/native/turns.ts';

interface Item {
  readonly client: string;
}

function createTurns(waiting: Readonly<Record<string, number>>, credit = 0): Turns<Item> {
  const turns = new Turns<Item>(credit);
  for (const [client, count] of Object.entries(waiting))
    for (let at = 0; at < count; at += 1) turns.add({ client }, client);
  return turns;
}

function takeAll(turns: Turns<Item>): string {
  let taken = '';
  for (let next = turns.take(); next !== null; next = turns.take()) {
    assert.equal(next[0].client, next[1]);
    taken += next[1];
  }
  return taken;
}

test('clients take turns, however much of each waits', () => {
  const turns = createTurns({ a: 5, b: 2, c: 1 });
  assert.deepEqual([turns.size, turns.flows, turns.countOf('a')], [8, 3, 5]);
  assert.equal(takeAll(turns), 'abcabaaa');
  assert.deepEqual([turns.size, turns.flows, turns.countOf('a'), turns.take()], [0, 0, 0, null]);
});

test('an item that waits is not added again', () => {
  const turns = createTurns({});
  const item = { client: 'a' };
  for (let times = 0; times < 3; times += 1) turns.add(item, 'a');
  assert.equal(turns.size, 1);
});

test('a client without work in the last second goes first, but four of them at most before one of the others', () => {
  const turns = createTurns({ a: 2, b: 2 });
  turns.take();
  turns.take();
  // Two new ones have been taken in a row.
  for (const client of 'cdefghi') turns.add({ client }, client);
  assert.equal(takeAll(turns), 'cdaefghbi');
  turns.forgetRecent(5_000);
  turns.add({ client: 'a' }, 'a');
  turns.take();
  turns.forgetRecent(5_500);
  // The second has not passed.
  for (const client of ['a', 'a', 'c']) turns.add({ client }, client);
  assert.equal(takeAll(turns), 'caa');
});

test('a client whose work takes longer leaves turns to others, while others wait', () => {
  const turns = createTurns({ a: 3, b: 4 });
  turns.charge('a', 2);
  assert.equal(takeAll(turns), 'bbababa');
  turns.charge('a', 5);
  turns.add({ client: 'a' }, 'a');
  assert.equal(takeAll(turns), 'a');
});

test('a client owes nothing until it has used its credit of a second', () => {
  const turns = createTurns({ a: 3, b: 3 }, 2);
  turns.charge('a', 2);
  assert.equal(takeAll(turns), 'ababab');
  turns.charge('a', 1);
  for (const client of 'aabb') turns.add({ client }, client);
  assert.equal(takeAll(turns), 'baba');
  turns.forgetRecent(5_000);
  turns.charge('a', 2);
  for (const client of 'aabb') turns.add({ client }, client);
  assert.equal(takeAll(turns), 'baba');
});
