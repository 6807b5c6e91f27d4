/** Reloads files when they change, and all of them on request. */
import { statSync } from 'node:fs';
import type { Log } from '../core/log.ts';
import { runEvery } from '../native/ticks.ts';

/** Files, and text that differs when one of them has changed. */
export interface FileState {
  readonly files: readonly string[];
  readonly state: string;
}

/** To be called before the files are read: a change while they are read must not be missed. */
export const stateOf = (files: readonly string[]): FileState => ({ files, state: describeFiles(files) });

/** Checks the files in this interval. */
export function createReloads(intervalMs: number, log: Log) {
  const all: { readonly check: () => void; readonly reload: () => Promise<void> }[] = [];
  // Not watchFile: it reads a file's first state later, and misses a change before that.
  const end = runEvery(intervalMs, () => {
    for (const { check } of all) check();
  });
  return {
    /**
     * Calls `load` when one of the files differs from its state and has not changed since the previous check, because it may still be
     * written. Logs the result as that of `what`. Checks through links, so that a replaced or re-linked file counts as changed.
     */
    add({ files, ...known }: FileState, what: string, load: () => Promise<void>): void {
      const reload = oneAtATime(() =>
        load().then(
          () => log('reloaded', `reloaded ${what}`, { what }),
          ({ message: reason }: Error) =>
            log('reload_failed', `kept ${what}; reload failed: ${reason}`, { what, reason }),
        ),
      );
      let { state: loaded } = known;
      let latest = loaded;
      const check = (): void => {
        const before = latest;
        latest = describeFiles(files);
        if (latest !== before || latest === loaded) return;
        loaded = latest;
        void reload();
      };
      all.push({ check, reload });
    },
    /** Calls every `load` now; resolves when all have ended, whether or not they failed. */
    async reloadAll(): Promise<void> {
      await Promise.all(all.map(({ reload }) => reload()));
    },
    end,
  };
}

/** Differs when one of the files was written, replaced, re-linked or removed, or its permissions were changed. */
function describeFiles(files: readonly string[]): string {
  const states = files.map((file) => {
    try {
      // An error that is thrown takes 50 µs of an idle process.
      const state = statSync(file, { throwIfNoEntry: false });
      return state === undefined ? 'absent' : `${state.mtimeMs} ${state.ctimeMs} ${state.ino} ${state.size}`;
    } catch {
      return 'unreadable';
    }
  });
  return states.join();
}

/** Runs `work` again after the present run; requests during a run share the next one, because each may hold a database in memory. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
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
