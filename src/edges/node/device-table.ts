/** The table of devices on Node: a file, read at the first model that a client names. */
import { readFileSync } from 'node:fs';

/**
 * ASCII; client/device/table.ts states the format. Empty if the file is missing, as in a bundle that somebody else has made of the npm
 * package: then only common devices are named. Null while no file can be opened.
 */
export function readDeviceTable(): string | null {
  try {
    return readFileSync(new URL('generated/devices.txt', import.meta.url), 'latin1');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    if (code === 'EMFILE' || code === 'ENFILE') return null;
    throw error;
  }
}
