/** The turn queue spreads synchronous and asynchronous work over event-loop turns, in equal shares. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { createTurnQueue } from '../../src/ingress/scheduler.ts';

const stepMs = 2;
const steps = 40;

function work(): void {
  const endMs = performance.now() + stepMs;
  while (performance.now() < endMs);
}

/** Runs steps that each start this work; returns in how many turns they ran. */
async function turnsOf(start: () => void): Promise<number> {
  const queue = createTurnQueue({ ...bounds, turnMs: 10 });
  let left = steps;
  let turns = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const countTurn = (): void => {
    turns += 1;
    if (left > 0) setImmediate(countTurn);
    else resolve();
  };
  queue.add(() => {
    start();
    left -= 1;
    return left > 0;
  });
  setImmediate(countTurn);
  await promise;
  return turns;
}

for (const [name, start] of Object.entries({
  'of the step itself': work,
  'in promises of the step': async () => {
    for (let hop = 0; hop < 20; hop += 1) await null;
    work();
  },
  'in ticks and promises of the step': () => {
    process.nextTick(async () => {
      await null;
      process.nextTick(work);
    });
  },
}))
  test(`ends a turn after its time, with work ${name}`, async () => {
    // 80 ms of work in turns of 10 ms.
    assert.ok((await turnsOf(start)) >= 7);
  });

test('runs the steps of all connections in turn', async () => {
  const queue = createTurnQueue(bounds);
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const name of ['a', 'b', 'c']) {
    let left = 3;
    queue.add(() => {
      order.push(name);
      left -= 1;
      if (order.length === 9) resolve();
      return left > 0;
    });
  }
  await promise;
  assert.equal(order.join(''), 'abcabcabc');
});

test('lets waiting work of each owner run in order, and of all owners in turn', async () => {
  const queue = createTurnQueue(bounds);
  const order: string[] = [];
  const [one, other] = [{}, {}];
  const wait = (owner: object, name: string): Promise<unknown> => queue.wait(owner).then(() => order.push(name));
  await Promise.all([wait(one, 'a'), wait(one, 'b'), wait(one, 'c'), wait(other, 'd')]);
  assert.equal(order.join(''), 'adbc');
  await wait(one, 'e');
  assert.equal(order.join(''), 'adbce');
});
