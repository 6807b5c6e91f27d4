/** Counts what is open by key, such as the connections of a client, exactly over all threads. */
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

/** Words per key: one for each thread, so that the counts of one that has ended can be removed. */
export const countWords = (threads: number): number => threads;

/** `thread` is from 1 to `threads`. */
export function createSharedCounts(memory: SharedArrayBuffer, threads: number, thread: number): SharedCounts {
  const table = openTable(memory, countWords(threads), thread);
  const { expiresMs, words, values: counts } = table;
  const at = (entry: number, of: number): number => entry * threads + of - 1;
  const sumOf = (entry: number): number => {
    let total = 0;
    for (let each = 1; each <= threads; each += 1) total += counts[at(entry, each)] as number;
    return total;
  };
  const setCount = (entry: number, of: number, count: number): void => {
    counts[at(entry, of)] = count;
    if (sumOf(entry) === 0) table.clear(entry);
    else expiresMs[entry] = Number.POSITIVE_INFINITY;
  };
  return {
    add(key, limit) {
      const entry = table.enter(key);
      const used = table.ownWordsOf(entry);
      // The values of a discarded key stay behind.
      if (words[used] === 0) counts.fill(0, at(entry, 1), at(entry + 1, 1));
      words[used] = 1;
      const isAllowed = limit === 0 || sumOf(entry) < limit;
      if (isAllowed) setCount(entry, thread, (counts[at(entry, thread)] as number) + 1);
      table.leave(entry);
      return isAllowed;
    },
    remove(key) {
      const entry = table.find(key);
      if (entry === -1) return;
      // 0 if the table discarded the key meanwhile and then got it again.
      setCount(entry, thread, Math.max(0, (counts[at(entry, thread)] as number) - 1));
      table.leave(entry);
    },
    totalOf(key) {
      const entry = table.find(key);
      if (entry === -1) return 0;
      const total = sumOf(entry);
      table.leave(entry);
      return total;
    },
    removeThread(ended) {
      for (let entry = 0; entry < table.entries; entry += 1) {
        if (expiresMs[entry] === 0) continue;
        table.lock(entry);
        if (expiresMs[entry] !== 0) setCount(entry, ended, 0);
        table.leave(entry);
      }
    },
    table,
  };
}
