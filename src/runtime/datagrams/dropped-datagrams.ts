/** The datagrams that the kernel has dropped, because the program did not read them in time. */
import { readFileSync } from 'node:fs';

/** The tables of the process's network namespace. */
const tables = ['/proc/self/net/udp', '/proc/self/net/udp6'];

/**
 * Returns the number for all sockets of a local UDP port that are open now. 0 except on Linux, whose tables (proc_pid_net(5)) have the local port
 * in hexadecimal in the second column, and the number in the last one.
 */
export function countDroppedDatagrams(port: number): number {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  let dropped = 0;
  for (const row of tables.flatMap(readRows)) {
    const [, local = '', ...rest] = row.trim().split(/ +/);
    if (local.endsWith(ending)) dropped += Number(rest.at(-1));
  }
  return dropped;
}

function readRows(table: string): readonly string[] {
  try {
    return readFileSync(table, 'utf8').trim().split('\n').slice(1);
  } catch {
    return [];
  }
}
