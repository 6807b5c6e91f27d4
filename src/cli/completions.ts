/** Completions for shells, from the lists of commands, flags and settings. */
import { flagOf, settingNames } from '../core/settings.ts';
import { commands, flagNames, UsageError } from './commands.ts';

const serviceFlags = settingNames.map(flagOf);

const flagsByCommand = commands
  .filter(({ settings }) => settings !== undefined)
  .map(({ name, flags = [], settings = [] }) => ({
    name: name.split(' ')[0] ?? name,
    flags: [...flags, ...settings.map(flagOf)].map((flag) => `--${flag}`),
  }));
const names = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? name))];
const allFlags = [...new Set([...flagNames, ...serviceFlags, 'help', 'version'])].map((flag) => `--${flag}`);

const scripts = {
  bash: () => `_seenby() {
  local current=\${COMP_WORDS[COMP_CWORD]} flags
  case "\${COMP_WORDS[1]}" in
${flagsByCommand
  .filter(({ flags }) => flags.length > 0)
  .map(({ name, flags }) => `    ${name}) flags="${flags.join(' ')}" ;;\n`)
  .join('')}    *) flags="${allFlags.join(' ')}" ;;
  esac
  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ $COMP_CWORD == 1 ]]; then COMPREPLY=($(compgen -W "${names.join(' ')}" -- "$current"))
  fi
}
complete -F _seenby seenby ./seenby
`,
  zsh: () => `#compdef seenby
_arguments '1:command:(${names.join(' ')})' \
${allFlags.map((flag) => `  '${flag}[]' \\`).join('\n')}
  '*:argument:'
`,
  fish: () =>
    [
      'complete -c seenby -f',
      ...commands.map(
        ({ name, summary }) =>
          `complete -c seenby -n __fish_use_subcommand -a '${name.split(' ')[0]}' -d '${summary.replaceAll("'", "\\'")}'`,
      ),
      ...commands.flatMap(({ name, flags = [] }) =>
        flags.map((flag) => `complete -c seenby -n '__fish_seen_subcommand_from ${name}' -l ${flag}`),
      ),
      ...serviceFlags.map((flag) => `complete -c seenby -n '__fish_use_subcommand' -l ${flag}`),
      '',
    ].join('\n'),
};

/** Throws a UsageError for a shell that is not known. */
export function completions(shell: string): string {
  if (!isKnown(shell)) throw new UsageError(`completions ${shell}: must be bash, zsh or fish`);
  return scripts[shell]();
}

const isKnown = (shell: string): shell is keyof typeof scripts => Object.hasOwn(scripts, shell);
