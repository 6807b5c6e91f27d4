/** The table of devices on Node: a file, read at the first model that a client names. */
import { readFileSync } from 'node:fs';

/** ASCII; client/device/table.ts states the format. */
export const readDeviceTable = (): string => readFileSync(new URL('generated/devices.txt', import.meta.url), 'latin1');
