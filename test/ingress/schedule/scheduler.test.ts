/** The scheduler spreads synchronous and asynchronous work over event-loop iterations, in equal shares. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingressBounds as bounds } from '../../../src/ingress/bounds.ts';
import { Scheduler } from '../../../src/ingress/schedule/scheduler.ts';
import { threadMs } from '../../../src/native/thread-clock.ts';

const stepMs = 2;
const steps = 40;

function work(): void {
  const endMs = threadMs() + stepMs;
  while (threadMs() < endMs);
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
  }, 'client');
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

for (const [name, flows, expected] of [
  ['of all connections of a client in turn', 'xxx', 'abcabcabc'],
  ['of all clients in turn, whatever the number of their connections', 'xxy', 'acbcacbab'],
] as const)
  test(`runs the steps ${name}`, async () => {
    const scheduler = new Scheduler(bounds);
    const order: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const [at, flow] of [...flows].entries()) {
      let left = 3;
      scheduler.add(() => {
        order.push('abc'[at] ?? '');
        left -= 1;
        if (order.length === 9) resolve();
        return left > 0;
      }, flow);
    }
    await promise;
    assert.equal(order.join(''), expected);
  });

test('lets waiting work of each owner run in order, and of all owners in turn', async () => {
  const scheduler = new Scheduler(bounds);
  const order: string[] = [];
  const one = {};
  const other = {};
  const wait = (owner: object, name: string): Promise<unknown> =>
    scheduler.wait(owner, owner).then(() => order.push(name));
  await Promise.all([wait(one, 'a'), wait(one, 'b'), wait(one, 'c'), wait(other, 'd')]);
  assert.equal(order.join(''), 'adbc');
  await wait(one, 'e');
  assert.equal(order.join(''), 'adbce');
});

test('starts work immediately up to a number, and after the first only while the iteration has time', async () => {
  for (const [iterationMs, expected] of [
    [60_000, [true, true, false]],
    [0, [true, false, false]],
  ] as const) {
    const scheduler = new Scheduler({ ...bounds, iterationMs, maxImmediateStarts: 2 });
    const takeAll = () => [scheduler.tryStart(), scheduler.tryStart(), scheduler.tryStart()];
    assert.deepEqual(takeAll(), expected);
    await new Promise(setImmediate);
    assert.deepEqual(takeAll(), expected);
  }
});

test('always has time for the end of a connection that ends alone, and otherwise like for other work', (context) => {
  let nowMs = 0;
  context.mock.method(performance, 'now', () => nowMs);
  const changed = { ...bounds, iterationMs: 0 };
  const scheduler = new Scheduler(changed);
  const ends = () => {
    nowMs += 10;
    return [scheduler.hasTimeToEnd(), scheduler.hasTimeToEnd(), scheduler.hasTime()];
  };
  assert.deepEqual(ends(), [true, false, false]);
  scheduler.add(() => false, 'client');
  assert.deepEqual(ends(), [false, false, false]);
  // Otherwise the step would wait for ever.
  changed.iterationMs = bounds.iterationMs;
});

test('starts nothing immediately that would overtake a step', async () => {
  const scheduler = new Scheduler({ ...bounds, iterationMs: 60_000 });
  const { promise, resolve } = Promise.withResolvers<void>();
  scheduler.add(() => {
    resolve();
    return false;
  }, 'waiting');
  assert.deepEqual([scheduler.tryStart(), scheduler.hasTime()], [false, false]);
  await promise;
  assert.deepEqual([scheduler.tryStart(), scheduler.hasTime()], [true, true]);
});

const busyClients = 30;

/** Runs steps of clients that always have another one, and after `before` steps calls `arrive`; returns the order of 200 steps. */
async function orderWith(before: number, arrive: (add: (flow: string) => void) => void): Promise<readonly string[]> {
  const scheduler = new Scheduler(bounds);
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const record = (flow: string, isBusy: boolean): boolean => {
    order.push(flow);
    if (order.length === before) arrive((name) => scheduler.add(() => record(name, false), name));
    if (order.length === 200) resolve();
    return isBusy && order.length < 200;
  };
  for (let each = 0; each < busyClients; each += 1) scheduler.add(() => record(`busy ${each}`, true), each);
  await promise;
  return order;
}

