/** Counts requests by key over a sliding window, in a bounded table without addresses. */
import { discardIdleKeys } from './idle-keys.ts';

/** Counts one request of this key at this time; false, counting nothing, if the window is full. */
export type Consume = (key: string, nowMs: number) => boolean;

export interface RateTable {
  readonly consume: Consume;
  /** Removes the key's last request. */
  readonly refund: (key: string) => void;
  /** Discards every key whose requests have left the window. */
  readonly prune: (nowMs: number) => void;
  readonly size: () => number;
}

/** `perWindow` 0 means no limit. Above `maxKeys`, keys that have been idle longest are discarded. */
export function createRateTable(perWindow: number, windowMs: number, maxKeys: number): RateTable {
  /** Request times in the window, oldest first; the keys are in order of their last request. */
  const calls = new Map<string, number[]>();

  function consume(key: string, nowMs: number): boolean {
    if (perWindow === 0) return true;
    const times = calls.get(key) ?? [];
    const kept = times.findIndex((time) => time > nowMs - windowMs);
    if (kept !== 0) times.splice(0, kept === -1 ? times.length : kept);
    if (times.length >= perWindow) return false;
    times.push(nowMs);
    calls.delete(key);
    calls.set(key, times);
    discardIdleKeys(calls, maxKeys);
    return true;
  }

  function prune(nowMs: number): void {
    for (const [key, times] of calls) {
      if ((times.at(-1) ?? 0) > nowMs - windowMs) return;
      calls.delete(key);
    }
  }

  const refund = (key: string): void => {
    calls.get(key)?.pop();
  };

  return { consume, refund, prune, size: () => calls.size };
}
