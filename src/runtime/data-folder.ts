/** The folder of DATA_DIR, and how its files are replaced. */
import { existsSync, rmSync } from 'node:fs';
import { access, constants, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents, with this mode if given; throws the error of the first one that cannot be created. Node's own
 * `recursive` option never returns below /proc, where creating a folder fails as if its parent were missing (Node 26.10).
 */
export async function createFolder(path: string, mode?: number): Promise<void> {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing)
    await mkdir(folder, { mode }).catch((error: NodeJS.ErrnoException) => {
      // Another process created it.
      if (error.code !== 'EEXIST') throw error;
    });
}

/**
 * Replaces a file in one step with the one that `write` creates at the path it gets, which is that of the file with the suffix. If `write`
 * flushes it, a failure, the end of the process or a power cut leaves the whole old file or the whole new one. The unfinished file remains
 * only if the process ends without its `exit` event: by a signal that nothing handles, a crash or a power cut.
 */
export async function replaceFile(
  file: string,
  suffix: string,
  write: (unfinished: string) => Promise<void>,
): Promise<void> {
  const unfinished = `${file}${suffix}`;
  const removeAtExit = (): void => {
    try {
      rmSync(unfinished, { force: true });
    } catch {
      // The process ends anyway.
    }
  };
  process.on('exit', removeAtExit);
  try {
    await write(unfinished);
    await rename(unfinished, file);
  } finally {
    process.off('exit', removeAtExit);
    await rm(unfinished, { force: true }).catch(() => {});
  }
}

/** Creates the folder if it is missing; throws an Error that names the setting if files cannot be created in it. */
export async function validateDataFolder(path: string): Promise<void> {
  try {
    await createFolder(path);
    await access(path, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`DATA_DIR: cannot write to "${path}" (${code}); use a writable folder`);
  }
}
