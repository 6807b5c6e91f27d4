/** Rate limit per key: a number of requests in a window that begins with the key's first one. */
import { windowSeconds } from '../../../core/limits.ts';
import type { RateDecision } from '../../../core/platform.ts';
import { openTable, type SharedTable } from './shared-table.ts';

const windowMs = windowSeconds * 1000;

/** Values per key in the table: the number of requests. The window's end is the entry's expiry. */
export const windowValues = 1;

/** A decision in progress. Each window that a request counts against tightens it. */
export type OpenDecision = { -readonly [Member in keyof RateDecision]: RateDecision[Member] };

export interface RateWindows {
  /**
   * Counts one request of this key, and returns true; counts nothing and returns false if the limit is reached. `decision` receives
   * what is left, if that is less than before. `nowMs` is by `monotonicMs`.
   */
  take(key: string, nowMs: number, decision: OpenDecision): boolean;
  /** Undoes the key's last `take`. */
  refund(key: string): void;
  readonly table: SharedTable;
}

/** `limit` 0 means no limit. */
export function createRateWindows(memory: SharedArrayBuffer, limit: number, thread: number): RateWindows {
  const table = openTable(memory, windowValues, thread);
  const { expiresMs, values: counts } = table;
  return {
    take(key, nowMs, decision) {
      if (limit === 0) return true;
      const entry = table.getOrCreate(key);
      if ((expiresMs[entry] as number) <= nowMs) {
        expiresMs[entry] = nowMs + windowMs;
        counts[entry] = 0;
      }
      const leftMs = (expiresMs[entry] as number) - nowMs;
      const before = limit - (counts[entry] as number);
      if (before > 0) counts[entry] = (counts[entry] as number) + 1;
      table.unlock(entry);
      tighten(decision, before - 1, leftMs);
      return decision.isAllowed;
    },
    refund(key) {
      if (limit === 0) return;
      const entry = table.find(key);
      if (entry === -1) return;
      // May already be 0: the key was evicted, or another window has begun.
      counts[entry] = Math.max(0, (counts[entry] as number) - 1);
      table.unlock(entry);
    },
    table,
  };
}

/** `left`: requests left in a window after this one; -1 if there was none. */
export function tighten(decision: OpenDecision, left: number, leftMs: number): void {
  if (decision.remaining !== null && left > decision.remaining) return;
  decision.isAllowed = left >= 0;
  decision.remaining = Math.max(0, left);
  decision.resetSeconds = Math.ceil(leftMs / 1000);
}
