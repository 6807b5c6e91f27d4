/**
 * Page faults of this thread, and the CPU time of one. On a slow virtual machine, the first use of a page takes 20 µs: while V8's heap grows to its
 * size, page faults were up to half of the longest iteration of the event loop, and the yardstick has few. How far an attack makes the process
 * grow has a bound of its own.
 */
import assert from 'node:assert/strict';
import { loadFunctions } from '../../src/native/ffi.ts';
import { threadMs } from '../../src/native/thread-clock.ts';

const calls = await loadFunctions({
  getrusage: { arguments: ['i32', 'pointer'], return: 'i32' },
  madvise: { arguments: ['pointer', 'u64', 'i32'], return: 'i32' },
});
/** RUSAGE_THREAD. */
const ofThread = 1;
/** `struct rusage`: two times of two numbers each, 14 numbers. */
const usage = new BigInt64Array(18);
const minorFaults = 8;
const usageAt = calls?.getRawPointer(Buffer.from(usage.buffer)) ?? null;

/** Page faults of this thread so far; none without `node:ffi`. */
export function threadFaults(): number {
  if (calls === null || usageAt === null) return 0;
  assert.equal(calls.getrusage(ofThread, usageAt), 0);
  return Number(usage[minorFaults]);
}

const pageBytes = 4_096;
const pages = 1_024;
/** MADV_DONTNEED: the next use of each page is a page fault. */
const notNeeded = 4;
/** One page more, because it begins within a page. */
const memory = Buffer.alloc((pages + 1) * pageBytes);

/** CPU time of a page fault of this thread at the moment; 0 without `node:ffi`. */
export function faultMs(): number {
  if (calls === null) return 0;
  const address = calls.getRawPointer(memory);
  const first = (pageBytes - Number(address % BigInt(pageBytes))) % pageBytes;
  assert.equal(calls.madvise(address + BigInt(first), BigInt(pages * pageBytes), notNeeded), 0);
  const faults = threadFaults();
  const startMs = threadMs();
  for (let page = 0; page < pages; page += 1) memory[first + page * pageBytes] = 1;
  const usedMs = threadMs() - startMs;
  return usedMs / Math.max(pages, threadFaults() - faults);
}
