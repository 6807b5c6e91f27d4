/**
 * Prints, in MiB, the heap after a start that has created many objects, and the largest size of the heap while old objects are replaced.
 * memory-limit.test.ts runs it in a process of its own, because V8's flags are the process's.
 */
import { getHeapStatistics } from 'node:v8';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { settleHeap } from '../../src/native/garbage.ts';

/** 23 MiB. */
const kept = 30_000;
const perRound = 1_000;
const rounds = 400;

let arrays: number[][] = [];
const replace = (round: number): void => {
  for (let each = 0; each < perRound; each += 1) arrays[(round * perRound + each) % kept] = new Array(100).fill(round);
};
const print = (bytes: number): void => console.log(Math.round(bytes / 2 ** 20));

for (let round = 0; round < rounds / 4; round += 1) replace(round);
arrays = [];
settleHeap(bounds.heapGrowthPercent);
print(getHeapStatistics().total_physical_size);

let mostBytes = 0;
for (let round = 0; round < rounds; round += 1) {
  replace(round);
  mostBytes = Math.max(mostBytes, process.memoryUsage().heapUsed);
}
print(mostBytes);
