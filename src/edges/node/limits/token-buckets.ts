/** Limits events by key: a steady rate with a burst. */
import type { RateTable } from './rate-table.ts';
import { openTable } from './shared-table.ts';

/** Part of a token that a sum of many durations may deviate from their product. */
const rounding = 0.01;

/** `perSecond` 0 means no limit. */
export function createTokenBuckets(
  memory: SharedArrayBuffer,
  perSecond: number,
  burst: number,
  thread: number,
): RateTable {
  const table = openTable(memory, 0, thread);
  // The time when a bucket will be full again is all there is to know about it (GCRA), and when its entry expires.
  const { expiresMs } = table;
  const tokenMs = 1000 / perSecond;
  const capacityMs = (burst + rounding) * tokenMs;
  return {
    take(key, nowMs) {
      if (perSecond === 0) return true;
      const entry = table.enter(key);
      const fullMs = Math.max(expiresMs[entry] as number, nowMs) + tokenMs;
      const isAllowed = fullMs - nowMs <= capacityMs;
      if (isAllowed) expiresMs[entry] = fullMs;
      table.leave(entry);
      return isAllowed;
    },
    giveBack(key) {
      if (perSecond === 0) return;
      const entry = table.find(key);
      if (entry === -1) return;
      expiresMs[entry] = Math.max(0, (expiresMs[entry] as number) - tokenMs);
      table.leave(entry);
    },
    table,
  };
}
