/** Files that settings name. */
import { stat } from 'node:fs/promises';

/**
 * Rejects with EISDIR for a folder, pipe or device, and with the code of stat(2) if there is none: a pipe blocks a thread of Node, also at its
 * exit, until something is written to it, and a device may never end.
 */
export async function validateRegular(file: string): Promise<void> {
  const found = await stat(file);
  if (!found.isFile()) throw Object.assign(new Error(file), { code: 'EISDIR' });
}

/** Why a file cannot be read, by the code of the error, and what to change. */
export const describeUnreadable = (file: string, code: string): string =>
  code === 'EISDIR'
    ? `cannot read "${file}"; name a file, not a folder, pipe or device`
    : `cannot read "${file}" (${code}); check the path and its permissions`;
