/** A fixed table of keys in memory that all threads share; the limits by key keep their numbers in it. */
import type { Key } from '../../../ingress/limits/sip-hash.ts';

/** Entries per set (associativity). A key can be in one set only, and each set has one lock. */
const setBits = 3;
const entriesPerSet = 1 << setBits;
/** Sets per group: what `prune` passes over if no key has been created in it. */
const groupBits = 7;
/** Int32 words that hold the key of an entry. */
const keyWords = 2;

const spins = 100;
/** Longest sleep of a thread that waits for a lock; a thread locks one for less than a microsecond. */
const sleepMs = 1;
/** Sleeps after which a lock is taken over. Its thread has ended, or had no CPU for longer than a cgroup's quota takes it away. */
const maxSleeps = 200;

const bytesPerEntry = (valuesPerKey: number): number => 8 + 4 * (keyWords + valuesPerKey) + 4 / entriesPerSet;

/** Int32 words of the groups of so many entries. */
const groupsOf = (entries: number): number => Math.max(1, entries >> (setBits + groupBits));

/** `keys` is rounded up to a power of two, at least `entriesPerSet`. The system provides the memory page by page, at the first write. */
export function allocateTable(keys: number, valuesPerKey: number): SharedArrayBuffer {
  const entries = Math.max(entriesPerSet, 2 ** Math.ceil(Math.log2(keys)));
  return new SharedArrayBuffer(entries * bytesPerEntry(valuesPerKey) + 4 * groupsOf(entries));
}

/**
 * Opens one thread's view of a table; `thread` is different in each thread, and greater than 0. `find`, `getOrCreate` and `lock` lock an
 * entry until `unlock`; between them nothing may wait or fail. A set that is full evicts its key that expires first.
 */
export function openTable(memory: SharedArrayBuffer, valuesPerKey: number, thread: number) {
  const { entries, sets, expiresMs, keys, locks, groups, values } = viewsOf(memory, valuesPerKey);
  const setOf = (high: number): number => (high ^ (high >>> 16)) & (sets - 1);
  const lockSet = (set: number): void => {
    if (Atomics.compareExchange(locks, set, 0, thread) !== 0) waitForLock(locks, set, thread);
  };
  // Does nothing if another thread has taken over the lock.
  const unlockSet = (set: number): void => {
    Atomics.compareExchange(locks, set, thread, 0);
  };
  const entryIn = finderIn(keys);
  const remove = (entry: number): void => {
    for (let at = entry * keyWords; at < (entry + 1) * keyWords; at += 1) keys[at] = 0;
    for (let at = entry * valuesPerKey; at < (entry + 1) * valuesPerKey; at += 1) values[at] = 0;
    expiresMs[entry] = 0;
  };
  const create = (set: number, high: number, low: number): number => {
    const entry = firstToExpire(expiresMs, set);
    remove(entry);
    Atomics.store(groups, set >> groupBits, 1);
    keys[entry * keyWords] = high;
    keys[entry * keyWords + 1] = low;
    return entry;
  };
  /** Removes the expired keys of a set unless it is locked; returns whether it may have other keys. */
  const pruneSet = (set: number, nowMs: number): boolean => {
    // This includes a key that is being created, which has no expiry yet.
    if (Atomics.load(locks, set) !== 0) return true;
    let hasKeys = false;
    for (let entry = set * entriesPerSet; entry < (set + 1) * entriesPerSet; entry += 1) {
      const ms = expiresMs[entry] as number;
      if (ms === 0) continue;
      const isLocked = ms <= nowMs && Atomics.compareExchange(locks, set, 0, thread) === 0;
      if (isLocked && (expiresMs[entry] as number) <= nowMs) remove(entry);
      if (isLocked) unlockSet(set);
      hasKeys ||= expiresMs[entry] !== 0;
    }
    return hasKeys;
  };

  return {
    entries,
    /** Expiry time of each entry (`monotonicMs`); 0 if it is free. */
    expiresMs,
    /** Numbers of the owner, `valuesPerKey` for each entry; 0 in a new one. */
    values,
    /** Removes the key of a locked entry. */
    remove,
    /** Locks and returns the key's entry; -1, locking nothing, if it has none. */
    find({ high, low }: Key): number {
      const set = setOf(high);
      lockSet(set);
      const entry = entryIn(set, high, low);
      if (entry === -1) unlockSet(set);
      return entry;
    },
    /** Locks and returns the key's entry, creating it if needed. */
    getOrCreate({ high, low }: Key): number {
      const set = setOf(high);
      lockSet(set);
      const entry = entryIn(set, high, low);
      return entry === -1 ? create(set, high, low) : entry;
    },
    /** Locks an entry, whatever its key. */
    lock: (entry: number): void => lockSet(entry >> setBits),
    unlock: (entry: number): void => unlockSet(entry >> setBits),
    /**
     * Removes the keys that have expired, except in sets that are locked. Reads only the groups that may have keys: a table of 65,536 would
     * replace half a megabyte in the caches of the processor.
     */
    prune: (nowMs: number): void => pruneGroups(groups, sets, (set) => pruneSet(set, nowMs)),
    /** Unlocks what a thread had locked when it ended. */
    unlockThread(ended: number): void {
      for (let set = 0; set < sets; set += 1) Atomics.compareExchange(locks, set, ended, 0);
    },
  };
}

