/** Runs in a network namespace: looks up each argument with `grade` and `cert`, and prints the lines, as JSON. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../../src/cli/seenby.ts', import.meta.url));

const printed = process.argv.slice(2).flatMap((target) =>
  ['grade', 'cert'].map((command) => {
    const args = ['--disable-warning=ExperimentalWarning', program, command, '--short', '--allow-private', target];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 90_000 });
    return stdout + stderr;
  }),
);
process.stdout.write(JSON.stringify(printed));
