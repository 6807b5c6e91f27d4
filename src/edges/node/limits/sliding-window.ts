/** Limits events by key over a sliding window, exactly: the time of every event in the window is stored. */
import type { RateTable } from './rate-table.ts';
import { openTable } from './shared-table.ts';

/** Times of one key that lie next to each other: a cache line, so that few events of many keys take few pages. */
const blockBits = 4;
const blockWords = 1 << blockBits;

/** Words per key for the times of `perWindow` events. */
export function windowWords(perWindow: number): number {
  return Math.ceil(perWindow / blockWords) * blockWords;
}

/** `perWindow` 0 means no limit. `windowMs` is at most 15 minutes, because times are microseconds modulo 2^32. */
export function createSlidingWindow(
  memory: SharedArrayBuffer,
  perWindow: number,
  windowMs: number,
  thread: number,
): RateTable {
  const table = openTable(memory, windowWords(perWindow), thread);
  const { expiresMs, words, values: times, entries } = table;
  const windowUs = windowMs * 1000;

  // A ring of times for each entry; its words are the oldest one's position and their number.
  const at = (entry: number, position: number): number =>
    (((position >> blockBits) * entries + entry) << blockBits) + (position & (blockWords - 1));
  const wrap = (position: number): number => (position < perWindow ? position : position - perWindow);

  function take(key: string, nowMs: number): boolean {
    if (perWindow === 0) return true;
    const nowUs = (nowMs * 1000) | 0;
    const entry = table.enter(key);
    const own = table.ownWordsOf(entry);
    let oldest = words[own] as number;
    // The times of an expired entry may be too old for their 32 bits.
    let count = (expiresMs[entry] as number) <= nowMs ? 0 : (words[own + 1] as number);
    while (count > 0 && ((nowUs - (times[at(entry, oldest)] as number)) | 0) >= windowUs) {
      oldest = wrap(oldest + 1);
      count -= 1;
    }
    if (count === 0) oldest = 0;
    const isAllowed = count < perWindow;
    if (isAllowed) {
      times[at(entry, wrap(oldest + count))] = nowUs;
      count += 1;
      expiresMs[entry] = nowMs + windowMs;
    }
    words[own] = oldest;
    words[own + 1] = count;
    table.leave(entry);
    return isAllowed;
  }

  function giveBack(key: string): void {
    if (perWindow === 0) return;
    const entry = table.find(key);
    if (entry === -1) return;
    const count = table.ownWordsOf(entry) + 1;
    words[count] = Math.max(0, (words[count] as number) - 1);
    table.leave(entry);
  }

  return { take, giveBack, table };
}
