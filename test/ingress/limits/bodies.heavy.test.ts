/** Memory that all clients share: its largest holder gives up first. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ingressBounds } from '../../../src/ingress/bounds.ts';
import { Bodies } from '../../../src/ingress/limits/bodies.ts';
import { createIdentify } from '../../../src/ingress/limits/identity.ts';

const identify = createIdentify();

const maxBytes = 65_536;

/** A memory for bodies, and a function that begins to read one of a client, of which the given bytes have arrived. */
function createBodies() {
  const closed: string[] = [];
  const memory = new Bodies({ ...ingressBounds, discardTimeoutMs: 1 }, (reason) => closed.push(reason));
  const begin = (ip: string | null, bytes: number) => {
    const source = new Readable({ read() {} });
    const holder = ip === null ? null : identify(ip);
    const { promise: end, resolve: release } = Promise.withResolvers<() => void>();
    const result = memory.read(source, { declaredBytes: 0, maxBytes, holder }, release);
    source.push(Buffer.alloc(bytes));
    return { source, result, end };
  };
  const arrive = async (): Promise<void> => {
    await setImmediate();
  };
  return { memory, begin, arrive, closed };
}

describe('bodies above the memory for all of them', () => {
  const attackers = {
    '20 addresses': (at: number) => `198.51.100.${at % 20}`,
    'as many addresses of one network': (at: number) => `2001:db8:1:${at.toString(16)}::1`,
  };
  for (const [name, ip] of Object.entries(attackers))
    test(`leave room for slow ones of others, beside 200 of ${name} that are renewed`, async () => {
      const { begin, arrive, closed } = createBodies();
      // The oldest of all.
      const honest = Array.from({ length: 40 }, (_, at) => begin(`203.0.${at}.1`, 10_000));
      await arrive();
      for (let round = 0; round < 3; round += 1) {
        for (let at = 0; at < 200; at += 1) begin(ip(at), maxBytes - 1);
        await arrive();
        for (const { source } of honest) source.push(Buffer.alloc(3_000));
        await arrive();
      }
      for (const { source } of honest) source.push(null);
      const results = await Promise.all(honest.map(({ result }) => result));
      assert.deepEqual(
        results.map((body) => body.length),
        Array<number>(40).fill(19_000),
      );
      assert.ok(closed.length > 200);
    });

  test('are rejected if they are still arriving, in favor of one that has arrived', async () => {
    const { memory, begin, arrive, closed } = createBodies();
    const holders = ['203.0.113.2', '203.0.113.3'].map((ip) => identify(ip));
    assert.equal(memory.add(ingressBounds.maxBodyBytes - 130_000, null), true);
    const largest = begin('198.51.100.1', 60_000);
    const other = begin('203.0.113.1', 10_000);
    await arrive();
    for (const holder of holders) assert.equal(memory.add(50_000, holder), true);
    other.source.push(null);
    assert.deepEqual([await largest.result, (await other.result).length, closed.length], ['overloaded', 10_000, 1]);
    assert.equal(memory.add(40_000, null), false);
    memory.remove(50_000);
    assert.equal(memory.add(40_000, null), true);
  });

  test('reject one that has arrived, if its client has more of them arriving than others', async () => {
    const { memory, begin, arrive, closed } = createBodies();
    const slow = Array.from({ length: 8 }, (_, at) => begin(`203.0.113.${at}`, 1_000));
    await arrive();
    const left = 4_000;
    assert.equal(memory.add(ingressBounds.maxBodyBytes - 8 * 1_024 - left, null), true);
    assert.equal(memory.add(2 * left, identify('198.51.100.1')), false);
    for (const { source } of slow) source.push(null);
    const results = await Promise.all(slow.map(({ result }) => result));
    assert.deepEqual([results.map((body) => body.length), closed.length], [Array<number>(8).fill(1_000), 1]);
  });

  test('of a trusted proxy are compared one by one', async () => {
    const { begin, arrive } = createBodies();
    const small = begin(null, 1_000);
    for (let at = 0; at < 200; at += 1) begin(null, maxBytes - 1);
    await arrive();
    small.source.push(null);
    assert.equal((await small.result).length, 1_000);
  });
});
