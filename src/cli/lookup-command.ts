/** Runs a lookup command: reads its arguments and flags, prints each result, and decides the exit code. */
import { text } from 'node:stream/consumers';
import { type ErrorCode, ServiceError } from '../core/errors.ts';
import { toJson } from '../core/text.ts';
import type { HeaderCheck } from '../lookups/headers-check/schema.ts';
import type { RdapResult } from '../lookups/rdap/rdap-result.ts';
import { type CommandFlags, type Item, type LookupCommand, UsageError } from './commands.ts';
import { junitOf, parseGrade, reachesGrade } from './layouts/grade.ts';
import { daysToExpiry } from './layouts/registration.ts';
import type { Terminal } from './layouts/terminal.ts';
import { runLookups } from './lookups.ts';
import { colorLines, escapeControls, isColored, withoutControls } from './output.ts';
import type { CliIo, Outcome } from './start.ts';

interface Layout {
  readonly layOut: (value: never, terminal: Terminal) => string;
  readonly shorten: (value: never) => string;
}

/** By command, loaded when it runs. */
const layouts: Readonly<Record<string, () => Promise<Layout>>> = {
  me: () => import('./layouts/caller.ts'),
  ip: () => import('./layouts/address.ts'),
  whois: () => import('./layouts/registration.ts'),
  dns: () => import('./layouts/records.ts'),
  grade: () => import('./layouts/grade.ts'),
  ua: () => import('./layouts/user-agent.ts'),
};

/** Errors of a lookup that are about an argument, not about what it found. */
const argumentErrors: ReadonlySet<ErrorCode> = new Set(['invalid_query', 'invalid_url']);

const defaultWidth = 80;

export async function runLookupCommand(request: LookupCommand, io: CliIo): Promise<Outcome> {
  const { args, flags } = request;
  const { out, err, environment } = io;
  const { name } = request.command;
  const isFailed = conditionOf(flags);
  // The arguments after the name are types of records.
  const itemCount = name === 'dns' ? 1 : args.length;
  const choices = args.slice(itemCount);
  const named = await itemsOf(args.slice(0, itemCount), io);
  const items = named.flatMap((item): Item[] =>
    choices.length === 0 ? [[item]] : choices.map((each) => [item, each]),
  );
  const values: object[] = [];
  let exitCode = 0;
  const terminal = { width: out.columns ?? defaultWidth, nowMs: Date.now() };
  const { layOut, shorten } = await (layouts[name] as () => Promise<Layout>)();
  const asText = (value: object): string => {
    const plain = withoutControls(flags.short ? `${shorten(value as never)}\n` : layOut(value as never, terminal));
    return !flags.short && isColored(out.isTTY === true, environment) ? colorLines(plain) : plain;
  };
  const isStreamed = !flags.json && flags.format === undefined;
  for await (const found of runLookups(request, items, err)) {
    if ('error' in found) {
      const { error, item } = found;
      const isUsageError = error instanceof ServiceError && argumentErrors.has(error.code);
      const message = isUsageError ? `${name} ${[item, ...choices].join(' ')}: ${error.message}` : error.message;
      if (named.length === 1) throw isUsageError ? new UsageError(message) : error;
      err.write(`seenby: ${withoutControls(isUsageError ? message : `${item}: ${message}`)}\n`);
      exitCode = 1;
      continue;
    }
    if (isStreamed) out.write(`${values.length > 0 && !flags.short ? '\n' : ''}${asText(found.value)}`);
    values.push(found.value);
    if (isFailed(found.value, terminal.nowMs)) exitCode = 1;
  }
  if (flags.format !== undefined) out.write(junitOf(values as HeaderCheck[]));
  else if (flags.json) out.write(escapeControls(toJson(values.length === 1 ? (values[0] as object) : values)));
  return { exitCode };
}

/** The arguments; `-` stands for the lines of the standard input. `me` without a URL has one empty item. */
async function itemsOf(args: readonly string[], { input }: CliIo): Promise<readonly string[]> {
  if (args.length === 0) return [''];
  if (!args.includes('-')) return args;
  const lines = (input === undefined ? '' : await text(input)).split('\n').map((line) => line.trim());
  return args.flatMap((each) => (each === '-' ? lines.filter((line) => line !== '') : [each]));
}

/** Whether a result makes the command fail, by its flags. */
function conditionOf(flags: CommandFlags): (value: object, nowMs: number) => boolean {
  const { format, 'fail-below': failBelow, 'expires-within': expiresWithin } = flags;
  const lowest = failBelow === undefined ? null : parseGrade(failBelow);
  if (failBelow !== undefined && lowest === null)
    throw new UsageError(`--fail-below: must be a grade from A+ to F, not "${failBelow}"`);
  if (expiresWithin !== undefined && !/^\d{1,5}$/.test(expiresWithin))
    throw new UsageError(`--expires-within: must be a number of days, not "${expiresWithin}"`);
  if (format !== undefined && format !== 'junit') throw new UsageError(`--format: must be junit, not "${format}"`);
  return (value, nowMs) => {
    if (lowest !== null && !reachesGrade(value as HeaderCheck, lowest)) return true;
    const days = expiresWithin === undefined ? null : daysToExpiry(value as RdapResult, nowMs);
    return days !== null && days < Number(expiresWithin);
  };
}
