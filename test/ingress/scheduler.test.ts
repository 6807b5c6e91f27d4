/** The scheduler spreads synchronous and asynchronous work over event-loop iterations, in equal shares. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingressBounds as bounds } from '../../src/ingress/bounds.ts';
import { Scheduler } from '../../src/ingress/scheduler.ts';

const stepMs = 2;
const steps = 40;

function work(): void {
  const endMs = performance.now() + stepMs;
  while (performance.now() < endMs);
}

/** Runs steps that each start this work; returns in how many iterations they ran. */
async function iterationsOf(start: () => void): Promise<number> {
  const scheduler = new Scheduler({ ...bounds, iterationMs: 10 });
  let left = steps;
  let iterations = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const countIteration = (): void => {
    iterations += 1;
    if (left > 0) setImmediate(countIteration);
    else resolve();
  };
  scheduler.add(() => {
    start();
    left -= 1;
    return left > 0;
  });
  setImmediate(countIteration);
  await promise;
  return iterations;
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
  test(`ends an iteration's steps after their time, with work ${name}`, async () => {
    // 80 ms of work in portions of 10 ms.
    assert.ok((await iterationsOf(start)) >= 7);
  });

test('runs the steps of all connections in turn', async () => {
  const scheduler = new Scheduler(bounds);
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const name of ['a', 'b', 'c']) {
    let left = 3;
    scheduler.add(() => {
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
  const scheduler = new Scheduler(bounds);
  const order: string[] = [];
  const [one, other] = [{}, {}];
  const wait = (owner: object, name: string): Promise<unknown> => scheduler.wait(owner).then(() => order.push(name));
  await Promise.all([wait(one, 'a'), wait(one, 'b'), wait(one, 'c'), wait(other, 'd')]);
  assert.equal(order.join(''), 'adbc');
  await wait(one, 'e');
  assert.equal(order.join(''), 'adbce');
});
