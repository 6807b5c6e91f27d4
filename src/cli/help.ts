/** The texts of `--help`, `help settings`, `help <command>` and `completions`, from the lists of commands, flags and settings. */
import { product } from '../core/product.ts';
import { flagOf, settingNames, settings, variableOf } from '../core/settings.ts';
import {
  type CommandDescription,
  commands,
  commandsAt,
  commandsWith,
  flagNames,
  UsageError,
  usageOf,
} from './commands.ts';
import { commandFlags } from './data/commands.ts';
import { wrap } from './layouts/terminal.ts';

const width = 80;
const exitCodes = 'Exit codes: 0 success, 1 failure, 2 unknown command, flag or value.';
const columnWidth = 28;

/** The help for words after `help`: all of it, that of a command, or of the settings; throws a UsageError for unknown words. */
export function helpOf(words: readonly string[]): string {
  if (words.length === 0) return help();
  if (words.length === 1 && words[0] === 'settings') return settingsHelp();
  return commandsAt(words).map(helpFor).join('\n');
}

/** At most 40 lines of 80 columns. */
function help(): string {
  const flags = flagNames.map((name) => `  ${flagText(name).padEnd(columnWidth)}${commandsWith(name)}\n`);
  return `${product.name} shows what the internet sees about your request.

Usage: seenby [command] [flags], in a clone: ./seenby [command] [flags]

${commands.map((command) => `  ${usageOf(command).padEnd(columnWidth)}${command.summary}\n`).join('')}
Flags, and the commands that have them:
${flags.join('')}  ${'--version'.padEnd(columnWidth)}Print the version
  ${'-h, --help'.padEnd(columnWidth)}Print this help

Settings are environment variables and flags; help settings prints them.
The argument - reads arguments from the standard input, one per line.
${exitCodes}
`;
}

function settingsHelp(): string {
  const rows = settingNames.map((name) => {
    const { value, description, default: fallback } = settings[name];
    const text = `${description}${fallback === '' ? '' : ` Default: ${fallback}`}`;
    return `  --${flagOf(name)} <${value}>\n  ${variableOf(name)}\n${indent(text)}`;
  });
  return `Settings; each is an environment variable, and a flag of the commands that it affects:\n\n${rows.join('')}`;
}

function helpFor(command: CommandDescription): string {
  const { summary, flags = [], settings: affecting = settingNames, examples } = command;
  const rows = flags.map((name) => `  ${flagText(name).padEnd(columnWidth)}${commandFlags[name].description}\n`);
  const settingFlags = affecting === settingNames ? 'all' : affecting.map((name) => `--${flagOf(name)}`).join(' ');
  const settingRow = affecting.length === 0 ? '' : `\nSettings: ${settingFlags}\n`;
  const flagRows = rows.length === 0 ? '' : `\n${rows.join('')}`;
  const lines = examples.map((example) => `  seenby ${example}\n`).join('');
  return `Usage: seenby ${usageOf(command)}\n\n${summary}.\n${flagRows}${settingRow}\nExamples:\n${lines}\n${exitCodes}\n`;
}

const flagText = (name: (typeof flagNames)[number]): string => {
  const { value, short } = { short: undefined, ...commandFlags[name] };
  return `${short === undefined ? '' : `-${short}, `}--${name} ${value}`.trimEnd();
};

const indent = (text: string): string =>
  wrap(text, width - 6)
    .map((line) => `      ${line}\n`)
    .join('');

const serviceFlags = settingNames.map(flagOf);

const firstWordOf = ({ name }: CommandDescription): string => name.split(' ')[0] ?? name;
const names = [...new Set(commands.map(firstWordOf))];
const bashCases = commands.flatMap((command) => {
  const { flags = [], settings } = command;
  const own = settings === undefined ? [] : [...flags, ...settings.map(flagOf)].map((flag) => `--${flag}`);
  return own.length === 0 ? [] : `    ${firstWordOf(command)}) flags="${own.join(' ')}" ;;\n`;
});
const allFlags = [...new Set([...flagNames, ...serviceFlags, 'help', 'version'])].map((flag) => `--${flag}`);

const scripts: Readonly<Record<string, string>> = {
  bash: `_seenby() {
  local current=\${COMP_WORDS[COMP_CWORD]} flags
  case "\${COMP_WORDS[1]}" in
${bashCases.join('')}    *) flags="${allFlags.join(' ')}" ;;
  esac
  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ $COMP_CWORD == 1 ]]; then COMPREPLY=($(compgen -W "${names.join(' ')}" -- "$current"))
  fi
}
complete -F _seenby seenby ./seenby
`,
  zsh: `#compdef seenby
_arguments '1:command:(${names.join(' ')})' \
${allFlags.map((flag) => `  '${flag}[]' \\`).join('\n')}
  '*:argument:'
`,
  fish: [
    'complete -c seenby -f',
    ...commands.map(
      (command) =>
        `complete -c seenby -n __fish_use_subcommand -a '${firstWordOf(command)}' -d '${command.summary.replaceAll("'", "\\'")}'`,
    ),
    ...commands.flatMap(({ name, flags = [] }) =>
      flags.map((flag) => `complete -c seenby -n '__fish_seen_subcommand_from ${name}' -l ${flag}`),
    ),
    ...serviceFlags.map((flag) => `complete -c seenby -n '__fish_use_subcommand' -l ${flag}`),
    '',
  ].join('\n'),
};

/** The completions of a shell; throws a UsageError for a shell that is not known. */
export function completions(shell: string): string {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined) throw new UsageError(`completions ${shell}: must be bash, zsh or fish`);
  return script;
}
