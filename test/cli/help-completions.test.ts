/** The shells read their completions. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { completions } from '../../src/cli/help.ts';

/** Fails in CI if the shell is missing; elsewhere it is named. */
const without = (shell: string): string | false =>
  process.env.CI || spawnSync(shell, ['-c', 'true']).status === 0 ? false : `needs the command ${shell}`;

test('bash completes commands, and the flags of a command', { skip: without('bash') }, () => {
  const complete = (...words: readonly string[]): string => {
    const script = `${completions('bash')}\nCOMP_WORDS=(seenby ${words.join(' ')}); COMP_CWORD=${words.length}; _seenby; echo "\${COMPREPLY[@]}"`;
    return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim();
  };
  assert.equal(complete('gr'), 'grade');
  assert.equal(complete('grade', '--fa'), '--fail-below');
  assert.equal(complete('whois', '--ex'), '--expires-within');
  assert.equal(complete('serve', '--tls-p'), '--tls-port');
});

test('zsh reads its completions', { skip: without('zsh') }, () => {
  const { status, stderr } = spawnSync('zsh', ['-n'], { input: completions('zsh'), encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});

test('fish completes commands, and the flags of a command', { skip: without('fish') }, () => {
  const complete = (line: string): string => {
    const script = `${completions('fish')}\ncomplete -C '${line}'`;
    return spawnSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' }).stdout;
  };
  assert.match(complete('seenby gra'), /^grade\t/m);
  assert.match(complete('seenby grade --fail'), /^--fail-below/m);
});

test('names the shells that have completions, for every other word', () => {
  for (const word of ['', 'csh', 'constructor'])
    assert.throws(() => completions(word), { message: `completions ${word}: must be bash, zsh or fish` });
});