test('a new client does not wait behind those that always have more to do', async () => {
  const order = await orderWith(100, (add) => add('new'));
  assert.ok(order.indexOf('new') < 102, `${order.indexOf('new')}`);
});

test('any number of new clients leaves the others a fifth of the steps', async () => {
  const order = await orderWith(100, (add) => {
    for (let each = 0; each < 500; each += 1) add(`new ${each}`);
  });
  assert.equal(order.slice(100).filter((name) => name.startsWith('busy')).length, 20);
});

for (const [one, other] of [
  ['handshake', 'request'],
  ['request', 'handshake'],
] as const)
  test(`a ${other} does not wait behind the ${one}s of many new clients`, async () => {
    const scheduler = new Scheduler(bounds);
    const order: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    for (let each = 0; each < 40; each += 1)
      scheduler.add(
        () => {
          work();
          if (order.push(one) === 5) {
            assert.equal(scheduler.tryStart(one), false);
            // The first of them comes after a step of the other kind, which has had no time so far.
            for (const name of ['a', 'b']) scheduler.add(() => order.push(name) < 0, name, other);
          }
          if (order.length === 42) resolve();
          return false;
        },
        each,
        one,
      );
    await promise;
    assert.ok(order.indexOf('b') <= 8, order.join());
  });

for (const [one, other] of [
  ['handshake', 'request'],
  ['request', 'handshake'],
] as const)
  test(`a ${other} gets its turn although a ${one} takes the time of each iteration`, async () => {
    const scheduler = new Scheduler({ ...bounds, iterationMs: 1 });
    const order: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const begin = (): void => {
      scheduler.add(
        () => {
          work();
          return order.push(one) < 0;
        },
        'client',
        one,
      );
      if (order.length < 20 && !order.includes(other)) setImmediate(begin);
      else resolve();
    };
    begin();
    scheduler.add(() => order.push(other) < 0, 'new', other);
    await promise;
    assert.ok(order.includes(other) && order.length <= 4, order.join());
  });

test('requests start immediately while handshakes wait', async () => {
  const scheduler = new Scheduler({ ...bounds, iterationMs: 60_000 });
  const { promise, resolve } = Promise.withResolvers<void>();
  scheduler.add(
    () => {
      resolve();
      return false;
    },
    'waiting',
    'handshake',
  );
  assert.deepEqual([scheduler.tryStart('handshake'), scheduler.tryStart(), scheduler.hasTime()], [false, true, true]);
  await promise;
});

/** Runs many steps of handshakes and of first requests, each of them a unit of work; returns how many of the first 30 are handshakes. */
async function handshakesWith(maxUnservedConnections: number): Promise<number> {
  const scheduler = new Scheduler({ ...bounds, maxUnservedConnections, unservedHandshakeShare: 0.2 });
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  for (let at = 0; at < 30; at += 1)
    for (const kind of ['handshake', 'first'] as const)
      scheduler.add(
        () => {
          work();
          order.push(kind);
          if (order.length === 60) resolve();
          return false;
        },
        `client ${at}`,
        kind,
      );
  await promise;
  return order.slice(0, 30).filter((kind) => kind === 'handshake').length;
}

test('gives handshakes a fifth of the time while the first requests of more connections wait than are to, otherwise half', async () => {
  const most = await handshakesWith(5);
  assert.ok(most >= 4 && most <= 10, `${most} of 30`);
  const half = await handshakesWith(30);
  assert.ok(half >= 12 && half <= 18, `${half} of 30`);
});

test('starts no handshake immediately while the first requests of more connections wait than are to', async () => {
  const scheduler = new Scheduler({ ...bounds, iterationMs: 60_000, maxUnservedConnections: 1 });
  const first = (): Promise<void> =>
    new Promise((resolve) =>
      scheduler.add(
        () => {
          resolve();
          return false;
        },
        'client',
        'first',
      ),
    );
  const one = first();
  assert.equal(scheduler.tryStart('handshake'), true);
  const other = first();
  assert.equal(scheduler.tryStart('handshake'), false);
  await Promise.all([one, other]);
  assert.equal(scheduler.tryStart('handshake'), true);
});
