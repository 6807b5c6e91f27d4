/** Runs a lookup command: looks up its items one after another, prints each result, and decides the exit code. */
import { text } from 'node:stream/consumers';
import type { DnsAnswer } from '../lookups/dns/schema.ts';
import type { PortCheck } from '../lookups/port/port-check.ts';
import { openValidation, withItem } from './arguments/argument-validation.ts';
import { type DnsArguments, defaultTypeOf, readDnsArguments } from './arguments/dns-arguments.ts';
import { type LookUp, type LookupCommand, programOf, UsageError } from './commands.ts';
import { failureConditionOf } from './failure-condition.ts';
import { type Item, openOutput } from './output.ts';
import { baseUrlOf, OwnServices } from './own-service.ts';
import type { CliIo, Outcome } from './start.ts';

export async function runLookupCommand(request: LookupCommand, io: CliIo): Promise<Outcome> {
  const { name } = request.command;
  const { names, types, flags } = await argumentsOf(request, io);
  const toItems = (given: readonly string[]) => itemsOf(given, types, name === 'dns' ? defaultTypeOf : () => undefined);
  // Names from the standard input are checked one by one: a long list has results before the first wrong line.
  const hasLines = names.includes('-');
  const typed = toItems(names.filter((each) => each !== '-'));
  const problemOf = await openValidation(request.command, flags);
  for (const item of typed) {
    const problem = problemOf(item, 'spaces');
    if (problem !== null) throw problem;
  }
  const items = hasLines || names.length === 0 ? toItems(await namesOf(names, io)) : typed;
  const isSeveral = items.length > 1 || hasLines;
  const failureOf = await failureConditionOf(name, flags, items);
  const output = await openOutput({ ...request, flags }, io, isSeveral);
  await using opened = new AsyncDisposableStack();
  const lookUp = await openLookup(request, opened, io);
  const reasons: string[] = [];
  let exitCode = 0;
  // One after another, so that a registry is not flooded.
  for (const item of items) {
    const problem = hasLines ? problemOf(item, 'line breaks') : null;
    const result =
      problem ?? (await lookUp(item.name, item.choice).catch((error: Error) => withItem(error, item, name)));
    const unknown = name === 'dns' && !(result instanceof Error) ? unknownOf(result) : null;
    const found = unknown !== null && flags.short ? new Error(unknown) : result;
    if (found instanceof Error) {
      output.addFailure(item, found);
      if (isSeveral) exitCode = 1;
      else {
        output.end();
        throw found;
      }
    } else {
      const isNotOpen = name === 'port' && (found as PortCheck).state !== 'open';
      // The output itself states why.
      if (unknown !== null || isNotOpen) exitCode = 1;
      const reason = failureOf(found);
      if (reason !== null) reasons.push(`${item.label}: ${reason}`);
      output.addResult(item, found, reason);
    }
  }
  output.end();
  // Last, where the log of a CI system is read first.
  for (const reason of reasons) output.printError(reason);
  return { exitCode: reasons.length > 0 ? 1 : exitCode };
}

/** Without an argument, or without a URL, they send requests to the service of this machine. */
const commandsWithDefault = ['me', 'ip', 'port'];

/** The arguments of all commands except `dns` are names. */
async function argumentsOf({ command, args, flags }: LookupCommand, io: CliIo): Promise<DnsArguments> {
  // An empty variable in a script must not select the default.
  if (args.includes('') && commandsWithDefault.includes(command.name))
    throw new UsageError(`${command.name}: an argument is empty; set the variable that it comes from, or omit it`);
  if (command.name === 'port') return { names: readPortArguments(args).ports, types: [], flags };
  if (command.name !== 'dns') return { names: args, types: [], flags };
  const { parseDnsType } = await import('../lookups/dns/name.ts');
  return readDnsArguments(args, flags, { program: programOf(io), parseType: parseDnsType });
}

/** Ports, and the URL of a service after them; throws a UsageError for other words. */
function readPortArguments(args: readonly string[]) {
  const isNumber = (word: string): boolean => /^(?:\d+|-)$/.test(word);
  const others = args.filter((word) => !isNumber(word));
  const url = others.at(-1) ?? '';
  const ports = args.filter(isNumber);
  if (others.length > 1 || ports.length === 0)
    throw new UsageError(
      `port ${others[0]}: send ports as numbers, separated by spaces, such as 443 80; one URL may follow`,
    );
  if (url !== '') validateUrl(url);
  return { ports, url };
}

function validateUrl(url: string): void {
  try {
    baseUrlOf(url);
  } catch (error) {
    throw withItem(error as Error, { label: url }, 'port');
  }
}

/** The reason why a response does not show whether records exist, which is a failure in scripts; null if it shows it. */
function unknownOf(answer: object): string | null {
  const { status, note } = answer as DnsAnswer;
  return status === 'NOERROR' || status === 'NXDOMAIN' ? null : (note ?? `the response is ${status}`);
}

/** The arguments; `-` stands for the lines of the standard input. A command without arguments has one empty name. */
async function namesOf(args: readonly string[], { input }: CliIo): Promise<readonly string[]> {
  if (args.length === 0) return [''];
  if (!args.includes('-')) return args;
  const lines = (input === undefined ? '' : await text(input)).split('\n').map((line) => line.trim());
  return args.flatMap((each) => (each === '-' ? lines.filter((line) => line !== '') : [each]));
}

function itemsOf(
  names: readonly string[],
  choices: readonly string[],
  defaultOf: (name: string) => string | undefined,
): readonly Item[] {
  if (choices.length === 0) return names.map((name) => ({ name, choice: defaultOf(name), label: name }));
  return names.flatMap((name) => choices.map((choice) => ({ name, choice, label: `${name} ${choice}` })));
}

/**
 * Returns the function that looks up an item, with a value of the lookup's option; rejects with a ServiceError, or an Error with a message
 * for the user. Loads only what the command needs.
 */
async function openLookup(request: LookupCommand, opened: AsyncDisposableStack, { err }: CliIo): Promise<LookUp> {
  const { command } = request;
  const services = new OwnServices(request, opened);
  if (command.name === 'me') return (item) => services.readCaller(item);
  if (command.name === 'port') {
    const { url } = readPortArguments(request.args);
    return (item) => services.readPort(url, item);
  }
  if (command.name === 'ua') {
    const { parseGivenUserAgent } = await import('../client/user-agent.ts');
    return async (item) => parseGivenUserAgent(item);
  }
  const { openServiceLookup } = await import('./service-lookup.ts');
  // The progress of a conversion goes to standard error.
  const lookUp = await openServiceLookup(request, opened, err);
  if (command.name !== 'ip') return lookUp;
  return async (item) => lookUp(await services.ownAddress(item));
}
