/** The command line: reads arguments and settings, then serves or runs a command. */
import { parseArgs } from 'node:util';
import { product } from '../core/product.ts';
import { flagOf, readSettings, settingNames, variableOf } from '../core/settings.ts';
import {
  acceptsArguments,
  type CommandDescription,
  type CommandFlags,
  closestWord,
  commandFlags,
  commands,
  commandsWith,
  findCommand,
  flagNames,
  foreignFlag,
  UsageError,
} from './commands.ts';
import { completions, help, helpFor, settingsHelp } from './help.ts';
import { withoutControls } from '../runtime/log.ts';
import type { CliIo, Outcome } from './start.ts';

export async function main(args: readonly string[], io: CliIo): Promise<Outcome> {
  try {
    return await runCommand(args, io);
  } catch (error) {
    io.err.write(`seenby: ${withoutControls(error instanceof Error ? error.message : String(error))}\n`);
    return { exitCode: error instanceof UsageError ? 2 : 1 };
  }
}

async function runCommand(args: readonly string[], io: CliIo): Promise<Outcome> {
  const { environment, out } = io;
  const { values, positionals } = parse(args);
  if (values.version) return print(`${product.name} ${product.version}\n`);
  const found = findCommand(positionals);
  if (found?.command.name === 'help') return print(helpOf(found.args));
  if (values.help) return print(helpOf(positionals));
  if (found === null) throw new UsageError(describeUnknown(positionals));
  const { command, args: given } = found;
  const { name } = command;
  if (!acceptsArguments(command, given))
    throw new UsageError(`${name}: wrong number of arguments; ${helpFor(command).split('\n')[0]}`);
  const foreign = foreignFlag(command, values);
  if (foreign !== undefined)
    throw new UsageError(`--${foreign}: not a flag of ${name}; the commands with it are ${commandsWith(foreign)}`);
  const flags = values as Record<string, string | undefined>;
  const dataDir = flags['data-dir'] || environment.DATA_DIR;
  const settings = readSettings(flags, { ...environment, DATA_DIR: dataDir || io.dataFolder });
  if ('problem' in settings) throw new UsageError(nameFlag(settings.problem, flags));

  if (name === 'completions') return print(completions(given[0] ?? ''));
  if (name === 'serve' || name === 'dev') {
    // Loaded only to serve: it loads TLS, the databases and the application.
    const { startService } = await import('./start.ts');
    return startService(settings, io, { isDev: name === 'dev', isDataDirSet: Boolean(dataDir) });
  }
  io.onCommand?.();
  if (name === 'geo update') {
    await (await import('./databases.ts')).geoUpdate(settings, out);
    return { exitCode: 0 };
  }
  if (name === 'geo build') {
    await (await import('./databases.ts')).buildAsn(settings, out);
    return { exitCode: 0 };
  }
  const { runLookupCommand } = await import('./lookup-command.ts');
  return runLookupCommand({ command, args: given, flags: values as CommandFlags, settings }, io);

  function print(text: string): Outcome {
    out.write(text);
    return { exitCode: 0 };
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
        ...commandFlags,
        ...Object.fromEntries(settingNames.map((name) => [flagOf(name), { type: 'string' as const }])),
      },
    });
  } catch (error) {
    // parseArgs appends advice that does not fit our commands.
    const [message = ''] = (error as Error).message.split(/[.\n]/);
    const typed = /Unknown option '--?([^']+)'/.exec(message)?.[1];
    const close = typed === undefined ? null : closestWord(typed, [...flagNames, ...settingNames.map(flagOf)]);
    throw new UsageError(`${message}; ${close === null ? 'see --help' : `did you mean --${close}?`}`);
  }
}

function helpOf(words: readonly string[]): string {
  if (words.length === 1 && words[0] === 'settings') return settingsHelp();
  const found = words.length === 0 ? null : findCommand(words);
  if (found !== null) return helpFor(found.command);
  const subcommands = subcommandsOf(words);
  if (subcommands.length > 0 && words.length === 1) return subcommands.map(helpFor).join('\n');
  if (words.length > 0) throw new UsageError(describeUnknown(words));
  return help();
}

function describeUnknown(words: readonly string[]): string {
  const subcommands = subcommandsOf(words).map(({ name }) => `"${name}"`);
  if (subcommands.length > 0) return `${words.join(' ')}: use ${subcommands.join(' or ')}`;
  const close = closestWord(
    words[0] ?? '',
    commands.map(({ name }) => name),
  );
  if (close !== null) return `unknown command "${words[0]}"; did you mean "${close}"?`;
  return `unknown command "${words[0]}"; the commands are ${commands.map(({ name }) => name).join(', ')}`;
}

const subcommandsOf = ([first]: readonly string[]): readonly CommandDescription[] =>
  commands.filter(({ name }) => name.startsWith(`${first} `));

/** Names the flag that was typed instead of the variable. */
function nameFlag(problem: string, flags: Readonly<Record<string, string | undefined>>): string {
  const name = settingNames.find((each) => problem.startsWith(`${variableOf(each)}:`));
  if (name === undefined || !flags[flagOf(name)]) return problem;
  return `--${flagOf(name)}${problem.slice(variableOf(name).length)}`;
}
