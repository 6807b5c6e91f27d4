/** Detects that the process uses too much memory, so that new connections can be rejected before the OS ends it. */
import { totalmem } from 'node:os';
import type { Log } from '../core/log.ts';
import type { Bounds } from '../edges/node/limits/bounds.ts';
import { collectGarbage } from '../native/garbage.ts';
import { runEvery } from './clocks.ts';

const mebibyte = 2 ** 20;
const fallbackMb = 1024;
const shareOfLimit = 0.75;
/** Resident memory of a start with one thread, and of each further thread: measured 108 and 36 to 54 MiB, with both ports. */
const startMb = 128;
const threadMb = 48;
/** Pause between collections while the memory is full. */
const collectMs = 10_000;

export interface Memory {
  /** Whether the process is above its limit. */
  isFull(): boolean;
  /** Null: no limit. */
  readonly limitBytes: number | null;
  end(): void;
}

/** Returns a sentence if a service with so many threads would be above MAX_MEMORY from the start; null if not. */
export function memoryProblem(maxMb: number | null, threads: number): string | null {
  const neededMb = startMb + threadMb * (threads - 1);
  if (maxMb === null || maxMb === 0 || maxMb >= neededMb) return null;
  const count = threads === 1 ? 'one thread' : `${threads} threads`;
  return `MAX_MEMORY: must be at least ${neededMb}, which the start of ${count} needs, or 0, not "${maxMb}"`;
}

/** `maxMb` in MiB of resident memory; 0 means no limit, null three quarters of the cgroup limit. `notice` logs at most once a minute. */
export function watchMemory(maxMb: number | null, { memoryCheckMs }: Bounds, notice: Log): Memory {
  const limitMb = maxMb ?? defaultLimitMb(shareOfLimit);
  if (limitMb === 0) return { isFull: () => false, limitBytes: null, end() {} };
  let isFull = false;
  let collectedMs = Number.NEGATIVE_INFINITY;
  const check = (): void => {
    const residentMb = readResidentMb();
    if (residentMb === null) {
      end();
      notice('memory_unknown', 'cannot measure memory, so MAX_MEMORY is not enforced; mount /proc');
      return;
    }
    isFull = residentMb > limitMb;
    if (!isFull) return;
    const residentMiB = Math.round(residentMb);
    const message = `rejecting new connections: ${residentMiB} MiB in use, MAX_MEMORY is ${limitMb}`;
    notice('memory_full', message, { residentMiB, limitMiB: limitMb });
    // V8 returns memory late if nothing is allocated; rejected connections allocate nothing.
    if (performance.now() - collectedMs < collectMs) return;
    collectedMs = performance.now();
    collectGarbage();
  };
  const end = runEvery(memoryCheckMs, check);
  return { isFull: () => isFull, limitBytes: limitMb * mebibyte, end };
}

/** Null if the kernel does not report it, as in a chroot without /proc. */
function readResidentMb(): number | null {
  try {
    return process.memoryUsage.rss() / mebibyte;
  } catch {
    return null;
  }
}

/** A share of the cgroup limit, or a constant without one. */
export function defaultLimitMb(share: number): number {
  const limit = process.constrainedMemory();
  // Without a limit, Node returns 0 or a number beyond any memory.
  return limit > 0 && limit < totalmem() ? Math.floor((limit * share) / mebibyte) : fallbackMb;
}
