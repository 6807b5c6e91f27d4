/** Reloads files when they change, and all of them on request. */
import { statSync } from 'node:fs';
import type { Log } from '../core/log.ts';

export interface Reloads {
  /**
   * Calls `load` when one of the files changes, and logs the result as that of `what`. Checks through links, so that a replaced or
   * re-linked file counts as changed.
   */
  add(files: readonly string[], what: string, load: () => Promise<void>): void;
  /** Calls every `load` now; resolves when all have ended, whether or not they failed. */
  reloadAll(): Promise<void>;
  end(): void;
}

/** Checks the files in this interval. */
export function createReloads(intervalMs: number, log: Log): Reloads {
  const reloads: (() => Promise<void>)[] = [];
  const ends: (() => void)[] = [];
  return {
    add(files, what, load) {
      const reload = oneAtATime(() =>
        load().then(
          () => log('reloaded', `reloaded ${what}`, { what }),
          ({ message: reason }: Error) =>
            log('reload_failed', `kept ${what}; reload failed: ${reason}`, { what, reason }),
        ),
      );
      // Not watchFile: it reads a file's first state later, and misses a change before that.
      let known = describeFiles(files);
      const timer = setInterval(() => {
        const now = describeFiles(files);
        if (now !== known) void reload();
        known = now;
      }, intervalMs);
      timer.unref();
      reloads.push(reload);
      ends.push(() => clearInterval(timer));
    },
    async reloadAll() {
      await Promise.all(reloads.map((reload) => reload()));
    },
    end() {
      for (const end of ends) end();
    },
  };
}

/** Differs when one of the files was written, replaced, re-linked or removed. */
function describeFiles(files: readonly string[]): string {
  return files.map(describeFile).join();
}

function describeFile(file: string): string {
  try {
    const { mtimeMs, ino, size } = statSync(file);
    return `${mtimeMs} ${ino} ${size}`;
  } catch {
    return 'unreadable';
  }
}

/** Runs `work` again after the present run; requests during a run share the next one, because each may hold a database in memory. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      running = work();
      return running;
    });
    return next;
  };
}
