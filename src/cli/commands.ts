/** The commands and their flags: finds the command of a command line, and states what is wrong if it has none. */
import type { parseArgs } from 'node:util';
import { flagOf, type SettingName, type Settings } from '../core/settings.ts';
import type { LookupName } from '../lookups/list.ts';
import { typeNumbers } from '../wire/dns/data/dns-parameters.ts';
import { commandFlags, commandRows } from './data/commands.ts';

/** An invalid command line: exit code 2. */
export class UsageError extends Error {}

type FlagName = keyof typeof commandFlags;
export const flagNames = Object.keys(commandFlags) as FlagName[];
/** The flags of a command line, as parsed. */
export type CommandFlags = ReturnType<typeof parseArgs<{ options: typeof commandFlags }>>['values'];

export interface CommandDescription {
  /** Words that select the command. */
  readonly name: string;
  /** Arguments as written in the usage line; required ones in <>, optional ones in []. */
  readonly args: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly flags?: readonly FlagName[];
  /** Settings that have an effect, and so are flags of the command; if absent: all. Others may be variables, also with invalid values. */
  readonly settings?: readonly SettingName[];
  /** The lookup that it runs; its arguments are the value to look up and the values of the lookup's option. */
  readonly lookup?: LookupName;
}

/** A command line that looks something up. */
export interface LookupCommand {
  readonly command: CommandDescription;
  readonly args: readonly string[];
  readonly flags: CommandFlags;
  readonly settings: Settings;
}

/** Looks up an item, with a value of the lookup's option; if absent, its default. */
export type LookUp = (item: string, choice?: string) => Promise<object>;

export const commands: readonly CommandDescription[] = commandRows;

/** The command at the start of the words, `serve` without any, and the words after it; null if there is none. */
export function findCommand(words: readonly string[]) {
  const typed = words.length === 0 ? ['serve'] : words;
  for (const command of commands) {
    const name = command.name.split(' ');
    if (name.every((word, at) => word === typed[at])) return { command, args: typed.slice(name.length) };
  }
  return null;
}

/** The command at the start of the words, or all that begin with the only word; throws a UsageError if there is none. */
export function commandsAt(words: readonly string[]): readonly CommandDescription[] {
  const found = findCommand(words);
  if (found !== null) return [found.command];
  const subcommands = words.length === 1 ? subcommandsOf(words[0]) : [];
  if (subcommands.length === 0) throw new UsageError(describeUnknown(words));
  return subcommands;
}

/** The commands that begin with this word and have another one. */
const subcommandsOf = (word: string | undefined): readonly CommandDescription[] =>
  commands.filter(({ name }) => name.startsWith(`${word} `));

/** What the command is called elsewhere. */
const commandsOfOthers: ReadonlyMap<string, string> = new Map([
  ...['dig', 'host', 'nslookup', 'doggo', 'resolve'].map((name) => [name, 'dns'] as const),
  ...['ssl', 'tls', 'certificate'].map((name) => [name, 'cert'] as const),
  ...['headers', 'header'].map((name) => [name, 'grade'] as const),
  ...['rdap', 'asn'].map((name) => [name, 'whois'] as const),
  ['report', 'domain'],
  ['whoami', 'me'],
  ['start', 'serve'],
  ['version', '--version'],
]);

/** A sentence about words that are not a command. */
export function describeUnknown(words: readonly string[]): string {
  const [typed = ''] = words;
  if (typed === '') return 'the first argument is empty; set the variable that it comes from, or omit it';
  if (/^\d+$/.test(typed))
    return `${typed} is not a command; type AS${typed} for a network, port ${typed} to check a port, or --port ${typed} to serve there`;
  if (words.length > 1 && Object.hasOwn(typeNumbers, typed.toUpperCase()))
    return `unknown command "${typed}"; for DNS records, type: dns ${words.join(' ')}`;
  const subcommands = subcommandsOf(typed).map(({ name }) => `"${name}"`);
  if (subcommands.length > 0) return `${words.join(' ')}: use ${subcommands.join(' or ')}`;
  const names = commands.map(({ name }) => name);
  const close = commandsOfOthers.get(typed) ?? closestWord(typed, names);
  if (close !== null) return `unknown command "${typed}"; did you mean "${close}"?`;
  return `unknown command "${typed}"; the commands are ${names.join(', ')}`;
}

/** The command as a user types it. */
export const programOf = ({ program = './seenby' }: { readonly program?: string | undefined }): string => program;

/** Whether the command has a flag, given without its dashes. */
export const hasFlag = ({ flags = [], settings }: CommandDescription, flag: string): boolean =>
  Object.hasOwn(commandFlags, flag)
    ? flags.some((name) => name === flag)
    : settings === undefined || settings.some((name) => flagOf(name) === flag);

export const commandsWith = (flag: string): string =>
  commands
    .filter((command) => hasFlag(command, flag))
    .map(({ name }) => name)
    .join(', ');

export const usageOf = ({ name, args }: CommandDescription): string => `${name} ${args}`.trimEnd();

/** Throws a UsageError if the number of arguments is wrong, or the command lacks one of the flags. */
export function validateUsage(
  command: CommandDescription,
  { args, flags, program }: { readonly args: readonly string[]; readonly flags: object; readonly program: string },
): void {
  const { name, args: usage } = command;
  const required = usage.match(/</g)?.length ?? 0;
  const most = usage.includes('...') ? Number.POSITIVE_INFINITY : (usage.match(/[<[]/g)?.length ?? 0);
  if (args.length < required || args.length > most)
    throw new UsageError(`${name}: wrong number of arguments; Usage: ${program} ${usageOf(command)}`);
  const foreign = Object.keys(flags).find((flag) => !hasFlag(command, flag));
  if (foreign !== undefined)
    throw new UsageError(`--${foreign}: not a flag of ${name}; the commands with it are ${commandsWith(foreign)}`);
  const [form, other] = Object.keys(flags).filter((flag) => forms.includes(flag));
  if (other !== undefined) throw new UsageError(`--${form} and --${other}: only one form of output is possible`);
  if ('ipv4' in flags && 'ipv6' in flags) throw new UsageError('--ipv4 and --ipv6: only one IP version is possible');
}

/** The flags that choose a form of the output. */
const forms = ['json', 'short', 'format'];

/** The known word that differs from the typed one by one letter, added, left out, changed or swapped; null if there is none. */
export function closestWord(typed: string, known: readonly string[]): string | null {
  const shorten = (word: string) =>
    new Set([word, ...[...word].map((_, at) => word.slice(0, at) + word.slice(at + 1))]);
  return known.find((word) => !shorten(word).isDisjointFrom(shorten(typed))) ?? null;
}

/** What separates items: arguments, or lines of the standard input. */
export type ItemSeparator = 'spaces' | 'line breaks';

/** A sentence to add to the problem of an argument, if it is several valid ones joined by commas; else an empty text. */
export function adviseOnCommas(
  text: string,
  isValid: (member: string) => boolean,
  separator: ItemSeparator = 'spaces',
): string {
  const members = text.split(',').filter((member) => member.trim() !== '');
  const isList = text.includes(',') && members.length > 0 && members.every(isValid);
  return isList ? ` Separate several arguments by ${separator}, not by commas.` : '';
}
