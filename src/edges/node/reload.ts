/** Reloads files when they change. */
import { unwatchFile, watchFile } from 'node:fs';
import type { Log } from './log/log.ts';

/**
 * Calls `reload` when one of the files changes, and logs the result. Checks in this interval and through links, so that a replaced or
 * re-linked file counts as changed. Returns the function that stops it.
 */
export function reloadOnChange(
  files: readonly string[],
  what: string,
  intervalMs: number,
  log: Log,
  reload: () => Promise<void>,
): () => void {
  const listener = (now: { mtimeMs: number; ino: number; size: number }, before: typeof now): void => {
    if (now.mtimeMs === before.mtimeMs && now.ino === before.ino && now.size === before.size) return;
    reload().then(
      () => log('reloaded', `reloaded ${what}`, { what }),
      ({ message: reason }: Error) => log('reload_failed', `kept ${what}; reload failed: ${reason}`, { what, reason }),
    );
  };
  for (const file of files) watchFile(file, { interval: intervalMs, persistent: false }, listener);
  return () => {
    for (const file of files) unwatchFile(file, listener);
  };
}
