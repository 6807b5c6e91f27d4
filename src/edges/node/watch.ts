/** Tells when one of some files changes. */
import { unwatchFile, watchFile } from 'node:fs';

/** Looks at the files in this interval, through links, so that a file replaced or re-linked counts as changed; returns the end. */
export function watchFiles(files: readonly string[], intervalMs: number, changed: () => void): () => void {
  const listener = (now: { mtimeMs: number; ino: number; size: number }, before: typeof now): void => {
    if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino || now.size !== before.size) changed();
  };
  for (const file of files) watchFile(file, { interval: intervalMs, persistent: false }, listener);
  return () => {
    for (const file of files) unwatchFile(file, listener);
  };
}
