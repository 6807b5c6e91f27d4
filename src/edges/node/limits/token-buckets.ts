/** Limits events per key to a steady rate with a burst, such as a client's new connections. */
import { openTable, type SharedTable } from './shared-table.ts';

export interface TokenBuckets {
  /** Counts one event of this key; false, counting nothing, if no token is left. `nowMs` is by `monotonicMs`. */
  take(key: string, nowMs: number): boolean;
  readonly table: SharedTable;
}

/** Tolerance for floating-point rounding, in tokens. */
const rounding = 0.01;

/** The table has no values. `perSecond` 0 means no limit. */
export function createTokenBuckets(
  memory: SharedArrayBuffer,
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  thread: number,
): TokenBuckets {
  const table = openTable(memory, 0, thread);
  // GCRA: the time at which the bucket is full again is its whole state, and its expiry.
  const { expiresMs } = table;
  const tokenMs = 1000 / perSecond;
  const capacityMs = (burst + rounding) * tokenMs;
  return {
    take(key, nowMs) {
      if (perSecond === 0) return true;
      const entry = table.getOrCreate(key);
      const fullMs = Math.max(expiresMs[entry] as number, nowMs) + tokenMs;
      const isAllowed = fullMs - nowMs <= capacityMs;
      if (isAllowed) expiresMs[entry] = fullMs;
      table.unlock(entry);
      return isAllowed;
    },
    table,
  };
}
