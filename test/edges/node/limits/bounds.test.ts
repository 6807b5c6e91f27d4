/** The bounds of a thread follow the memory that it has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds, boundsOfThread } from '../../../../src/edges/node/limits/bounds.ts';

const growthOf = (threads: number, memoryMb: number): number =>
  boundsOfThread(bounds, { threads, memoryMb }).heapGrowthPercent;

test('the heap grows little where the memory is scarce', () => {
  const roomyMb = bounds.roomyThreadMb;
  assert.deepEqual(
    [growthOf(1, 0), growthOf(1, roomyMb), growthOf(2, 2 * roomyMb), growthOf(8, 0)],
    Array(4).fill(bounds.heapGrowthPercent),
  );
  assert.deepEqual([growthOf(1, roomyMb - 1), growthOf(2, roomyMb)], Array(2).fill(bounds.scarceHeapGrowthPercent));
});

test('a heap that is left as it is stays so', () => {
  const start = { ...bounds, heapGrowthPercent: 0 };
  assert.equal(boundsOfThread(start, { threads: 1, memoryMb: 96 }).heapGrowthPercent, 0);
});
