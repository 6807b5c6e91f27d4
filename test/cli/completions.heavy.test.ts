/** The shells complete with our completions: each test asks a real shell. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { completions } from '../../src/cli/completions.ts';
import { grades } from '../../src/lookups/headers-check/grade.ts';

/** Fails in CI if the shell is missing; elsewhere it is named. */
const without = (shell: string): string | false =>
  process.env.CI || spawnSync(shell, ['-c', 'true']).status === 0 ? false : `needs the command ${shell}`;

const folder = mkdtempSync(join(tmpdir(), 'seenby-completions-'));
after(() => rmSync(folder, { recursive: true }));

/** What a user types, and the words that a shell must offer for it, the first of them only. */
const cases: readonly (readonly [typed: readonly string[], offered: string, isOnly?: true])[] = [
  [['gr'], 'grade', true],
  [['geo', ''], 'update'],
  [['geo', 'b'], 'build', true],
  [['help', 'set'], 'settings', true],
  [['completions', 'f'], 'fish', true],
  [['grade', '--fa'], '--fail-below', true],
  [['grade', '--fail-below', 'B'], 'B+'],
  [['grade', '--format', 'j'], 'junit', true],
  [['dns', 'example.com', 'AAA'], 'AAAA', true],
  [['whois', '--ex'], '--expires-within', true],
  [['serve', '--tls-p'], '--tls-port', true],
  [['--tls-p'], '--tls-port', true],
  [['me', '--ins'], '--insecure', true],
  [['cert', '--exp'], '--expires-within', true],
  [['cert', '--ca', import.meta.filename.slice(0, -3)], import.meta.filename, true],
];

test('bash completes commands, subcommands, flags, grades and types', { skip: without('bash') }, () => {
  for (const [typed, offered, isOnly] of cases) {
    const words = typed.map((word) => `'${word}'`).join(' ');
    const script = `${completions('bash')}\nCOMP_WORDS=(seenby ${words}); COMP_CWORD=${typed.length}; _seenby; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const found = spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim().split('\n');
    assert.ok(found.includes(offered), `${words}: ${found}`);
    if (isOnly) assert.deepEqual(found, [offered], words);
  }
});

test('bash completes the value after an equals sign, which is a word of its own there', {
  skip: without('bash'),
}, () => {
  for (const [words, offered] of [
    [['grade', '--fail-below', '='], grades],
    [
      ['grade', '--fail-below', '=', 'B'],
      ['B+', 'B', 'B-'],
    ],
    [['cert', '--format', '=', 'j'], ['junit']],
  ] as const) {
    const script = `${completions('bash')}\nCOMP_WORDS=(seenby ${words.join(' ')}); COMP_CWORD=${words.length}; _seenby; printf '%s\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    assert.deepEqual(stdout.trim().split('\n'), offered, words.join(' '));
  }
});

test('fish completes them with descriptions', { skip: without('fish') }, () => {
  const complete = (line: string): string => {
    const script = `${completions('fish')}\ncomplete -C '${line}'`;
    return spawnSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' }).stdout;
  };
  for (const [typed, offered] of cases) {
    const line = `seenby ${typed.join(' ')}`;
    assert.ok(
      complete(line)
        .split('\n')
        .some((each) => each.split('\t')[0] === offered),
      `${line}: ${complete(line)}`,
    );
  }
  assert.match(complete('seenby gra'), /^grade\tGrade a site's response headers$/m);
  assert.match(complete('seenby grade --fail'), /^--fail-below\tExit code 1/m);
  assert.match(complete('seenby grade --fail-below=B'), /^--fail-below=B\+/m);
});

/** zsh completes only in a terminal, so it runs in one of its own; the program ends when the rest of the word has appeared there. */
const zshProgram = (file: string, typed: string, rest: string): string => `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -d ${folder}/dump; source ${file}; print rea""dy'
zpty -r shell output '*ready*'
zpty -n -w shell $'${typed}\\t'
zpty -r shell output '*${rest}*'
zpty -d shell
print completed
`;

test('zsh completes them', { skip: without('zsh') }, () => {
  const file = join(folder, '_seenby');
  writeFileSync(file, completions('zsh'));
  assert.equal(spawnSync('zsh', ['-n', file], { encoding: 'utf8' }).stderr, '');
  for (const [typed, offered] of cases.filter(([, , isOnly]) => isOnly)) {
    const rest = offered.slice(typed.at(-1)?.length);
    const program = zshProgram(file, `seenby ${typed.join(' ')}`, rest);
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', program], { encoding: 'utf8', timeout: 500_000 });
    assert.equal(stdout, 'completed\n', `${typed.join(' ')}: ${stderr}`);
  }
});

test('zsh keeps an apostrophe in a description, and completes the value after an equals sign', {
  skip: without('zsh'),
}, () => {
  const file = join(folder, '_seenby');
  writeFileSync(file, completions('zsh'));
  for (const [typed, shown] of [
    ['seenby grade --', "*Send 'Name: value' to the first origin"],
    ['seenby grade --fail-below=B', '*B+*B-'],
  ] as const) {
    // The second tab lists what there is.
    const program = zshProgram(file, `${typed}\\t`, shown);
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', program], { encoding: 'utf8', timeout: 500_000 });
    assert.equal(stdout, 'completed\n', `${typed}: ${stderr}`);
  }
});

test('names the shells that have completions, for every other word', () => {
  for (const word of ['', 'csh', 'constructor'])
    assert.throws(() => completions(word), { message: `completions ${word}: must be bash, zsh or fish` });
});
