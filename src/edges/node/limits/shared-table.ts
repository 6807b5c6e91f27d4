/** A fixed table of keys in memory that all threads share; the limits by key keep their values in it. */

/** Entries that a key can be in; one lock protects them. */
const setBits = 3;
const entriesPerSet = 1 << setBits;
/** Int32 words of an entry: two of the key, two of its owner. */
const entryWords = 4;
const ownWord = 2;

/** Characters that distinguish keys: 72 bits of a rate key. */
const keyCharacters = 12;
const spins = 100;
/** Longest sleep of a thread that waits for a lock; a lock is held for less than a microsecond. */
const sleepMs = 1;
/** Sleeps after which a lock is taken over. Its thread has ended, or had no CPU for longer than a cgroup's quota takes it away. */
const maxSleeps = 200;

/** Parts of a table; its owner's values follow the entries. */
export interface TableSize {
  /** Rounded up to a power of two, at least `entriesPerSet`. */
  readonly keys: number;
  readonly valueWordsPerKey: number;
}

/** The system provides the memory page by page, at the first write. */
export function allocateTable({ keys, valueWordsPerKey }: TableSize): SharedArrayBuffer {
  const entries = Math.max(entriesPerSet, 2 ** Math.ceil(Math.log2(keys)));
  return new SharedArrayBuffer(entries * (8 + 4 * (entryWords + valueWordsPerKey)) + (entries / entriesPerSet) * 4);
}

/**
 * One thread's view of a table. `find`, `enter` and `lock` lock an entry until `leave`; between them nothing may wait or fail. A set
 * that is full discards its key that expires first.
 */
export interface SharedTable {
  readonly entries: number;
  /** When the entry holds nothing any more, by `monotonicMs`; 0: it is free. */
  readonly expiresMs: Float64Array;
  /** Two words of the owner for each entry, from `ownWordsOf`; 0 in a new entry. */
  readonly words: Int32Array;
  /** Values of the owner; in a new entry, those of an earlier key. */
  readonly values: Int32Array;
  ownWordsOf(entry: number): number;
  /** Locks and returns the entry of a key; -1, locking nothing, if it has none. */
  find(key: string): number;
  /** Locks and returns the entry of a key, which may be new. */
  enter(key: string): number;
  /** Locks an entry, whatever its key. */
  lock(entry: number): void;
  leave(entry: number): void;
  /** Discards the key of a locked entry. */
  clear(entry: number): void;
  /** Discards what has expired, except in sets that are locked. */
  prune(nowMs: number): void;
  /** Frees the locks that a thread held when it ended. */
  releaseLocksOf(thread: number): void;
  /** Number of keys. */
  size(): number;
}

/** `thread` is different in each thread, and greater than 0. */
export function openTable(memory: SharedArrayBuffer, valueWordsPerKey: number, thread: number): SharedTable {
  const entries = memory.byteLength / (8 + 4 * (entryWords + valueWordsPerKey) + 4 / entriesPerSet);
  const sets = entries / entriesPerSet;
  const wordsAt = entries * 8;
  const locksAt = wordsAt + entries * entryWords * 4;
  const expiresMs = new Float64Array(memory, 0, entries);
  const words = new Int32Array(memory, wordsAt, entries * entryWords);
  const locks = new Int32Array(memory, locksAt, sets);
  const values = new Int32Array(memory, locksAt + sets * 4);

  const setOf = (high: number): number => (high ^ (high >>> 16)) & (sets - 1);
  const lockSet = (set: number): void => {
    if (Atomics.compareExchange(locks, set, 0, thread) !== 0) waitForLock(set);
  };
  const waitForLock = (set: number): void => {
    for (let waits = 1; ; waits += 1) {
      const holder = Atomics.compareExchange(locks, set, 0, thread);
      // Its own after a failure, or that of an earlier thread in its place.
      if (holder === 0 || holder === thread) return;
      if (waits > spins + maxSleeps && Atomics.compareExchange(locks, set, holder, thread) === holder) return;
      if (waits > spins) Atomics.wait(locks, set, holder, sleepMs);
    }
  };
  // Not if the lock was taken over.
  const unlockSet = (set: number): void => {
    Atomics.compareExchange(locks, set, thread, 0);
  };
  const search = (set: number, high: number, low: number): number => {
    for (let entry = set * entriesPerSet; entry < (set + 1) * entriesPerSet; entry += 1)
      if (words[entry * entryWords] === high && words[entry * entryWords + 1] === low) return entry;
    return -1;
  };
  const clear = (entry: number): void => {
    for (let word = entry * entryWords; word < (entry + 1) * entryWords; word += 1) words[word] = 0;
    expiresMs[entry] = 0;
  };
  const replaceIdlest = (set: number, high: number, low: number): number => {
    let entry = set * entriesPerSet;
    for (let each = entry + 1; each < (set + 1) * entriesPerSet; each += 1)
      if ((expiresMs[each] as number) < (expiresMs[entry] as number)) entry = each;
    clear(entry);
    words[entry * entryWords] = high;
    words[entry * entryWords + 1] = low;
    return entry;
  };

  return {
    ...{ entries, expiresMs, words, values, clear },
    ownWordsOf: (entry) => entry * entryWords + ownWord,
    find(key) {
      const high = wordOf(key, 0);
      const set = setOf(high);
      lockSet(set);
      const entry = search(set, high, wordOf(key, 1));
      if (entry === -1) unlockSet(set);
      return entry;
    },
    enter(key) {
      const high = wordOf(key, 0);
      const low = wordOf(key, 1);
      const set = setOf(high);
      lockSet(set);
      const entry = search(set, high, low);
      return entry === -1 ? replaceIdlest(set, high, low) : entry;
    },
    lock: (entry) => lockSet(entry >> setBits),
    leave: (entry) => unlockSet(entry >> setBits),
    prune(nowMs) {
      for (let entry = 0; entry < entries; entry += 1) {
        if (!isExpired(entry)) continue;
        const set = entry >> setBits;
        if (Atomics.compareExchange(locks, set, 0, thread) !== 0) continue;
        if (isExpired(entry)) clear(entry);
        unlockSet(set);
      }
      function isExpired(entry: number): boolean {
        const ms = expiresMs[entry] as number;
        return ms !== 0 && ms <= nowMs;
      }
    },
    releaseLocksOf(ended) {
      for (let set = 0; set < sets; set += 1) Atomics.compareExchange(locks, set, ended, 0);
    },
    size: () => expiresMs.reduce((count, ms) => (ms === 0 ? count : count + 1), 0),
  };
}

/** Returns 32 bits of a key, from every second of its first characters: FNV-1a. */
function wordOf(key: string, first: 0 | 1): number {
  let word = -2_128_831_035;
  const end = Math.min(key.length, keyCharacters);
  for (let at = first; at < end; at += 2) word = Math.imul(word ^ key.charCodeAt(at), 16_777_619);
  return word;
}

/** Milliseconds of a clock that is never set and is the same in all threads, unlike `performance.now()`. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
