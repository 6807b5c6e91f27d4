/** The output of a command that cannot be written. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const seenby = fileURLToPath(new URL('../../src/cli/seenby.ts', import.meta.url));

/** Runs a shell command in which `"$@"` is `seenby ua curl/8.17.0`. */
function runIn(shell: string) {
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', seenby, 'ua', 'curl/8.17.0'];
  const { stdout, stderr } = spawnSync('sh', ['-c', shell, 'sh', ...command], { encoding: 'utf8' });
  return { stdout, stderr };
}

test('a command whose output cannot be written fails', { skip: process.platform !== 'linux' }, () => {
  for (const flag of ['', '--json', '--version', '--help']) {
    const { stdout, stderr } = runIn(`code=$("$@" ${flag} >/dev/full; echo $?); echo "$code"`);
    assert.deepEqual([stdout, stderr], ['1\n', 'seenby: cannot write the output (ENOSPC)\n']);
  }
});

test('a reader that closes the pipe ends a command silently', () => {
  // The reader has ended before the command starts.
  const { stdout, stderr } = runIn('{ sleep 0.3; "$@" --help; echo $? >&2; } | true');
  assert.deepEqual([stdout, stderr], ['', '141\n']);
});
