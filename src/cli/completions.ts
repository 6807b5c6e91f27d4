/** The completions of bash, zsh and fish, from the lists of commands, flags and settings. */
import { flagOf, settingNames, settings } from '../core/settings.ts';
import { dnsTypes } from '../lookups/dns/schema.ts';
import { grades } from '../lookups/headers-check/grade.ts';
import { type CommandDescription, commands, flagNames, UsageError } from './commands.ts';
import { commandFlags } from './data/commands.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** A word that a shell offers, with its explanation. */
type Choice = readonly [word: string, description: string];

const firstWordOf = ({ name }: CommandDescription): string => name.split(' ')[0] ?? name;
const byFirstWord = Map.groupBy(commands, firstWordOf);

/** The words after a command that come from a list. */
function wordsOf(first: string): readonly Choice[] {
  const rows = byFirstWord.get(first) ?? [];
  const subcommands = rows.filter(({ name }) => name !== first);
  if (subcommands.length > 0) return subcommands.map(({ name, summary }) => [name.slice(first.length + 1), summary]);
  if (first === 'completions') return shells.map((shell) => [shell, '']);
  if (first === 'help') return [...commandWords, ['settings', 'All settings']];
  if (first === 'dns') return dnsTypes.map((type) => [type, '']);
  return [];
}

const commandWords: readonly Choice[] = [...byFirstWord].map(([first, rows]) => [
  first,
  rows.length === 1 ? (rows[0]?.summary ?? '') : rows.map(({ name }) => name).join(' or '),
]);

/** The values of flags with a fixed set of them. */
const valuesOf: Readonly<Record<string, readonly string[]>> = { 'fail-below': grades, format: ['junit'] };

interface Flag {
  readonly name: string;
  readonly description: string;
  readonly hasValue: boolean;
  /** Whether its value is the name of a file. */
  readonly namesFile: boolean;
}

const flags: ReadonlyMap<string, Flag> = new Map([
  ...flagNames.map((name): readonly [string, Flag] => {
    const { description, type, value } = commandFlags[name];
    return [name, { name, description, hasValue: type === 'string', namesFile: value === '<file>' }];
  }),
  ...settingNames.map((name): readonly [string, Flag] => {
    const [description = ''] = settings[name].description.split(/[.;:](?: |$)/);
    return [flagOf(name), { name: flagOf(name), description, hasValue: true, namesFile: false }];
  }),
]);

/** The flags of the commands that begin with a word; for no word, the flags of `serve`. */
function flagsOf(first: string): readonly Flag[] {
  const names = (byFirstWord.get(first) ?? []).flatMap(({ flags: own = [], settings: affecting = settingNames }) => [
    ...own,
    ...affecting.map(flagOf),
  ]);
  return [...new Set(names)].flatMap((name) => flags.get(name) ?? []);
}

const firstWords = [...byFirstWord.keys()];
const general: readonly Choice[] = [
  ['help', 'Print help'],
  ['version', 'Print the version'],
];

function bash(): string {
  const wordsIn = (choices: readonly Choice[]): string => choices.map(([word]) => word).join(' ');
  const cases = firstWords.map((first) => {
    const names = [...flagsOf(first).map(({ name }) => name), 'help'].map((name) => `--${name}`);
    return `    ${first}) flags="${names.join(' ')}" words="${wordsIn(wordsOf(first))}" ;;\n`;
  });
  const values = Object.entries(valuesOf).map(
    ([flag, each]) => `    --${flag}) words="${each.join(' ')}" flags="" ;;\n`,
  );
  const files = [...flags.values()].filter(({ namesFile }) => namesFile).map(({ name }) => `--${name}`);
  return `_seenby() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  # --flag=value is three words.
  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  local words="${wordsIn(commandWords)}" flags="${[...flagsOf('serve').map(({ name }) => name), 'help', 'version'].map((name) => `--${name}`).join(' ')}"
  [[ $COMP_CWORD -gt 1 ]] && case "\${COMP_WORDS[1]}" in
${cases.join('')}  esac
  case "$previous" in
${values.join('')}    ${files.join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _seenby seenby ./seenby
`;
}

