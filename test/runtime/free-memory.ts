/**
 * Prints whether this process was above its limit, and whether it still is after the memory is free, between pieces that are in use: the C
 * library keeps it then. memory-limit.test.ts runs it in a process of its own, because memory is the process's.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { openMemoryReader, watchMemory } from '../../src/runtime/memory-limit.ts';

const attempts = 80;
const used: Uint8Array[] = [];
const freed: Uint8Array[] = [];
for (let each = 0; each < 1_500; each += 1) {
  freed.push(new Uint8Array(100_000).fill(1));
  used.push(new Uint8Array(2_000).fill(1));
}
const reader = openMemoryReader();
const read = (): number => reader.read() ?? 0;
const limitMb = read() - 60;
const memory = watchMemory({ limitMb }, bounds, () => {});
freed.length = 0;
const wasAbove = read() > limitMb;
for (let attempt = 0; attempt < attempts && (read() > limitMb || memory.isFull()); attempt += 1)
  await delay(bounds.memoryCheckMs);
console.log(wasAbove, read() > limitMb || memory.isFull(), used.length);
process.exit();
