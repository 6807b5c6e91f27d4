/**
 * Limits of the process. Memory: new connections are rejected before the OS ends the process. Open files: the limits on connections are
 * lowered to what the system permits, because the kernel rejects connections above that silently.
 */
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings.ts';
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

/** Returns a sentence if a service with so many threads would be above MAX_MEMORY from the start; null if not. */
export function memoryProblem(maxMb: number | null, threads: number): string | null {
  const neededMb = startMb + threadMb * (threads - 1);
  if (maxMb === null || maxMb === 0 || maxMb >= neededMb) return null;
  const count = threads === 1 ? 'one thread' : `${threads} threads`;
  return `MAX_MEMORY: must be at least ${neededMb}, which the start of ${count} needs, or 0, not "${maxMb}"`;
}

/** `maxMb` in MiB of resident memory; 0 means no limit, null three quarters of the cgroup limit. `notice` logs at most once a minute. */
export function watchMemory(maxMb: number | null, { memoryCheckMs }: Bounds, notice: Log) {
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
  return {
    /** Whether the process is above its limit. */
    isFull: () => isFull,
    /** Null: no limit. */
    limitBytes: limitMb * mebibyte,
    end,
  };
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

/** Databases, certificates, logs, timers and name servers; and the event loop of each further thread. */
const reservedFiles = 64;
const reservedFilesPerThread = 32;

/** Soft limit of open files; null if the system does not state it, as only Linux does. */
export function readOpenFilesLimit(): number | null {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

type PortSettings = Pick<Settings, 'maxConnections' | 'maxOutbound' | 'port' | 'tlsPort' | 'http3Port'>;

/**
 * Returns the connections per port, 0: no limit, and what sets that limit, for a log line: the limit of the settings, or a lower one if all
 * ports together would leave too few files for outbound requests and everything else; those get at most half of all files.
 */
export function fitConnections(
  { maxConnections, maxOutbound, port, tlsPort, http3Port }: PortSettings,
  openFiles: number | null,
  threads = 1,
) {
  const bySetting = { max: maxConnections, reason: `MAX_CONNECTIONS is ${maxConnections}` };
  if (openFiles === null) return bySetting;
  // A connection over HTTP/3 takes a socket to the process that runs QUIC.
  const ports = [port, tlsPort, http3Port].filter((each) => each !== null).length;
  const needed = reservedFiles + reservedFilesPerThread * (threads - 1) + maxOutbound;
  const reserved = Math.min(needed, Math.ceil(openFiles / 2));
  const max = Math.max(1, Math.floor((openFiles - reserved) / ports));
  if (maxConnections !== 0 && maxConnections <= max) return bySetting;
  const reason = `the limit of open files (${openFiles}) allows ${max} per port; raise it (ulimit -n, LimitNOFILE)`;
  return { max, reason };
}
