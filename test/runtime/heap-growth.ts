/** Replaces old objects, and prints the largest size of the heap in MiB; run by memory.test.ts, because V8's flags are the process's. */
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { limitHeapGrowth } from '../../src/native/garbage.ts';

/** 23 MiB. */
const kept = 30_000;
const perRound = 1_000;
const rounds = 400;

limitHeapGrowth(bounds.heapGrowthPercent);
const arrays: number[][] = [];
let mostBytes = 0;
for (let round = 0; round < rounds; round += 1) {
  for (let each = 0; each < perRound; each += 1) arrays[(round * perRound + each) % kept] = new Array(100).fill(round);
  mostBytes = Math.max(mostBytes, process.memoryUsage().heapUsed);
}
console.log(Math.round(mostBytes / 2 ** 20));
