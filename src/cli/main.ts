/** The command line: reads arguments and settings, then serves or runs a command. */
import { parseArgs } from 'node:util';
import { product } from '../core/product.ts';
import type { Setting } from '../core/setting-values.ts';
import { flagOf, readSettings, settingNames, settings as settingRows, variableOf } from '../core/settings.ts';
import { replaceControls } from '../core/text.ts';
import { commandFor } from './arguments/bare-arguments.ts';
import { lineOf } from './arguments/dns-arguments.ts';
import {
  type CommandFlags,
  closestWord,
  describeUnknown,
  findCommand,
  flagNames,
  hasFlag,
  programOf,
  UsageError,
  validateUsage,
} from './commands.ts';
import { commandFlags } from './data/commands.ts';
import { widthOf } from './layouts/terminal.ts';
import type { CliIo, Outcome } from './start.ts';

export async function main(args: readonly string[], io: CliIo): Promise<Outcome> {
  try {
    return await runCommand(args, io);
  } catch (error) {
    io.err.write(`seenby: ${replaceControls(error instanceof Error ? error.message : String(error))}\n`);
    return { exitCode: error instanceof UsageError ? 2 : 1 };
  }
}

async function runCommand(args: readonly string[], io: CliIo): Promise<Outcome> {
  const { environment, out } = io;
  const program = programOf(io);
  const { values, positionals } = parse(args, program);
  if (values.version) return print(`${product.name} ${product.version}\n`);
  const found = findCommand(positionals) ?? (await commandFor(positionals));
  const isHelp = found?.command.name === 'help';
  if (isHelp || values.help) {
    const { helpOf } = await import('./help.ts');
    const words = isHelp ? found.args : positionals.length === 0 ? [] : (found?.command.name.split(' ') ?? positionals);
    return print(helpOf(words, { program, width: widthOf(out) }));
  }
  if (found === null) throw new UsageError(describeUnknown(positionals));
  const { command, args: given } = found;
  const { name } = command;
  validateUsage(command, { args: given, flags: values, program });
  const flags = values as Record<string, string | undefined>;
  const dataDir = flags['data-dir'] || environment.DATA_DIR;
  const settings = readSettings(flags, { ...environment, DATA_DIR: dataDir || io.dataFolder }, command.settings);
  if ('problem' in settings) throw new UsageError(nameFlag(settings.problem, flags));

  if (name === 'completions') return print((await import('./completions.ts')).completions(given[0] ?? ''));
  if (name === 'serve' || name === 'dev') {
    // Loaded only to serve: it loads TLS, the databases and the application.
    const { startService } = await import('./start.ts');
    return startService(settings, io, { isDev: name === 'dev', isDataDirSet: Boolean(dataDir) });
  }
  io.onCommand?.();
  if (name === 'geo update' || name === 'geo build') {
    const { buildAsn, updateDatabases } = await import('./databases.ts');
    await (name === 'geo build' ? buildAsn : updateDatabases)(settings, out);
    return { exitCode: 0 };
  }
  if (name === 'zone check') {
    const { runZoneCheck } = await import('./delegation/run.ts');
    return runZoneCheck(settings, io);
  }
  const { runLookupCommand } = await import('./lookup-command.ts');
  return runLookupCommand({ command, args: given, flags: values as CommandFlags, settings }, io);

  function print(text: string): Outcome {
    out.write(text);
    return { exitCode: 0 };
  }
}

const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  ...commandFlags,
  ...Object.fromEntries(settingNames.map((name) => [flagOf(name), { type: 'string' as const }])),
} as const;

function parse(args: readonly string[], program: string) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    // parseArgs appends advice that does not fit our commands.
    const [message = ''] = (error as Error).message.split(/\. |\.?\n/);
    const [, flag] =
      /^Option '(?:-\w, )?--([\w-]+)(?: <value>)?' argument (?:missing|is ambiguous)/.exec(message) ?? [];
    if (flag !== undefined) throw new UsageError(`--${flag}: ${describeMissingValue(flag, args)}`);
    const typed = /Unknown option '--?([^']+)'/.exec(message)?.[1];
    const close = typed === undefined ? null : closestFlag(typed, args);
    if (close !== null) throw new UsageError(`${message}; did you mean --${close}?`);
    if (args[0] === 'dns') throw new UsageError(`${message}; type: ${lineOf(args.slice(1), program)}`);
    throw new UsageError(`${message}; see --help`);
  }
}

/** States why a flag has no value, and what to type: nothing follows it, or a word that begins with a hyphen, which parseArgs reads as a flag. */
function describeMissingValue(flag: string, args: readonly string[]): string {
  const setting = settingNames.find((name) => flagOf(name) === flag);
  const row = setting === undefined ? null : settingRows[setting];
  // The value as the help shows it, such as <days>.
  const placeholder = row === null ? commandFlags[flag as keyof typeof commandFlags].value : `<${row.value}>`;
  const next = args.find((word, at) => args[at - 1] === `--${flag}` && /^-./.test(word));
  if (next === undefined || isFlag(next)) return `its value is missing; type --${flag}=${placeholder}`;
  // A header may contain a password, too.
  const value = row === null || row.isSecret || !isValid(row, next) ? placeholder : next;
  return `a value that begins with a hyphen must follow an equals sign; type --${flag}=${value}`;
}

function isValid({ parse }: Setting<unknown>, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a word is a flag of some command, or ends the flags. */
const isFlag = (word: string): boolean =>
  word === '--' ||
  Object.entries(options).some(
    ([name, option]) => word.replace(/=.*/s, '') === `--${name}` || ('short' in option && word === `-${option.short}`),
  );

/** What single letters mean elsewhere. */
const lettersOfOthers: ReadonlyMap<string, string> = new Map([
  ['v', 'version'],
  ['V', 'version'],
  ['j', 'json'],
  ['H', 'header'],
]);

/** The flag that was meant; of a command line with a command, only one that the command has. A single letter is no mistyped word. */
function closestFlag(typed: string, args: readonly string[]): string | null {
  const command = findCommand(args.filter((arg) => !arg.startsWith('-')))?.command;
  const known = ['help', 'version', ...flagNames, ...settingNames.map(flagOf)];
  const permitted = known.filter((flag, at) => at < 2 || command === undefined || hasFlag(command, flag));
  if (typed.length > 1) return closestWord(typed, permitted);
  return permitted.find((flag) => flag === lettersOfOthers.get(typed)) ?? null;
}

/** Names the flag that was typed instead of the variable. */
function nameFlag(problem: string, flags: Readonly<Record<string, string | undefined>>): string {
  const name = settingNames.find((each) => problem.startsWith(`${variableOf(each)}:`));
  if (name === undefined || !flags[flagOf(name)]) return problem;
  return `--${flagOf(name)}${problem.slice(variableOf(name).length)}`;
}
