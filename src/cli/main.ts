/** The command line: reads arguments and settings, then serves or runs a command. */
import { parseArgs } from 'node:util';
import { type ErrorCode, ServiceError } from '../core/errors.ts';
import { product } from '../core/product.ts';
import { flagOf, readSettings, settingNames, variableOf } from '../core/settings.ts';
import { toJson } from '../core/text.ts';
import {
  acceptsArguments,
  type CommandDescription,
  commandFlags,
  commands,
  commandsWith,
  findCommand,
  foreignFlag,
} from './commands.ts';
import { help, helpFor } from './help.ts';
import { colorLines, escapeControls, isColored, withoutControls } from './output.ts';
import type { CliIo, Outcome } from './start.ts';

/** An invalid command line: exit code 2. */
class UsageError extends Error {}

/** Errors of a lookup that are about an argument, not about what it found. */
const argumentErrors: ReadonlySet<ErrorCode> = new Set(['invalid_query', 'invalid_url']);

export async function main(args: readonly string[], io: CliIo): Promise<Outcome> {
  try {
    return await runCommand(args, io);
  } catch (error) {
    io.err.write(`seenby: ${withoutControls(error instanceof Error ? error.message : String(error))}\n`);
    return { exitCode: error instanceof UsageError ? 2 : 1 };
  }
}

async function runCommand(args: readonly string[], io: CliIo): Promise<Outcome> {
  const { environment, out, err } = io;
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

  if (name === 'serve' || name === 'dev') {
    // Loaded only to serve: it loads TLS, the databases and the application.
    const { startService } = await import('./start.ts');
    return startService(settings, io, { isDev: name === 'dev', isDataDirSet: Boolean(dataDir) });
  }
  io.onCommand?.();
  if (name === 'geo update') {
    await (await import('./geo-update.ts')).geoUpdate(settings, out);
    return { exitCode: 0 };
  }
  if (name === 'geo build') {
    await (await import('./asn.ts')).buildAsn(settings, out);
    return { exitCode: 0 };
  }
  const { parseGrade, reachesGrade, runLookup } = await import('./lookups.ts');
  const { 'fail-below': failBelow } = flags;
  const lowestGrade = failBelow === undefined ? null : parseGrade(failBelow);
  if (failBelow !== undefined && lowestGrade === null)
    throw new UsageError(`--fail-below: must be a grade from A+ to F, not "${failBelow}"`);
  const { value, text } = await runLookup({ command, args: given, settings, notices: err }).catch((error) => {
    const isUsageError = error instanceof ServiceError && argumentErrors.has(error.code);
    throw isUsageError ? new UsageError(`${name} ${given.join(' ')}: ${error.message}`) : error;
  });
  const plain = withoutControls(text);
  if (values.json) out.write(escapeControls(toJson(value)));
  else out.write(isColored(out.isTTY === true, environment) ? colorLines(plain) : plain);
  return { exitCode: reachesGrade(value, lowestGrade) ? 0 : 1 };

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
    throw new UsageError(`${(error as Error).message.split(/[.\n]/)[0]}; see --help`);
  }
}

function helpOf(words: readonly string[]): string {
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