/** Returns a function that returns the entry of a set that has two words as its key, -1 if none has. */
function finderIn(keys: Int32Array) {
  return (set: number, high: number, low: number): number => {
    for (let entry = set * entriesPerSet; entry < (set + 1) * entriesPerSet; entry += 1)
      if (keys[entry * keyWords] === high && keys[entry * keyWords + 1] === low) return entry;
    return -1;
  };
}

/** Returns a free entry of a set; if there is none, the one that expires first. */
function firstToExpire(expiresMs: Float64Array, set: number): number {
  let first = set * entriesPerSet;
  for (let entry = first + 1; entry < (set + 1) * entriesPerSet; entry += 1)
    if ((expiresMs[entry] as number) < (expiresMs[first] as number)) first = entry;
  return first;
}

/** Calls `pruneSet`, which returns whether the set may have keys, for the sets of each group that may have some. */
function pruneGroups(groups: Int32Array, sets: number, pruneSet: (set: number) => boolean): void {
  const groupSets = sets / groups.length;
  for (let group = 0; group < groups.length; group += 1) {
    // Cleared first, so that a key that is created meanwhile marks its group again.
    if (Atomics.load(groups, group) === 0 || Atomics.exchange(groups, group, 0) === 0) continue;
    let hasKeys = false;
    for (let set = group * groupSets; set < (group + 1) * groupSets; set += 1) hasKeys = pruneSet(set) || hasKeys;
    if (hasKeys) Atomics.store(groups, group, 1);
  }
}

function viewsOf(memory: SharedArrayBuffer, valuesPerKey: number) {
  // The groups take less than one entry for each of theirs.
  const entries = 2 ** Math.floor(Math.log2(memory.byteLength / bytesPerEntry(valuesPerKey)));
  const sets = entries / entriesPerSet;
  const expiresMs = new Float64Array(memory, 0, entries);
  const keys = new Int32Array(memory, expiresMs.byteLength, entries * keyWords);
  const locks = new Int32Array(memory, keys.byteOffset + keys.byteLength, sets);
  const groups = new Int32Array(memory, locks.byteOffset + locks.byteLength, groupsOf(entries));
  const values = new Int32Array(memory, groups.byteOffset + groups.byteLength);
  return { entries, sets, expiresMs, keys, locks, groups, values };
}

function waitForLock(locks: Int32Array, set: number, thread: number): void {
  for (let waits = 1; ; waits += 1) {
    const owner = Atomics.compareExchange(locks, set, 0, thread);
    // An owner with this thread's number is this thread after a failure, or an ended thread whose number it has.
    if (owner === 0 || owner === thread) return;
    if (waits > spins + maxSleeps && Atomics.compareExchange(locks, set, owner, thread) === owner) return;
    if (waits > spins) Atomics.wait(locks, set, owner, sleepMs);
  }
}

/** Time of the clock at which `performance.now` was 0 in this thread. */
const startMs = readClockMs() - performance.now();

function readClockMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** Milliseconds of a clock that is never set and is the same in all threads, unlike `performance.now()`. */
export const monotonicMs = (): number => startMs + performance.now();
