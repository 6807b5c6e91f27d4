/** Three ways to count by key in a shared table: requests in a window, events at a steady rate, and open items. */
import { windowSeconds } from '../../../core/limits.ts';
import type { RateDecision } from '../../../core/platform.ts';
import { Rate } from '../../../ingress/limits/rate.ts';
import type { Key } from '../../../ingress/limits/sip-hash.ts';
import { openTable } from './shared-table.ts';

const windowMs = windowSeconds * 1000;

/** Values per key in the table: the number of requests. The window's end is the entry's expiry. */
export const windowValues = 1;

/** A decision in progress. Each window that a request counts against tightens it. */
export type OpenDecision = { -readonly [Member in keyof RateDecision]: RateDecision[Member] };

/** Keeps sums of a count and a cost within 32 bits. */
const maxCount = 2 ** 30;

/** Rate limit per key: a number of requests in a window that begins with the key's first one. `limit` 0 means no limit. */
export function createRateWindows(memory: SharedArrayBuffer, wanted: number, thread: number) {
  const limit = Math.min(wanted, maxCount);
  const table = openTable(memory, windowValues, thread);
  const { expiresMs, values: counts } = table;
  /** Locks and returns the entry of the key, in its window or a new one. */
  const openWindow = (key: Key, nowMs: number): number => {
    const entry = table.getOrCreate(key);
    if ((expiresMs[entry] as number) <= nowMs) {
      expiresMs[entry] = nowMs + windowMs;
      counts[entry] = 0;
    }
    return entry;
  };
  return {
    /**
     * Counts one request of this key, and returns true; counts nothing and returns false if the limit is reached. `decision` receives
     * what is left, if that is less than before. `nowMs` is by `monotonicMs`.
     */
    consume(key: Key, nowMs: number, decision: OpenDecision): boolean {
      if (limit === 0) return true;
      const entry = openWindow(key, nowMs);
      const leftMs = (expiresMs[entry] as number) - nowMs;
      const before = limit - (counts[entry] as number);
      if (before > 0) counts[entry] = (counts[entry] as number) + 1;
      table.unlock(entry);
      tighten(decision, before - 1, leftMs);
      return decision.isAllowed;
    },
    /** Tightens a decision to what this key has left, without counting anything. */
    read(key: Key, nowMs: number, decision: OpenDecision): void {
      if (limit === 0) return;
      const entry = table.find(key);
      const leftMs = entry === -1 ? 0 : (expiresMs[entry] as number) - nowMs;
      const left = leftMs <= 0 ? limit : limit - (counts[entry] as number);
      if (entry !== -1) table.unlock(entry);
      tighten(decision, left, leftMs <= 0 ? windowMs : leftMs);
    },
    /** Counts this cost, which may exceed what is left, and returns true; counts nothing and returns false if nothing is left. */
    spend(key: Key, nowMs: number, cost: number): boolean {
      if (limit === 0) return true;
      const entry = openWindow(key, nowMs);
      const isAllowed = (counts[entry] as number) < limit;
      if (isAllowed) counts[entry] = (counts[entry] as number) + cost;
      table.unlock(entry);
      return isAllowed;
    },
    /** Undoes the key's last `consume`, or `spend` of this cost. */
    refund(key: Key, cost = 1): void {
      if (limit === 0) return;
      const entry = table.find(key);
      if (entry === -1) return;
      // May already be 0: the key was evicted, or another window has begun.
      counts[entry] = Math.max(0, (counts[entry] as number) - cost);
      table.unlock(entry);
    },
    table,
  };
}

export type RateWindows = ReturnType<typeof createRateWindows>;

/** `left`: requests left in a window after this one; -1 if there was none. */
export function tighten(decision: OpenDecision, left: number, leftMs: number): void {
  if (decision.remaining !== null && left > decision.remaining) return;
  decision.isAllowed = left >= 0;
  decision.remaining = Math.max(0, left);
  decision.resetSeconds = Math.ceil(leftMs / 1000);
}

/**
 * Limits events per key to a steady rate with a burst, such as a client's new connections. The table has no values. `perSecond` 0 means no
 * limit.
 */
export function createTokenBuckets(
  memory: SharedArrayBuffer,
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  thread: number,
) {
  const table = openTable(memory, 0, thread);
  // The state of a key is also its expiry.
  const { expiresMs } = table;
  const rate = new Rate(perSecond, burst);
  return {
    /** Counts one event of this key; false, counting nothing, if no token is left. `nowMs` is by `monotonicMs`. */
    consume(key: Key, nowMs: number): boolean {
      if (perSecond === 0) return true;
      const entry = table.getOrCreate(key);
      const fullMs = rate.consume(expiresMs[entry] as number, nowMs);
      if (fullMs !== null) expiresMs[entry] = fullMs;
      table.unlock(entry);
      return fullMs !== null;
    },
    table,
  };
}

export type OpenCounts = ReturnType<typeof createOpenCounts>;

/**
 * Exact number of open items per key, such as connections per client, shared by all threads. The table has one value per thread and key, so
 * that the counts of a thread that has ended can be removed. `thread` is from 1 to `threads`.
 */
export function createOpenCounts(memory: SharedArrayBuffer, threads: number, thread: number) {
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
    /** Adds one if fewer than `limit` are open; 0 means no limit. */
    add(key: Key, limit: number): boolean {
      const entry = table.getOrCreate(key);
      const isAllowed = limit === 0 || sumOf(entry) < limit;
      if (isAllowed) setCount(entry, thread, (counts[at(entry, thread)] as number) + 1);
      table.unlock(entry);
      return isAllowed;
    },
    /** Undoes a successful `add` of this thread. */
    remove(key: Key): void {
      const entry = table.find(key);
      if (entry === -1) return;
      // May already be 0: the key was evicted and added again meanwhile.
      setCount(entry, thread, Math.max(0, (counts[at(entry, thread)] as number) - 1));
      table.unlock(entry);
    },
    /** The number of open items in all threads. */
    count(key: Key): number {
      const entry = table.find(key);
      if (entry === -1) return 0;
      const count = sumOf(entry);
      table.unlock(entry);
      return count;
    },
    /** Removes all that a thread had open when it ended. */
    removeThread(ended: number): void {
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

/** One of the counts to which an item belongs. `limit` 0: no limit. */
interface Counter {
  readonly counts: OpenCounts;
  readonly key: Key;
  readonly limit: number;
}

/** Adds an item to all of the counts, and returns what removes it; null, counting nothing, if one has reached its limit. */
export function addToAll(counters: readonly Counter[]): (() => void) | null {
  const exhausted = counters.findIndex(({ counts, key, limit }) => !counts.add(key, limit));
  const added = exhausted === -1 ? counters : counters.slice(0, exhausted);
  const remove = (): void => {
    for (const { counts, key } of added) counts.remove(key);
  };
  if (exhausted === -1) return remove;
  remove();
  return null;
}

/** What `totals` counts, in all threads. */
const totals = ['open http', 'open https', 'retiring http', 'retiring https', 'outbound', 'waiting'] as const;
export type Total = (typeof totals)[number];

export const totalKeyOf = (total: Total): Key => ({ high: 0, low: 1 + totals.indexOf(total) });
