/** Limits events by key: a steady rate with a burst, in a bounded table without addresses. */
import { discardIdleKeys } from './idle-keys.ts';

interface Bucket {
  tokens: number;
  filledMs: number;
}

export interface TokenBuckets {
  /** Takes a token of this key; false if it has none. */
  take(key: string, nowMs: number): boolean;
  giveBack(key: string): void;
  readonly size: () => number;
}

/** `perSecond` 0 means no limit. Above `maxKeys`, keys that have been idle longest are discarded. */
export function createTokenBuckets(perSecond: number, burst: number, maxKeys: number): TokenBuckets {
  // In the order of their latest use.
  const buckets = new Map<string, Bucket>();
  return {
    take(key, nowMs) {
      if (perSecond === 0) return true;
      const { tokens, filledMs } = buckets.get(key) ?? { tokens: burst, filledMs: nowMs };
      const filled = Math.min(burst, tokens + ((nowMs - filledMs) / 1000) * perSecond);
      const isAllowed = filled >= 1;
      buckets.delete(key);
      buckets.set(key, { tokens: isAllowed ? filled - 1 : filled, filledMs: nowMs });
      discardIdleKeys(buckets, maxKeys);
      return isAllowed;
    },
    giveBack(key) {
      const bucket = buckets.get(key);
      if (bucket !== undefined) bucket.tokens += 1;
    },
    size: () => buckets.size,
  };
}
