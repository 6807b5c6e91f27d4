/** A memory cgroup with a limit, for the processes of one test. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Hierarchy {
  readonly root: string;
  readonly limitFile: string;
}

/** Of version 2 if it has the memory controller, otherwise of version 1. */
const hierarchies: readonly Hierarchy[] = [
  { root: '/sys/fs/cgroup', limitFile: 'memory.max' },
  { root: '/sys/fs/cgroup/memory', limitFile: 'memory.limit_in_bytes' },
];

export interface MemoryCgroup {
  /** Words of a shell that start "$@" in the cgroup. */
  readonly start: readonly string[];
  /** Highest use so far in bytes; null if the kernel does not state it. */
  peakBytes(): number | null;
  /** Returns whether no process is left in it. */
  remove(): boolean;
}

let created = 0;

/** Creates a cgroup with this limit; null without the privilege to, or without a memory controller. */
export function createMemoryCgroup(limitBytes: number): MemoryCgroup | null {
  for (const { root, limitFile } of hierarchies) {
    const folder = join(root, `seenby-test-${process.pid}-${created}`);
    created += 1;
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    const remove = (): boolean => {
      try {
        rmdirSync(folder);
        return true;
      } catch {
        return false;
      }
    };
    if (!existsSync(join(folder, limitFile))) {
      remove();
      continue;
    }
    writeFileSync(join(folder, limitFile), `${limitBytes}`);
    const peakFile = ['memory.peak', 'memory.max_usage_in_bytes'].map((name) => join(folder, name)).find(existsSync);
    return {
      start: ['sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'sh'],
      peakBytes: () => (peakFile === undefined ? null : Number(readFileSync(peakFile, 'utf8'))),
      remove,
    };
  }
  return null;
}
