/** Reloads files when they change, and all of them on request. */
import { unwatchFile, watchFile } from 'node:fs';
import type { Log } from './log/log.ts';

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
      const listener = (now: { mtimeMs: number; ino: number; size: number }, before: typeof now): void => {
        if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino || now.size !== before.size) void reload();
      };
      for (const file of files) watchFile(file, { interval: intervalMs, persistent: false }, listener);
      reloads.push(reload);
      ends.push(() => {
        for (const file of files) unwatchFile(file, listener);
      });
    },
    async reloadAll() {
      await Promise.all(reloads.map((reload) => reload()));
    },
    end() {
      for (const end of ends) end();
    },
  };
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
