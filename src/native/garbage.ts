/**
 * Garbage collection by V8, and free memory of the C library. Relies on V8's flags `--expose-gc`, `--heap-growing-percent`
 * and `--no-allocation-site-pretenuring`, set while the process runs, and on a new context that has `gc` from then on (checked with Node
 * 26.10). If V8 drops the second flag, the heap grows further between two collections; if it drops the third, requests may cost twice as
 * much; if it drops the first, starting the service fails. Without `node:ffi`, the C library keeps free memory
 * between used pieces.
 */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadFunctions } from './ffi.ts';

const calls = await loadFunctions({ malloc_trim: { arguments: ['u64'], return: 'i32' } });

function exposeCollector(): NonNullable<typeof globalThis.gc> {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

/**
 * Disables V8's pretenuring in the process: call it before the code that serves requests is optimized. If nearly all objects of an
 * expression outlive collections of the young generation for a moment, as while clients connect, V8 makes those that follow in the old
 * generation, for good. What they refer to, such as whole requests, then stays until a collection of everything: after a thousand plain
 * visits, each request took twice the CPU time.
 */
export function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** Takes some 50 ms. V8 does not count memory that threads share, so without it a replaced database stays for minutes or longer. */
export function collectGarbage(): void {
  exposeCollector()();
}

/**
 * Ends the start of a thread: returns the memory that only the start needed, some 25 MB, and limits how far the old generation grows between
 * two collections from now on, in percent of what is in use (V8's default: 300). Takes 20 ms of CPU of this thread, and more if the heap is
 * large. 0 leaves the heap as it is: many services that start and end in one process would collect all of it at each start.
 */
export function settleHeap(growthPercent: number): void {
  if (growthPercent === 0) return;
  // Applies from the next collection on.
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  // Unlike others, this kind also makes the young generation smaller.
  exposeCollector()({ type: 'major', flavor: 'last-resort', execution: 'sync' });
  releaseFreeMemory();
}

/**
 * Returns free memory of the process to the system, as malloc_trim(3). Takes 1 ms at rest. After many small allocations, it takes 10 ms, and up to
 * 230 where the other processor of a virtual machine is not running: each of hundreds of pieces must leave the page tables of both.
 */
export function releaseFreeMemory(): void {
  calls?.malloc_trim(0n);
}

/** A process that uses at most this part of its processors rests: 32 idle threads on two processors use 0.06 of them. */
const restShare = 0.1;

interface ReleaseBounds {
  readonly releasePauseMs: number;
  readonly releaseGrowthBytes: number;
}

/**
 * Returns a function that does so at most once in `releasePauseMs`, to be called at regular intervals: if the process has rested since the previous
 * call, and is larger by `releaseGrowthBytes` than at its smallest. While it works, it uses the free memory again, and its clients would wait.
 */
export function createRelease(bounds: ReleaseBounds, threads: number, release = releaseFreeMemory): () => void {
  const { releasePauseMs, releaseGrowthBytes } = bounds;
  const processors = Math.min(threads, availableParallelism());
  let leastBytes = process.memoryUsage.rss();
  let previous = { usedMs: 0, atMs: 0 };
  let releasedMs = Number.NEGATIVE_INFINITY;
  return () => {
    const { user, system } = process.cpuUsage();
    const usedMs = (user + system) / 1000;
    const atMs = performance.now();
    const hasRested = usedMs - previous.usedMs <= restShare * processors * (atMs - previous.atMs);
    previous = { usedMs, atMs };
    if (!hasRested) return;
    const bytes = process.memoryUsage.rss();
    leastBytes = Math.min(leastBytes, bytes);
    if (bytes - leastBytes < releaseGrowthBytes || atMs - releasedMs < releasePauseMs) return;
    releasedMs = atMs;
    release();
  };
}
