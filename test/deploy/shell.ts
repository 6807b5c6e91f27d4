/**
 * Runs the shell commands of a page in an empty folder, in a network namespace without a network. Programs that change nothing are run; all
 * others, and the service's own, are recorded instead.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A command that was recorded; `variables` are those that the commands set. */
export interface RecordedCommand {
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Programs that are run, each with its exit code for a wrong command line. */
const usageErrors = Object.entries({ curl: 2, dig: 1, grep: 2, nft: 1, openssl: 1 });
const folders = `${process.env.PATH}${delimiter}/usr/sbin${delimiter}/sbin`.split(delimiter);
const findProgram = (name: string): string | undefined =>
  folders.map((each) => join(each, name)).find((file) => existsSync(file));

const record = `
record() {
  local names=($(compgen -e))
  printf '%s\\0' "$#" "$@" "\${#names[@]}" >&3
  for name in "\${names[@]}"; do printf '%s=%s\\0' "$name" "\${!name}" >&3; done
}
`;
const runs = usageErrors.map(
  ([name, code]) => `${name}() {
  type -P ${name} > /dev/null || { record ${name} "$@"; return 0; }
  command ${name} "$@"
  [ $? -ne ${code} ] || echo "${name} does not understand: $*" >&4
}`,
);
const prelude = `${record}
command_not_found_handle() { record "$@"; }
sudo() { "$@"; }
# A secret in a file of the operator.
cat() { printf '%064d' 0; }
${runs.join('\n')}
set -a
`;
/** Variables that the shell itself sets. */
const shellVariables = new Set(['HOME', 'OLDPWD', 'PATH', 'PWD', 'SHLVL', '_']);

/**
 * Returns the recorded commands; the last one, without words, has the variables at the end. Throws an Error for a syntax error, and for a
 * command that a program does not understand.
 */
export function runShell(script: string): readonly RecordedCommand[] {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-shell-'));
  try {
    const bin = join(folder, 'bin');
    const cwd = join(folder, 'empty');
    for (const each of [bin, cwd]) mkdirSync(each);
    for (const [name] of usageErrors) {
      const file = findProgram(name);
      if (file !== undefined) symlinkSync(file, join(bin, name));
    }
    // A name with a slash is no command that could be missing.
    writeFileSync(join(cwd, 'seenby'), `#!/bin/bash\n${record}record "$0" "$@"\n`, { mode: 0o755 });
    const { stderr, output } = spawnSync(
      '/usr/bin/unshare',
      ['--net', '--map-root-user', '/bin/bash', '-c', `${prelude}${script}\nrecord\n`],
      {
        cwd,
        env: { PATH: bin, HOME: cwd },
        stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    const [, , , recorded, misunderstood] = output;
    if (misunderstood) throw new Error(`${misunderstood}${stderr}`);
    const commands = readRecorded(`${recorded}`);
    // A syntax error ends the shell before.
    if (commands.at(-1)?.words.length !== 0) throw new Error(stderr);
    return commands;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readRecorded(recorded: string): readonly RecordedCommand[] {
  const fields = recorded.split('\0');
  let at = 0;
  const readList = (): readonly string[] => {
    const count = Number(fields[at]);
    at += 1 + count;
    return fields.slice(at - count, at);
  };
  const commands: RecordedCommand[] = [];
  while (at < fields.length - 1) {
    const words = readList();
    const pairs = readList().map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
    commands.push({ words, variables: Object.fromEntries(pairs.filter(([name = '']) => !shellVariables.has(name))) });
  }
  return commands;
}
