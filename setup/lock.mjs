/** A lock file that one process holds at a time; the lock of a process that has ended is taken over. */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 200;
/** A lock file without a process id is being written; after this time, its writer was killed. */
const unwrittenMs = 5000;

/**
 * Waits for the lock and returns the function that releases it.
 * @param {string} file
 * @param {(pid: string) => void} onWait called once, with the process id of the holder
 * @returns {Promise<() => void>}
 */
export async function takeLock(file, onWait) {
  const pid = String(process.pid);
  for (let attempt = 0; !create(file, pid); attempt += 1) {
    const holder = read(file);
    if (holder !== null && isAbandoned(file, holder)) {
      discard(file, holder);
      continue;
    }
    if (attempt === 0) onWait(holder ?? 'unknown');
    await sleep(pollMs);
  }
  const release = () => {
    if (read(file) === pid) rmSync(file, { force: true });
  };
  process.on('exit', release);
  return () => {
    process.off('exit', release);
    release();
  };
}

/** @param {string} file @param {string} pid */
function create(file, pid) {
  try {
    writeFileSync(file, pid, { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** @param {string} file @param {string} holder */
function isAbandoned(file, holder) {
  if (holder === '') return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > unwrittenMs;
  try {
    process.kill(Number(holder), 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
  }
}

/** Moves the file away before deleting it, so that two processes cannot both take over. @param {string} file @param {string} holder */
function discard(file, holder) {
  const moved = `${file}.${process.pid}`;
  try {
    renameSync(file, moved);
    if (read(moved) === holder) rmSync(moved);
    else renameSync(moved, file);
  } catch {
    // Another process took it over first.
  }
}
