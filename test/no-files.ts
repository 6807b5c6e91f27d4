/** Runs a module in a process that has no file descriptor left for a while. */
import { spawnSync } from 'node:child_process';

const withoutFiles = `
import { closeSync, openSync } from 'node:fs';
async function withoutFiles(work) {
  const files = [];
  try {
    for (;;) files.push(openSync('/dev/null'));
  } catch {}
  try {
    return await work();
  } finally {
    files.forEach(closeSync);
  }
}`;

/**
 * Returns what the process printed, and its exit code. `module` is JavaScript, in which `withoutFiles(work)` uses up all descriptors until
 * the work ends.
 */
export function runWithoutFiles(module: string) {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e'];
  const args = ['-c', 'ulimit -n 200; exec "$@"', 'bash', ...node, withoutFiles + module];
  const { status, stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8' });
  return { status, printed: stdout + stderr };
}
