/** Reading stops above the bounds of an iteration, and begins again with the clients that have waited longest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingressBounds as bounds } from '../../../src/ingress/bounds.ts';
import type { ReadPort } from '../../../src/ingress/schedule/reads.ts';
import { Scheduler } from '../../../src/ingress/schedule/scheduler.ts';

/** A connection that records whether it is read. */
class Port implements ReadPort {
  iterationBytes = 0;
  readonly flow: unknown;
  isRead = true;
  readonly #onResumed: (port: Port) => void;

  constructor(flow: unknown = {}, onResumed: (port: Port) => void = () => {}) {
    this.flow = flow;
    this.#onResumed = onResumed;
  }

  stopReading(): void {
    this.isRead = false;
  }

  resumeReading(): void {
    this.isRead = true;
    this.#onResumed(this);
  }
}

/** Nothing but the bound under test stops reading. */
const unlimited = {
  ...bounds,
  maxBytesPerIteration: 1_000_000,
  maxConnectionBytesPerIteration: 1_000_000,
  maxStreamsPerIteration: 1_000,
};

for (const [name, changed, isOtherRead] of [
  ['a connection above its bytes', { maxConnectionBytesPerIteration: 1_000 }, true],
  ['all connections above the bytes of an iteration', { maxBytesPerIteration: 1_000 }, false],
  ['all connections above the streams of an iteration', { maxStreamsPerIteration: 2 }, false],
] as const)
  test(`stops reading ${name}, until the next iteration`, async () => {
    const { reads } = new Scheduler({ ...unlimited, ...changed });
    const port = new Port();
    const other = new Port();
    const late = new Port();
    for (const each of [port, other]) reads.track(each);
    reads.count(port, 1, 600);
    assert.deepEqual([port.isRead, other.isRead], [true, true]);
    reads.count(port, 1, 600);
    assert.deepEqual([port.isRead, other.isRead], [false, isOtherRead]);
    // One that connects after that.
    reads.track(late);
    reads.count(late, 0.25, 10);
    assert.equal(late.isRead, isOtherRead);
    reads.resume(port);
    assert.equal(port.isRead, false);
    await new Promise(setImmediate);
    assert.deepEqual([port.isRead, other.isRead, late.isRead], [true, true, true]);
    reads.count(port, 1, 600);
    assert.equal(port.isRead, true);
  });

test('reads again a connection of each client in turn, new clients first', async () => {
  const { reads } = new Scheduler({ ...unlimited, maxStreamsPerIteration: 2 });
  const resumed: unknown[] = [];
  const ports = [...'aaab'].map((flow) => new Port(flow, (port) => resumed.push(port.flow)));
  for (const port of ports) reads.track(port);
  for (const port of ports.slice(0, 3)) reads.count(port, 1, 1);
  await new Promise(setImmediate);
  assert.deepEqual(resumed, ['b', 'a', 'a', 'a']);
});

/** Ports whose clients are the first letters of their names; reading stops at every second stream. */
function createPorts(...names: readonly string[]) {
  const { reads } = new Scheduler({ ...unlimited, maxStreamsPerIteration: 2 });
  const resumed: string[] = [];
  const ports = new Map(names.map((name) => [name, new Port(name.slice(0, 1), () => resumed.push(name))]));
  const ends = new Map([...ports].map(([name, port]) => [name, reads.track(port)]));
  return {
    /** Reads these in turn, stops all, and returns the order in which reading is resumed. */
    async orderAfter(...read: readonly string[]): Promise<string> {
      resumed.length = 0;
      for (const name of read) reads.count(ports.get(name) as Port, 2 / read.length, 1);
      await new Promise(setImmediate);
      return resumed.join(' ');
    },
    end: (name: string) => ends.get(name)?.(),
  };
}

test('a client that was read, and each of its connections, comes after those that have waited longer', async () => {
  const { orderAfter, end } = createPorts('a1', 'a2', 'b1', 'c1');
  assert.equal(await orderAfter('a1', 'b1', 'c1'), 'a2 b1 c1 a1');
  assert.equal(await orderAfter('a2'), 'b1 c1 a1 a2');
  end('a1');
  assert.equal(await orderAfter('b1'), 'c1 a2 b1');
});

test('a client that nothing was read of comes first, but four of them at most before one of the others', async () => {
  const { orderAfter } = createPorts('a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1', 'h1');
  assert.equal(await orderAfter('a1', 'b1'), 'c1 d1 e1 f1 a1 g1 h1 b1');
});