/** A word between single quotes. */
const quoteForZsh = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const quoteForFish = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;

/** The explanation of a flag ends at a bracket, that of a word begins at a colon. */
const explain = (text: string): string => text.replaceAll(/[\\[\]:]/g, '\\$&');

function zsh(): string {
  const describe = (choices: readonly Choice[]): string =>
    choices.map(([word, description]) => quoteForZsh(`${word}${description && `:${explain(description)}`}`)).join(' ');
  const specificationOf = ({ name, description, hasValue, namesFile }: Flag): string => {
    const values = valuesOf[name];
    const value = !hasValue
      ? ''
      : values === undefined
        ? `:value:${namesFile ? '_files' : ''}`
        : `:value:(${values.join(' ')})`;
    return quoteForZsh(`*--${name}${hasValue ? '=' : ''}[${explain(description)}]${value}`);
  };
  const cases = firstWords.map((first) => {
    const words = wordsOf(first);
    const listing = words.length === 0 ? "'*:argument:_default'" : "'*:argument:->words'";
    const specifications = [...flagsOf(first).map(specificationOf), listing].map((each) => `      ${each}`);
    return `    ${first}) choices=(${describe(words)}); _arguments ${['\\', ...specifications].join(' \\\n').replace(/^\\ /, '')} ;;\n`;
  });
  return `#compdef seenby
_seenby() {
  local state line
  local -a choices
  if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then
    choices=(${describe(commandWords)})
    _describe command choices
    return
  fi
  local first=$words[2]
  if [[ $first != -* ]]; then shift words; (( CURRENT-- )); fi
  case $first in
${cases.join('')}    *) _arguments ${[...flagsOf('serve').map(specificationOf), ...general.map(([name, description]) => quoteForZsh(`--${name}[${explain(description)}]`))].join(' \\\n      ')} ;;
  esac
  [[ $state == words ]] && _describe word choices
}
if [[ $funcstack[1] == _seenby ]]; then _seenby "$@"; else compdef _seenby seenby; fi
`;
}

function fish(): string {
  const offer = (condition: string, [word, description]: Choice): string =>
    `complete -c seenby -n ${condition} -a ${word}${description === '' ? '' : ` -d ${quoteForFish(description)}`}`;
  const flagLine = (condition: string, { name, description, hasValue, namesFile }: Flag): string => {
    const values = valuesOf[name];
    const value =
      values === undefined ? (hasValue ? (namesFile ? ' -r -F' : ' -r') : '') : ` -x -a '${values.join(' ')}'`;
    return `complete -c seenby -n ${condition} -l ${name}${value} -d ${quoteForFish(description)}`;
  };
  const lines = firstWords.flatMap((first) => {
    const condition = `'__fish_seen_subcommand_from ${first}'`;
    return [
      ...wordsOf(first).map((choice) => offer(condition, choice)),
      ...flagsOf(first).map((flag) => flagLine(condition, flag)),
    ];
  });
  return [
    'complete -c seenby -f',
    ...commandWords.map((choice) => offer('__fish_use_subcommand', choice)),
    ...flagsOf('serve').map((flag) => flagLine('__fish_use_subcommand', flag)),
    ...general.map(
      ([name, description]) => `complete -c seenby -n __fish_use_subcommand -l ${name} -d ${quoteForFish(description)}`,
    ),
    ...lines,
    '',
  ].join('\n');
}

const scripts: Readonly<Record<Shell, () => string>> = { bash, zsh, fish };

/** The completions of a shell; throws a UsageError for a shell that is not known. */
export function completions(shell: string): string {
  if (!Object.hasOwn(scripts, shell)) throw new UsageError(`completions ${shell}: must be bash, zsh or fish`);
  return scripts[shell as Shell]();
}
