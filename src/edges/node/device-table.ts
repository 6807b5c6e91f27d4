/** The table of devices on Node: a file, read at the first model that a client names. */
import { readFileSync } from 'node:fs';

/**
 * ASCII; client/device/table.ts states the format. Empty if the file is missing, as in a bundle that somebody else has made of the npm
 * package: then only common devices are named.
 */
export function readDeviceTable(): string {
  try {
    return readFileSync(new URL('generated/devices.txt', import.meta.url), 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
