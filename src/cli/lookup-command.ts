/** Runs a lookup command: reads its arguments and flags, looks up one after another, prints each result, and decides the exit code. */
import { text } from 'node:stream/consumers';
import { ServiceError } from '../core/errors.ts';
import { toJson } from '../core/text.ts';
import type { HeaderCheck } from '../lookups/headers-check/schema.ts';
import type { RdapResult } from '../lookups/rdap/schema.ts';
import { withoutControls } from '../runtime/log.ts';
import { type CommandFlags, type LookUp, type LookupCommand, UsageError } from './commands.ts';
import { daysToExpiry, dns, ip, ua, whois } from './layouts/lookups.ts';
import { colorLines, escapeControls, isColored, type Terminal } from './layouts/terminal.ts';
import type { CliIo, Outcome } from './start.ts';

type Layout = Readonly<Record<'layOut' | 'shorten', (value: never, terminal: Terminal) => string>>;

/** By command, except `me` and `grade`, whose layouts need all resources or all checks. */
const layouts: Readonly<Record<string, Layout>> = { ip, whois, dns, ua };
const loadGrade = () => import('./layouts/grade.ts');

const defaultWidth = 80;

export async function runLookupCommand(request: LookupCommand, io: CliIo): Promise<Outcome> {
  const { args, flags } = request;
  const { out, err, environment } = io;
  const { name } = request.command;
  const isFailed = await conditionOf(flags);
  // The arguments after the name are types of records.
  const itemCount = name === 'dns' ? 1 : args.length;
  const choices = args.slice(itemCount);
  const named = await itemsOf(args.slice(0, itemCount), io);
  const values: object[] = [];
  let exitCode = 0;
  const terminal = { width: out.columns ?? defaultWidth, nowMs: Date.now() };
  const { layOut, shorten } = layouts[name] ?? (await (name === 'grade' ? loadGrade() : import('./layouts/caller.ts')));
  const asText = (value: object): string => {
    const found = value as never;
    const plain = withoutControls(flags.short ? `${shorten(found, terminal)}\n` : layOut(found, terminal));
    return !flags.short && isColored(out.isTTY === true, environment) ? colorLines(plain) : plain;
  };
  const isStreamed = !flags.json && flags.format === undefined;
  /** Reports that an item has no result, and returns null; throws if the command has only one item. */
  const report = (item: string, error: Error): null => {
    // About an argument, not about what the lookup found.
    const isUsageError = error instanceof ServiceError && ['invalid_query', 'invalid_url'].includes(error.code);
    const message = isUsageError ? `${name} ${[item, ...choices].join(' ')}: ${error.message}` : error.message;
    if (named.length === 1) throw isUsageError ? new UsageError(message) : error;
    err.write(`seenby: ${withoutControls(isUsageError ? message : `${item}: ${message}`)}\n`);
    exitCode = 1;
    return null;
  };
  await using opened = new AsyncDisposableStack();
  const lookUp = await openLookup(request, opened, io);
  // One after another, so that a registry is not flooded.
  for (const item of named)
    for (const choice of choices.length === 0 ? [undefined] : choices) {
      const value = await lookUp(item, choice).catch((error: Error) => report(item, error));
      if (value === null) continue;
      if (isStreamed) out.write(`${values.length > 0 && !flags.short ? '\n' : ''}${asText(value)}`);
      values.push(value);
      if (isFailed(value, terminal.nowMs)) exitCode = 1;
    }
  if (flags.format !== undefined) out.write((await loadGrade()).junitOf(values as HeaderCheck[]));
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

/** Returns the function that decides, by the flags, whether a result makes the command fail. */
async function conditionOf(flags: CommandFlags): Promise<(value: object, nowMs: number) => boolean> {
  const { format, 'fail-below': failBelow, 'expires-within': expiresWithin } = flags;
  const isBelow = failBelow === undefined ? null : (await loadGrade()).isWorseThan(failBelow);
  if (failBelow !== undefined && isBelow === null)
    throw new UsageError(`--fail-below: must be a grade from A+ to F, not "${failBelow}"`);
  if (expiresWithin !== undefined && !/^\d{1,5}$/.test(expiresWithin))
    throw new UsageError(`--expires-within: must be a number of days, not "${expiresWithin}"`);
  if (format !== undefined && format !== 'junit') throw new UsageError(`--format: must be junit, not "${format}"`);
  return (value, nowMs) => {
    if (isBelow?.(value as HeaderCheck)) return true;
    const days = expiresWithin === undefined ? null : daysToExpiry(value as RdapResult, nowMs);
    return days !== null && days < Number(expiresWithin);
  };
}

/**
 * Returns the function that looks up an item, with a value of the lookup's option; rejects with a ServiceError, or an Error with a message
 * for the user. Loads only what the command needs.
 */
async function openLookup(request: LookupCommand, opened: AsyncDisposableStack, { err }: CliIo): Promise<LookUp> {
  const { command, settings } = request;
  const { publicUrl, port, tlsPort } = settings;
  const local = port === null ? `https://localhost:${tlsPort}` : `http://localhost:${port}`;
  if (command.name === 'me') return (item) => askService(item || (publicUrl ?? local));
  if (command.name === 'ua') {
    const { parseUserAgent } = await import('../client/user-agent.ts');
    return async (item) => parseUserAgent(item);
  }
  const { openServiceLookup } = await import('./service-lookup.ts');
  // The progress of a conversion goes to standard error.
  return openServiceLookup(request, opened, err);
}

const serviceTimeoutMs = 10_000;

/** The user chose this URL, so it may be local. */
async function askService(url: string): Promise<object> {
  const base = (/^\w+:\/\//.test(url) ? url : `https://${url}`).replace(/\/+$/, '');
  const parsed = URL.parse(base);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '')
    throw new ServiceError('invalid_url', 'Send the URL of a running service, such as https://seenby.example.');
  const response = await fetch(`${base}/json`, { signal: AbortSignal.timeout(serviceTimeoutMs) }).catch(
    (error: Error) => {
      const reason = error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
      if (reason.includes('wrong version number')) throw new Error(`${base} does not use TLS; use an http:// URL`);
      if (reason.includes('certificate'))
        throw new Error(
          `${base} responds, but its certificate is not trusted (${reason.split(';')[0]}); use its http:// URL`,
        );
      throw new Error(`no response from ${base}: ${reason.split('\n')[0]}; start the service, or add its URL`);
    },
  );
  const value = await response.json().catch(() => null);
  if (!response.ok || typeof value !== 'object' || value === null)
    throw new Error(`${base}/json returned ${response.status}, not the data of this service; check the URL`);
  return value;
}
