/** The datagrams that the kernel has dropped, because the program did not read them in time. */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { endianness } from 'node:os';
import { parseAddress } from '../../core/address.ts';

/** The UDP sockets of the process's network namespace (proc_pid_net(5)): the second column has the local address, the last one the number. */
const tables = ['/proc/self/net/udp', '/proc/self/net/udp6'];

/** On a machine with thousands of sockets, reading the tables takes 100 ms. */
const maxShareOfTime = 0.05;

/**
 * Returns a function that counts the datagrams dropped so far by the sockets with these local addresses, which are open. Its result is an earlier
 * one if counting would take more than a twentieth of the time, and 0 on systems without the tables, which only Linux has.
 */
export function createDropCount(addressesOf: () => readonly AddressInfo[], now = () => performance.now()) {
  let dropped = 0;
  let nextMs = Number.NEGATIVE_INFINITY;
  return (): number => {
    const startedMs = now();
    if (startedMs < nextMs) return dropped;
    dropped = countDropped(new Set(addressesOf().map(columnOf)));
    const endedMs = now();
    nextMs = startedMs + (endedMs - startedMs) / maxShareOfTime;
    return dropped;
  };
}

function countDropped(columns: ReadonlySet<string>): number {
  let dropped = 0;
  for (const row of tables.flatMap(readRows)) {
    const [, local = '', ...rest] = row.trim().split(/ +/);
    if (columns.has(local)) dropped += Number(rest.at(-1));
  }
  return dropped;
}

/** Such as `0100007F:0035` for 127.0.0.1 and port 53: each 32 bits are in the byte order of the machine. The zone of an address is left out. */
function columnOf({ address, port }: AddressInfo): string {
  const parsed = parseAddress(address.replace(/%.*/, ''));
  if (parsed === null) return '';
  const { bits, version } = parsed;
  const bytes = Buffer.from(bits.toString(16).padStart(version === 4 ? 8 : 32, '0'), 'hex');
  if (endianness() === 'LE') bytes.swap32();
  return `${bytes.toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

function readRows(table: string): readonly string[] {
  try {
    return readFileSync(table, 'utf8').trim().split('\n').slice(1);
  } catch {
    return [];
  }
}
