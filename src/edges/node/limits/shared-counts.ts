/** Exact number of open items per key, such as connections per client, shared by all threads. */
import { openTable, type SharedTable } from './shared-table.ts';

export interface SharedCounts {
  /** Adds one if fewer than `limit` are open; 0 means no limit. */
  add(key: string, limit: number): boolean;
  /** Undoes a successful `add` of this thread. */
  remove(key: string): void;
  /** Number that all threads have open. */
  totalOf(key: string): number;
  /** Removes all that a thread had open when it ended. */
  removeThread(thread: number): void;
  readonly table: SharedTable;
}

/**
 * The table has one value per thread and key, so that the counts of a thread that has ended can be removed. `thread` is from 1 to
 * `threads`.
 */
export function createSharedCounts(memory: SharedArrayBuffer, threads: number, thread: number): SharedCounts {
  const table = openTable(memory, threads, thread);
  const { expiresMs, values: counts } = table;
  const at = (entry: number, of: number): number => entry * threads + of - 1;
  const sumOf = (entry: number): number => {
    let total = 0;
    for (let each = 1; each <= threads; each += 1) total += counts[at(entry, each)] as number;
    return total;
  };
  const setCount = (entry: number, of: number, count: number): void => {
    counts[at(entry, of)] = count;
    if (sumOf(entry) === 0) table.remove(entry);
    else expiresMs[entry] = Number.POSITIVE_INFINITY;
  };
  return {
    add(key, limit) {
      const entry = table.getOrCreate(key);
      const isAllowed = limit === 0 || sumOf(entry) < limit;
      if (isAllowed) setCount(entry, thread, (counts[at(entry, thread)] as number) + 1);
      table.unlock(entry);
      return isAllowed;
    },
    remove(key) {
      const entry = table.find(key);
      if (entry === -1) return;
      // May already be 0: the key was evicted and added again meanwhile.
      setCount(entry, thread, Math.max(0, (counts[at(entry, thread)] as number) - 1));
      table.unlock(entry);
    },
    totalOf(key) {
      const entry = table.find(key);
      if (entry === -1) return 0;
      const total = sumOf(entry);
      table.unlock(entry);
      return total;
    },
    removeThread(ended) {
      for (let entry = 0; entry < table.entries; entry += 1) {
        if (expiresMs[entry] === 0) continue;
        table.lock(entry);
        if (expiresMs[entry] !== 0) setCount(entry, ended, 0);
        table.unlock(entry);
      }
    },
    table,
  };
}
