/** Measures the memory of the process, and rejects new connections before the OS ends it, unless the rest is garbage. */
import { closeSync, openSync, readSync } from 'node:fs';
import type { Log } from '../core/log.ts';
import type { Bounds } from '../edges/node/limits/bounds.ts';
import { collectGarbage, releaseFreeMemory } from '../native/garbage.ts';
import { runEvery } from '../native/ticks.ts';

const mebibyte = 2 ** 20;
/**
 * Pause between collections while the memory is full: each takes some 50 ms. Requests that are rejected leave garbage as fast as others, so
 * a client above its limits would otherwise keep all others out.
 */
const collectMs = 1_000;
/** Above this part of the limit, free memory is returned without waiting until the process rests. */
const scarceShare = 7 / 8;

export type MemoryWatch = ReturnType<typeof watchMemory>;

/** The line while the memory of a process is full. */
const fullLines = {
  service: {
    event: 'memory_full',
    describe: (usedMb: number, limitMb: number) =>
      `rejecting new connections: ${usedMb} MiB in use, MAX_MEMORY is ${limitMb}`,
  },
  // An event of its own, because an event is logged once a minute.
  http3: {
    event: 'http3_memory_full',
    describe: (usedMb: number, limitMb: number) =>
      `rejecting or replacing connections over HTTP/3: ${usedMb} MiB in use by their process, whose own limit is ${limitMb}; see docs/operations.md#http3`,
  },
} as const;

interface Watched {
  /** MiB of what `openMemoryReader` reads; 0 means no limit. */
  readonly limitMb: number;
  /** Which process this is. */
  readonly process?: keyof typeof fullLines;
  readonly statusFile?: string;
  readonly collect?: () => void;
  readonly release?: () => void;
}

/** `notice` logs at most once a minute. */
export function watchMemory(
  { limitMb, process: watched = 'service', statusFile, collect = collectGarbage, release = releaseFreeMemory }: Watched,
  bounds: Bounds,
  notice: Log,
) {
  const reader = openMemoryReader(statusFile);
  let isFull = false;
  let isKnown = true;
  let collectedMs = Number.NEGATIVE_INFINITY;
  let releasedMs = Number.NEGATIVE_INFINITY;
  const check = (): void => {
    const measuredMb = reader.read();
    const wasKnown = isKnown;
    isKnown = measuredMb !== null;
    if (measuredMb === null) {
      isFull = false;
      const message = 'cannot measure memory, so MAX_MEMORY is not enforced; mount /proc';
      if (wasKnown) notice('memory_unknown', message);
      return;
    }
    const nowMs = performance.now();
    if (measuredMb > scarceShare * limitMb) makeRoom(measuredMb, nowMs);
    const usedMb = measuredMb > limitMb ? (reader.read() ?? measuredMb) : measuredMb;
    isFull = usedMb > limitMb;
    if (!isFull) return;
    const residentMiB = Math.round(usedMb);
    const { event, describe } = fullLines[watched];
    notice(event, describe(residentMiB, limitMb), { residentMiB, limitMiB: limitMb });
  };
  /** Collects garbage if the memory is full, and returns what is free to the system. */
  const makeRoom = (usedMb: number, nowMs: number): void => {
    const collects = usedMb > limitMb && nowMs - collectedMs >= collectMs;
    if (collects) {
      collectedMs = nowMs;
      collect();
    }
    // V8 frees the memory of buffers in a thread of its own, so what is left is returned at one of the next checks.
    if (!collects && nowMs - releasedMs < bounds.releaseMemoryMs) return;
    releasedMs = collects ? Number.NEGATIVE_INFINITY : nowMs;
    release();
  };
  const stop = limitMb === 0 ? () => {} : runEvery(bounds.memoryCheckMs, check);
  return {
    /** Whether the process is above its limit. */
    isFull: () => isFull,
    /** Null if the kernel does not report it. */
    usedBytes(): number | null {
      const usedMb = reader.read();
      return usedMb === null ? null : usedMb * mebibyte;
    },
    /** Null: no limit. */
    limitBytes: limitMb === 0 ? null : limitMb * mebibyte,
    end(): void {
      stop();
      reader.close();
    },
  };
}

const anonymous = /^RssAnon:\s+(\d+) kB$/m;
const shared = /^RssShmem:\s+(\d+) kB$/m;

/**
 * Reads the resident memory of the process in MiB; null if the kernel does not report it, as in a chroot without /proc. On Linux from 4.5
 * without the pages of files (proc_pid_status(5)): they are mapped databases and programs, which the kernel takes back when it needs memory.
 */
export function openMemoryReader(statusFile = '/proc/self/status') {
  // Stays open: a process that has no open files left must still know its memory.
  const file = process.platform === 'linux' ? orNull(() => openSync(statusFile, 'r')) : null;
  const buffer = Buffer.alloc(file === null ? 0 : 8192);
  const readStatus = (file: number): number | null => {
    const status = buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0));
    const kibibytes = Number(anonymous.exec(status)?.[1]) + Number(shared.exec(status)?.[1]);
    return Number.isNaN(kibibytes) ? readResidentMb() : kibibytes / 1024;
  };
  return {
    read(): number | null {
      if (file !== null) return orNull(() => readStatus(file));
      return process.platform === 'linux' ? null : readResidentMb();
    },
    close(): void {
      if (file !== null) closeSync(file);
    },
  };
}

const readResidentMb = (): number | null => orNull(() => process.memoryUsage.rss() / mebibyte);

function orNull<Result>(run: () => Result): Result | null {
  try {
    return run();
  } catch {
    return null;
  }
}
