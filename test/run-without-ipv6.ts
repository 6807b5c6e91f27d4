/** Runs a program as on a machine whose kernel has no IPv6. */
import { spawn } from 'node:child_process';
import { runToEnd } from './quic-clients.ts';

/** Reason to skip such a test. */
export const skipWithoutFilter = process.platform === 'linux' ? false : 'needs Linux';

/** `program`: an ES module. Returns what it printed on both streams. */
export async function runWithoutIpv6(program: string): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const filter = `--import=${import.meta.resolve('./without-ipv6.ts')}`;
  const args = ['--disable-warning=ExperimentalWarning', filter, '--input-type=module', '--eval', program];
  return (await runToEnd(spawn(process.execPath, args, { env }))).printed;
}
